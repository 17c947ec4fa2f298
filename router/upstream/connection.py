"""One live upstream: a link, the peer that speaks over it, and the session they opened."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterable, Mapping
from typing import Protocol

from router.model import Failure, FailureKind, JsonObject, as_object
from router.ports import ProgressSink
from router.settings import ServerConfig
from router.upstream.failures import SessionGone, failed, timed_out
from router.upstream.handshake import Session, in_envelope, shake_hands
from router.upstream.http import HttpLink
from router.upstream.jsonrpc import Link, NotificationSink, Peer, Receiver
from router.upstream.last_words import LineSink, filled_in
from router.upstream.oauth.channel import Credentials
from router.upstream.ownership import THIS_PROCESS, Mark, new_mark
from router.upstream.protocol import SERVER_INFO_KEY
from router.upstream.stdio import Command, StdioLink

_STDIO_STARTUP_S = 30.0
_HTTP_STARTUP_S = 10.0
_CLOSED = Failure(FailureKind.OTHER, detail="its connection was closed")
_SESSION_LOST = Failure(FailureKind.OTHER, detail="it forgot our session and opened no new one")


async def open_upstream(
    config: ServerConfig,
    *,
    env: Mapping[str, str],
    headers: Mapping[str, str],
    credentials: Credentials | None = None,
    on_notification: NotificationSink,
    on_stderr: LineSink,
    startup_timeout_s: float | None = None,
    owner: str = THIS_PROCESS,
) -> Connection:
    """Start or reach the server and open a session with it. `env` and `headers` are those of
    `config` with their secrets filled in; `credentials` are for a server that wants a
    sign-in; `owner` is whose mark its processes get. Raises `UpstreamFailed`, and then leaves
    nothing."""
    connection: Connection
    if config.url:
        default_s = _HTTP_STARTUP_S
        link = await asyncio.to_thread(HttpLink, config.url, headers, credentials)
        connection = HttpConnection(link, on_notification)
    else:
        default_s = _STDIO_STARTUP_S
        connection = ProcessConnection(_process(config, env, on_stderr, owner), on_notification)
    await _open(connection, startup_timeout_s or default_s)
    return connection


def _process(
    config: ServerConfig, env: Mapping[str, str], on_stderr: LineSink, owner: str
) -> StdioLink:
    command = Command(config.command or "", config.args, env, config.cwd)
    filled = [filled_in(config.env.get(name, ""), value) for name, value in env.items()]
    secrets = itertools.chain(*filled)
    return StdioLink(command, on_stderr=on_stderr, secrets=secrets, mark=new_mark(owner))


async def open_process(
    command: Command,
    *,
    secrets: Iterable[str],
    on_stderr: LineSink,
    startup_timeout_s: float,
) -> ProcessConnection:
    """Start `command` as it is and open a session with it: for who knows better than a
    configuration what to run. Raises `UpstreamFailed`, and then leaves nothing."""
    link = StdioLink(command, on_stderr=on_stderr, secrets=secrets)
    connection = ProcessConnection(link, _ignore_notification)
    await _open(connection, startup_timeout_s)
    return connection


def _ignore_notification(_method: str, _params: JsonObject) -> None:
    """Who only reads a list once needs not know that it changes."""


async def _open(connection: Connection, limit_s: float) -> None:
    try:
        async with asyncio.timeout(limit_s):
            await connection.open()
    except BaseException as error:
        await connection.close()
        if isinstance(error, TimeoutError):
            raise failed(timed_out(limit_s)) from None
        raise


class Transport(Link, Protocol):
    """A link a connection can open and close."""

    async def start(self, receiver: Receiver) -> None: ...
    def speak(self, version: str) -> None:
        """From now on `version` is what both sides have agreed on."""
        ...

    async def close(self) -> None: ...


class Connection:
    """Implements `ports.Upstream`. Results look the same whichever revision the server speaks."""

    def __init__(self, link: Transport, on_notification: NotificationSink) -> None:
        self._link = link
        self._peer = Peer(link, on_notification)
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
        return self._peer.closed

    @property
    def idle_s(self) -> float:
        """For how long nobody has asked it anything."""
        return 0.0 if self._peer.busy else time.monotonic() - self._peer.last_used

    @property
    def ended_quietly(self) -> bool:
        """Whether nobody was waiting for an answer when it closed."""
        return self._peer.left_unanswered == 0

    async def open(self) -> None:
        await self._link.start(self._peer)
        self._session = await shake_hands(self._peer, self._link.speak)

    async def request(
        self,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
    ) -> JsonObject:
        if self._session.modern:
            params = in_envelope(params)
        result = await self._peer.request(
            method, params, on_progress=on_progress, timeout_s=timeout_s
        )
        return _without_stamps(result) if self._session.modern else result

    async def wait_closed(self) -> Failure:
        """Why it closed, when it does."""
        return await self._peer.wait_closed()

    async def close(self) -> None:
        self._peer.close(_CLOSED)
        await self._link.close()


class ProcessConnection(Connection):
    """A connection to a process of its own."""

    def __init__(self, link: StdioLink, on_notification: NotificationSink) -> None:
        super().__init__(link, on_notification)
        self._process = link

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def mark(self) -> Mark:
        return self._process.mark

    def hurry(self) -> None:
        """Its next stop shall not take long."""
        self._process.hurry()

    def condemn(self, failure: Failure) -> None:
        """Kill the process and all its descendants, because of `failure`."""
        self._process.condemn(failure)


class HttpConnection(Connection):
    """A connection whose server may forget our session, say by a restart, and get a new one."""

    def __init__(self, link: HttpLink, on_notification: NotificationSink) -> None:
        super().__init__(link, on_notification)
        self._http = link
        self._renewing = asyncio.Lock()

    async def open(self) -> None:
        await super().open()
        self._http.listen()

    async def request(
        self,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
    ) -> JsonObject:
        if self._renewing.locked():
            async with self._renewing:
                pass
        session_id = self._http.session_id
        try:
            return await super().request(
                method, params, on_progress=on_progress, timeout_s=timeout_s
            )
        except SessionGone:
            await self._renew_session(session_id)
        return await super().request(method, params, on_progress=on_progress, timeout_s=timeout_s)

    async def _renew_session(self, gone: str | None) -> None:
        """Open a new session in place of the one that is gone, unless someone just did."""
        async with self._renewing:
            if self._http.session_id != gone or self.closed:
                return
            await self._http.forget_session()
            try:
                async with asyncio.timeout(_HTTP_STARTUP_S):
                    self._session = await shake_hands(self._peer, self._http.speak)
            except BaseException as error:
                self._peer.close(_SESSION_LOST)
                if isinstance(error, TimeoutError):
                    raise failed(timed_out(_HTTP_STARTUP_S)) from None
                raise
            self._http.listen()


def _without_stamps(result: JsonObject) -> JsonObject:
    """A modern result without what every modern result carries."""
    if result.get("resultType") == "complete":
        del result["resultType"]
    meta = as_object(result.get("_meta"))
    if meta.pop(SERVER_INFO_KEY, None) is not None and not meta:
        del result["_meta"]
    return result
