"""Permission requests: where the policy says ask, and no earlier answer covers the call, publishes
one as an event and makes the call wait for the answer.

The user may answer for longer than one call. A call is refused, with the reason, where nobody can
see the request, no answer comes in time, or too many calls wait already.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeAlias

from router.api.events import PermissionRequested, PermissionResolved, Publish
from router.catalog.permission_policy import Subject
from router.domain.errors import NotFound, Refused
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.permissions import (
    Answer,
    Permission,
    PermissionKind,
    PermissionRequest,
    PermissionRequestId,
)
from router.gateway.client_request import ClientRequest
from router.gateway.tools.arguments import preview
from router.store.redaction import Redactor
from router.upstream.ports import ProgressSink, SessionId

_HOUR_S = 3600.0
_MAX_PENDING = 32
_PROGRESS_INTERVAL_S = 10.0
"""How often a waiting call sends progress: clients give up on calls that are silent."""

_PROGRESS_TIMEOUT_S = 1.0

_GrantKey: TypeAlias = tuple[object, ...]
"""The principal and the subject that an answer is for."""


@dataclass(eq=False, slots=True)
class _Pending:
    request: PermissionRequest
    grant_key: _GrantKey
    session: SessionId | None
    """`None` for the user, in the window or a terminal."""
    answer: asyncio.Future[Answer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


@dataclass(slots=True)
class PermissionRequests:
    _publish: Publish
    _clock: Callable[[], datetime]
    _timeout_s: Callable[[], float]
    _attended: Callable[[], bool]
    """Whether a window shows the requests."""
    _redactor: Redactor
    _pending: dict[PermissionRequestId, _Pending] = field(
        default_factory=dict[PermissionRequestId, _Pending]
    )
    _granted_until: dict[_GrantKey, float] = field(default_factory=dict[_GrantKey, float])
    """On the monotonic clock."""
    _granted_in: dict[SessionId | None, set[_GrantKey]] = field(
        default_factory=dict[SessionId | None, set[_GrantKey]]
    )

    def pending(self) -> tuple[PermissionRequest, ...]:
        """The requests without an answer, oldest first."""
        return tuple(pending.request for pending in list(self._pending.values()))

    async def check(
        self,
        request: ClientRequest,
        subject: Subject,
        permission: Permission,
        arguments: JsonObject,
        server_name: str,
        *,
        answered: bool = False,
    ) -> None:
        """Return once `request` may use `subject`, else raise `Refused`. `answered`: the user has
        already answered the request for this call."""
        if permission is Permission.DENY:
            raise Refused(
                f"The user's rules don't allow this call of {subject}.",
                "Go on without it, or ask the user to change the rule.",
            )
        if permission is Permission.ASK and not answered:
            await self._request(request, subject, arguments, server_name)

    async def _request(
        self, request: ClientRequest, subject: Subject, arguments: JsonObject, server_name: str
    ) -> None:
        session = request.client.session if request.client is not None else None
        grant_key = _grant_key(request, subject)
        if self._is_granted(grant_key, session):
            return
        self._check_attended(subject)
        pending = _Pending(
            self._permission_request(request, subject, arguments, server_name), grant_key, session
        )
        self._pending[pending.request.id] = pending
        self._publish(PermissionRequested(pending.request))
        try:
            answer = await self._wait(pending, request.on_progress)
        finally:
            pending.answer.cancel()
            del self._pending[pending.request.id]
            self._publish(PermissionResolved(pending.request.id))
        self._apply(pending, answer, subject)

    def session_ended(self, session: SessionId) -> None:
        """Answers for this session no longer hold."""
        self._granted_in.pop(session, None)

    def answer(self, request_id: PermissionRequestId, answer: Answer) -> PermissionRequest:
        """The user's answer; one for longer also answers the same client's other calls of the same
        tool. Raises `NotFound` if the call no longer waits."""
        if (pending := self._pending.get(request_id)) is None:
            raise NotFound(
                "This permission request is no longer open.",
                "If the call is made again, a new request appears.",
            )
        alike = [pending]
        if answer not in (Answer.ONCE, Answer.DENY):
            alike = [each for each in self._pending.values() if each.grant_key == pending.grant_key]
        if answer is Answer.SESSION:
            alike = [each for each in alike if each.session == pending.session]
        for each in alike:
            if not each.answer.done():
                each.answer.set_result(answer)
        return pending.request

    def _check_attended(self, subject: Subject) -> None:
        if not self._attended():
            allow = f"toolbooth permission set {subject} allow"
            if subject.kind is PermissionKind.FOLDER:
                allow = f"toolbooth approve {subject.server} --folder {shlex.quote(subject.name)}"
            raise Refused(
                f"{subject} needs the user's permission, and nobody is there to give it.",
                "Go on without it, or ask the user to allow it in Toolbooth.",
                f"Allow it with: {allow}",
            )
        if len(self._pending) >= _MAX_PENDING:
            raise Refused(
                f"{subject} needs the user's permission, and too many calls already wait for it.",
                "Try again when the user has answered.",
            )

    def _permission_request(
        self, request: ClientRequest, subject: Subject, arguments: JsonObject, server_name: str
    ) -> PermissionRequest:
        principal = request.principal
        return PermissionRequest(
            id=PermissionRequestId(secrets.token_hex(4)),
            client=principal.client,
            ref=ServerRef(principal.workspace, subject.server),
            server_name=server_name,
            project=principal.project,
            kind=subject.kind,
            name=subject.name,
            arguments=preview(arguments, self._redactor),
            until=self._clock() + timedelta(seconds=self._timeout_s()),
        )

    async def _wait(self, pending: _Pending, on_progress: ProgressSink | None) -> Answer | None:
        """The user's answer; `None` if there is none in time."""
        deadline = time.monotonic() + self._timeout_s()
        message = f"Waiting for the user to allow {pending.request.key}…"
        steps = 0
        while (left_s := deadline - time.monotonic()) > 0:
            if on_progress is not None:
                with contextlib.suppress(TimeoutError):  # the client may have stopped reading
                    async with asyncio.timeout(min(left_s, _PROGRESS_TIMEOUT_S)):
                        await on_progress({"progress": steps / 1000, "message": message})
            steps += 1
            await asyncio.wait([pending.answer], timeout=min(left_s, _PROGRESS_INTERVAL_S))
            if pending.answer.done():
                return pending.answer.result()
        return None

    def _is_granted(self, grant_key: _GrantKey, session: SessionId | None) -> bool:
        in_session = self._granted_in.get(session, ())
        return grant_key in in_session or self._granted_until.get(grant_key, 0) > time.monotonic()

    def _apply(self, pending: _Pending, answer: Answer | None, subject: Subject) -> None:
        match answer:
            case Answer.ONCE | Answer.ALWAYS:
                return
            case Answer.HOUR:
                self._granted_until[pending.grant_key] = time.monotonic() + _HOUR_S
            case Answer.SESSION:
                self._granted_in.setdefault(pending.session, set()).add(pending.grant_key)
            case Answer.DENY:
                raise Refused(
                    f"The user denied this call of {subject}.", "Go on without it, or ask them."
                )
            case None:
                raise Refused(
                    f"{subject} needs the user's permission, and the request timed out.",
                    "Ask the user whether they want this, then try again.",
                )


def _grant_key(request: ClientRequest, subject: Subject) -> _GrantKey:
    return (*request.principal.identity, subject.kind, subject.server, subject.name)
