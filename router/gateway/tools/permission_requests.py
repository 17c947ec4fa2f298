"""Asking a person before a call: the question is told as an event, the call waits for the answer.

Whoever is asked may give a yes for longer than one call. Nobody at the screen, no answer in time,
or too many questions at once: refused, with a sentence that says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeAlias

from router.api.events import PermissionAsked, PermissionSettled, Publish
from router.catalog.permission_policy import Subject
from router.domain.clients import Principal
from router.domain.errors import NotFound, Refused
from router.domain.ids import ServerRef
from router.domain.permissions import Answer, AskId, PermissionAsk
from router.upstream.ports import ProgressSink, SessionId

_HOUR_S = 3600.0
_MAX_WAITING = 32
_REMIND_EVERY_S = 10.0
"""How often a waiting call shows a sign of life: clients give up on calls that are silent."""

_REMIND_WITHIN_S = 1.0

_Grantee: TypeAlias = tuple[object, ...]


@dataclass(eq=False, slots=True)
class _Waiting:
    ask: PermissionAsk
    grantee: _Grantee
    session: SessionId | None
    answer: asyncio.Future[Answer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


@dataclass(frozen=True, slots=True)
class Question:
    """What a caller wants to do, in the words a person is shown."""

    caller: Principal
    subject: Subject
    server_name: str
    arguments: str
    session: SessionId | None = None
    """The client's conversation; none if it is the person at the keyboard."""


class Asking:
    """`attended`: whether somebody can see a question. `remember` makes a yes for always last."""

    def __init__(
        self,
        publish: Publish,
        clock: Callable[[], datetime],
        timeout_s: Callable[[], float],
        attended: Callable[[], bool],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._publish = publish
        self._clock = clock
        self._timeout_s = timeout_s
        self._attended = attended
        self._now = now
        self._waiting: dict[AskId, _Waiting] = {}
        self._granted: dict[_Grantee, float] = {}
        """Until when, on the monotonic clock, a yes holds."""
        self._granted_in: dict[SessionId | None, set[_Grantee]] = {}
        """What a yes for its session was said to."""

    def pending(self) -> tuple[PermissionAsk, ...]:
        """What waits for an answer, the oldest first."""
        return tuple(waiting.ask for waiting in list(self._waiting.values()))

    async def ask(self, question: Question, on_progress: ProgressSink | None) -> None:
        """Return if the person agrees, or has agreed before; else raise `Refused`."""
        grantee = _grantee(question)
        if self._is_granted(grantee, question.session):
            return
        self._check_askable(question.subject)
        waiting = self._put(question, grantee)
        try:
            answer = await self._answer(waiting, on_progress)
        finally:
            self._settle(waiting)
        self._take(waiting, answer, question.subject)

    def session_ended(self, session: SessionId) -> None:
        """What was agreed to for this session no longer is."""
        self._granted_in.pop(session, None)

    def answer(self, ask: AskId, answer: Answer) -> PermissionAsk:
        """What a person says; a yes for longer also answers the same client's other calls of the
        same tool. Raises `NotFound` if nobody waits for it any more."""
        if (waiting := self._waiting.get(ask)) is None:
            raise NotFound(
                "This permission request is no longer open.",
                "If the call is made again, a new request appears.",
            )
        alike = [waiting]
        if answer not in (Answer.ONCE, Answer.DENY):
            alike = [w for w in self._waiting.values() if w.grantee == waiting.grantee]
        if answer is Answer.SESSION:
            alike = [w for w in alike if w.session == waiting.session]
        for each in alike:
            if not each.answer.done():
                each.answer.set_result(answer)
        return waiting.ask

    def _check_askable(self, subject: Subject) -> None:
        if not self._attended():
            raise Refused(
                f"{subject} needs the user's permission, and nobody is there to give it.",
                f"The user can allow it with: toolbooth permission set {subject} allow",
            )
        if len(self._waiting) >= _MAX_WAITING:
            raise Refused(
                f"{subject} needs the user's permission, and too many calls already wait for it.",
                "Try again when the user has answered.",
            )

    def _put(self, question: Question, grantee: _Grantee) -> _Waiting:
        caller, subject = question.caller, question.subject
        ask = PermissionAsk(
            id=AskId(secrets.token_hex(4)),
            client=caller.client,
            ref=ServerRef(caller.workspace, subject.server),
            server_name=question.server_name,
            project=caller.project,
            kind=subject.kind,
            name=subject.name,
            arguments=question.arguments,
            until=self._clock() + timedelta(seconds=self._timeout_s()),
        )
        self._waiting[ask.id] = waiting = _Waiting(ask, grantee, question.session)
        self._publish(PermissionAsked(ask))
        return waiting

    async def _answer(self, waiting: _Waiting, on_progress: ProgressSink | None) -> Answer | None:
        """What the person says; None if they say nothing in time."""
        deadline = self._now() + self._timeout_s()
        message = f"Waiting for the user to allow {waiting.ask.key}…"
        steps = 0
        while (left_s := deadline - self._now()) > 0:
            if on_progress is not None:
                with contextlib.suppress(TimeoutError):  # it waits for a client that doesn't read
                    async with asyncio.timeout(min(left_s, _REMIND_WITHIN_S)):
                        await on_progress({"progress": steps / 1000, "message": message})
            steps += 1
            await asyncio.wait([waiting.answer], timeout=min(left_s, _REMIND_EVERY_S))
            if waiting.answer.done():
                return waiting.answer.result()
        return None

    def _settle(self, waiting: _Waiting) -> None:
        waiting.answer.cancel()
        del self._waiting[waiting.ask.id]
        self._publish(PermissionSettled(waiting.ask.id))

    def _is_granted(self, grantee: _Grantee, session: SessionId | None) -> bool:
        for_session = self._granted_in.get(session, ())
        return grantee in for_session or self._granted.get(grantee, 0) > self._now()

    def _take(self, waiting: _Waiting, answer: Answer | None, subject: Subject) -> None:
        match answer:
            case Answer.ONCE | Answer.ALWAYS:
                return
            case Answer.HOUR:
                self._granted[waiting.grantee] = self._now() + _HOUR_S
            case Answer.SESSION:
                self._granted_in.setdefault(waiting.session, set()).add(waiting.grantee)
            case Answer.DENY:
                raise Refused(
                    f"The user denied this call of {subject}.", "Go on without it, or ask them."
                )
            case None:
                raise Refused(
                    f"{subject} needs the user's permission, and the request timed out.",
                    "Ask the user whether they want this, then try again.",
                )


def _grantee(question: Question) -> _Grantee:
    """For whom and what a yes holds."""
    caller, subject = question.caller, question.subject
    who = (caller.token, caller.workspace, caller.project)
    return (*who, subject.kind, subject.server, subject.name)
