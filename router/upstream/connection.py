"""One live upstream: a link, the peer that speaks over it, and the session they opened."""

from __future__ import annotations

import asyncio
import contextlib
import time
from functools import partial
from typing import Any, Protocol

from router.domain.errors import UpstreamAnsweredError
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject, as_object
from router.upstream.errors import SessionGone, bad_protocol, failed, timed_out
from router.upstream.handshake import Session, in_envelope, shake_hands
from router.upstream.http.streamable_http import HttpLink
from router.upstream.http.transport_choice import Way
from router.upstream.peer import Link, NotificationSink, Peer, Receiver
from router.upstream.ports import ProgressSink, Requester
from router.upstream.process.stdio import StdioLink
from router.upstream.process.tracking import ProcessMark
from router.upstream.server_requests import EVERYBODY, Audience, askable, input_requests
from router.upstream.subscription_stream import ACKNOWLEDGED, Listening
from router.wire.mcp import LOG_LEVELS, SERVER_INFO_KEY

HTTP_STARTUP_S = 10.0
_SIDE_REQUEST_S = 5.0
_MOST_ROUNDS = 10
_SUBSCRIBING = ("resources/subscribe", "resources/unsubscribe")
_CLOSED = Failure(FailureKind.OTHER, detail="its connection was closed")
_SESSION_LOST = Failure(FailureKind.OTHER, detail="it forgot our session and opened no new one")


class Transport(Link, Protocol):
    """A link a connection can open and close."""

    async def start(self, receiver: Receiver) -> None: ...
    def speak(self, version: str) -> None:
        """From now on `version` is what both sides have agreed on."""
        ...

    async def close(self) -> None: ...


class Connection:
    """Implements `exchange.Upstream`. Results look the same whichever revision a server speaks."""

    way: Way | None = None
    """By which it reaches an address."""

    def __init__(
        self,
        link: Transport,
        on_notification: NotificationSink,
        audience: Audience = EVERYBODY,
    ) -> None:
        self._link = link
        self._audience = audience
        self._on_notification = on_notification
        self._peer = Peer(link, self._notified, audience.questions)
        self._subscribed: set[str] = set()
        self._listening: Listening | None = None
        self._log_level: str | None = None
        """From which level on the server sends its log, as far as it was told."""
        self._session: Session

    @property
    def server_info(self) -> JsonObject:
        return self._session.server_info

    @property
    def capabilities(self) -> JsonObject:
        return self._session.capabilities

    @property
    def instructions(self) -> str:
        return self._session.instructions

    @property
    def protocol_version(self) -> str:
        return self._session.protocol_version

    @property
    def closed(self) -> bool:
        """Whether it is of no more use. Those who wait for an answer may still get it."""
        return self._peer.closed

    @property
    def idle_s(self) -> float:
        """For how long nobody has asked it anything."""
        in_use = self._peer.busy or self._subscribed
        return 0.0 if in_use else time.monotonic() - self._peer.last_used

    @property
    def ended_quietly(self) -> bool:
        """Whether nobody was waiting for an answer when it closed."""
        return self._peer.left_unanswered == 0

    async def open(self, expected_version: str = "") -> None:
        """Connect; `expected_version` is the revision the server spoke before, if that is known."""
        await self._link.start(self._peer)
        await self._shake_hands(expected_version)

    async def _shake_hands(self, expected_version: str) -> None:
        self._session = await shake_hands(
            self._peer, self._link.speak, self._audience.capabilities, expected_version
        )
        self._log_level = None
        if self._session.modern:
            self._listening = Listening(self._listen, self._session.capabilities)
            self._listening.begin()

    async def _listen(self, params: JsonObject) -> JsonObject:
        envelope = in_envelope(params, self._audience.capabilities)
        return await self._peer.request("subscriptions/listen", envelope, standing=True)

    def _notified(self, method: str, params: JsonObject) -> None:
        if method == ACKNOWLEDGED and self._listening is not None:
            self._listening.acknowledged()
        else:
            self._on_notification(method, params)

    async def request(
        self,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
        requester: Requester | None = None,
    ) -> JsonObject:
        if method in _SUBSCRIBING:
            return await self._subscribe(method, params or {}, timeout_s)
        if self._session.modern:
            return await self._in_rounds(method, params, on_progress, timeout_s, requester)
        if requester is not None:
            await self._adjust_log(requester.log_level)
        return await self._peer.request(
            method, params, on_progress=on_progress, timeout_s=timeout_s, requester=requester
        )

    async def _in_rounds(
        self,
        method: str,
        params: JsonObject | None,
        on_progress: ProgressSink | None,
        timeout_s: float | None,
        requester: Requester | None,
    ) -> JsonObject:
        """Ask a modern server. What it wants to know first, a client that is there is asked; one
        that repeats its requests gets that as the result."""
        capabilities = self._audience.capabilities if requester is None else requester.capabilities
        log_level = requester.log_level if requester is not None else None
        params = in_envelope(params, askable(capabilities), log_level)
        for _ in range(_MOST_ROUNDS):
            result = await self._peer.request(
                method, params, on_progress=on_progress, timeout_s=timeout_s, requester=requester
            )
            questions = input_requests(result)
            if questions is None or requester is None or requester.repeats:
                return _without_stamps(result)
            answers = {key: await _asked(requester, each) for key, each in questions.items()}
            params = {**params, "inputResponses": answers}
            params.pop("requestState", None)
            if "requestState" in result:
                params["requestState"] = result["requestState"]
        raise failed(bad_protocol(f"it asks again after {_MOST_ROUNDS} answers"))

    async def _subscribe(
        self, method: str, params: JsonObject, timeout_s: float | None
    ) -> JsonObject:
        address, result = str(params.get("uri")), dict[str, Any]()
        wanted = method == "resources/subscribe"
        if self._listening is None:
            result = await self._peer.request(method, params, timeout_s=timeout_s)
        elif wanted:
            await self._listening.add(address)
        else:
            await self._listening.remove(address)
        (self._subscribed.add if wanted else self._subscribed.discard)(address)
        return result

    async def _adjust_log(self, level: str | None) -> None:
        """Have a legacy server send at least what this client wants to hear."""
        if level is None or "logging" not in self._session.capabilities:
            return
        if self._log_level is not None and LOG_LEVELS.index(level) >= LOG_LEVELS.index(
            self._log_level
        ):
            return
        self._log_level = level
        with contextlib.suppress(UpstreamAnsweredError):
            await self._peer.request(
                "logging/setLevel", {"level": level}, timeout_s=_SIDE_REQUEST_S
            )

    async def wait_closed(self) -> Failure:
        """Why it closed, when it does."""
        return await self._peer.wait_closed()

    async def close(self) -> None:
        self._peer.close(_CLOSED)
        if self._listening is not None:
            await self._listening.close()
        await self._link.close()


class ProcessConnection(Connection):
    """A connection to a process of its own."""

    def __init__(
        self, link: StdioLink, on_notification: NotificationSink, audience: Audience = EVERYBODY
    ) -> None:
        super().__init__(link, on_notification, audience)
        self._process = link

    @property
    def closed(self) -> bool:
        return super().closed or self._process.over

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def mark(self) -> ProcessMark:
        return self._process.mark

    def hurry(self) -> None:
        """Its next stop shall not take long."""
        self._process.hurry()

    def condemn(self, failure: Failure) -> None:
        """Kill the process and all its descendants, because of `failure`."""
        self._process.condemn(failure)


class HttpConnection(Connection):
    """A connection whose server may forget our session, say by a restart, and get a new one."""

    def __init__(
        self, link: HttpLink, on_notification: NotificationSink, audience: Audience = EVERYBODY
    ) -> None:
        super().__init__(link, on_notification, audience)
        self._http = link
        self._renewing = asyncio.Lock()

    async def open(self, expected_version: str = "") -> None:
        await super().open(expected_version)
        self._http.listen()

    async def request(
        self,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
        requester: Requester | None = None,
    ) -> JsonObject:
        if self._renewing.locked():
            async with self._renewing:
                pass
        session_id = self._http.session_id
        ask = partial(
            super().request,
            method,
            params,
            on_progress=on_progress,
            timeout_s=timeout_s,
            requester=requester,
        )
        try:
            return await ask()
        except SessionGone:
            await self._renew_session(session_id)
        return await ask()

    async def _renew_session(self, gone: str | None) -> None:
        """Open a new session in place of the one that is gone, unless someone just did."""
        async with self._renewing:
            if self._http.session_id != gone or self.closed:
                return
            await self._http.forget_session()
            try:
                async with asyncio.timeout(HTTP_STARTUP_S):
                    await self._shake_hands(self.protocol_version)
            except BaseException as error:
                self._peer.close(_SESSION_LOST)
                if isinstance(error, TimeoutError):
                    raise failed(timed_out(HTTP_STARTUP_S)) from None
                raise
            self._http.listen()


async def _asked(requester: Requester, question: JsonObject) -> JsonObject:
    return await requester.ask(str(question.get("method")), as_object(question.get("params")))


def _without_stamps(result: JsonObject) -> JsonObject:
    """A modern result without what every modern result carries."""
    if result.get("resultType") == "complete":
        del result["resultType"]
    meta = as_object(result.get("_meta"))
    if meta.pop(SERVER_INFO_KEY, None) is not None and not meta:
        del result["_meta"]
    return result
