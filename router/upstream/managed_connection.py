"""The owner of one server's upstream: the task that opens a connection is the one that closes it.

Others ask the owner for the connection; whoever asks while it starts shares that start. A server
that keeps failing is left alone for a growing while; one that shall always run is started again.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from router.config.server import Lifecycle, ServerConfig
from router.domain.errors import ToolboothError, UpstreamFailed
from router.domain.failure_text import not_before
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.domain.servers import ServerState
from router.runtime.clock import utc_now
from router.runtime.tasks import spawn
from router.upstream.connect import open_upstream
from router.upstream.connection import Connection
from router.upstream.errors import failed
from router.upstream.http.transport_choice import Way
from router.upstream.oauth.authorized_client import Credentials
from router.upstream.peer import NotificationSink
from router.upstream.process.stderr_tail import LineSink
from router.upstream.process.tracking import THIS_PROCESS
from router.upstream.restart_policy import Supervision
from router.upstream.run_options import Terms
from router.upstream.server_requests import Audience

_STOPPED = Failure(FailureKind.OTHER, detail="it was stopped before it was ready")
_SHOWN_BY_OTHERS = (FailureKind.DISABLED, FailureKind.CONSENT_NEEDED)


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """All that is needed to start a server once, with its secrets filled in."""

    config: ServerConfig
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    credentials: Credentials | None = None
    startup_timeout_s: float | None = None
    """`None`: what is usual for its transport."""
    owner: str = THIS_PROCESS
    """Whose mark its processes get."""
    expected_version: str = ""
    """The revision it spoke when it was last heard of."""
    input_schema: Callable[[str], JsonObject] = lambda _: {}
    """That of a tool by its name, as far as it is known."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an owner needs of the world, all of it about its own server."""

    name: str
    launch: Callable[[], Awaitable[LaunchPlan]]
    publish_state: Callable[[ServerState, Failure | None], None]
    on_notification: NotificationSink
    on_stderr: LineSink
    on_over: Callable[[], None]
    """Called when the connection may no longer be used, before anything else happens."""
    on_given_up: Callable[[Failure], None]
    """Called once when it failed too often to be tried again without someone asking."""
    terms: Callable[[], Terms] = Terms
    audience: Audience = field(default_factory=Audience)
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = utc_now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


_Outcome: TypeAlias = Connection | ToolboothError


class Owner:
    """One server's connection, started when first asked for."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._around = surroundings
        self._opened: asyncio.Future[_Outcome] | None = None
        self._current: asyncio.Task[None] | None = None
        """The run that may be cancelled, once: it opens a connection or holds one."""
        self._runs: set[asyncio.Task[None]] = set()
        """The current run and those that are still closing, which nobody may disturb."""
        self._borrowers = 0
        self._kept = False
        self._supervision = Supervision(surroundings.clock, surroundings.chance)
        self._held_failure: UpstreamFailed | None = None
        self._pause: asyncio.Task[None] | None = None
        self._way: Way | None = None

    @property
    def live(self) -> Connection | None:
        """The connection there is now, if it works."""
        outcome = self._opened.result() if self._opened and self._opened.done() else None
        return outcome if isinstance(outcome, Connection) and not outcome.closed else None

    @property
    def in_use(self) -> bool:
        """Whether there is a connection or will be, or its failure is not forgotten yet."""
        return bool(self._runs) or self._pause is not None or self._supervision.pause_left_s > 0

    @property
    def _is_over(self) -> bool:
        """Whether there is no connection that works, nor one that is being opened."""
        return self._opened is None or _is_dead(self._opened)

    async def connection(self, *, keep: bool = True) -> Connection:
        """The connection, started if there is none; with `keep` it outlives its borrowers.

        Raises `UpstreamFailed`, or what `launch` raised.
        """
        opened = self._opened
        if opened is not None and _is_dead(opened) and self._runs:
            # How it ends decides whether it may be tried again.
            await asyncio.wait(list(self._runs))
            opened = self._opened
        if opened is None or _is_dead(opened):
            if self._held_failure is not None and self._supervision.pause_left_s > 0:
                raise self._held_failure.with_traceback(None)
            self._kept = False
            opened = self._begin()
        self._kept |= keep
        outcome = await asyncio.shield(opened)
        if isinstance(outcome, ToolboothError):
            raise outcome.with_traceback(None)
        return outcome

    @asynccontextmanager
    async def borrowed(self) -> AsyncGenerator[Connection]:
        """The connection for a while; the last to give it back stops it unless it is kept."""
        self._borrowers += 1
        try:
            yield await self.connection(keep=False)
        finally:
            self._borrowers -= 1
            if not self._borrowers and not self._kept and not self._always:
                await self._stop()

    def start(self) -> None:
        """Connect in the background, unless it is connected or pauses; the state tells the rest."""
        self._kept = True
        pausing = self._supervision.pause_left_s > 0
        if not pausing and self._is_over:
            self._begin()

    def forgive(self) -> None:
        """A person wants it tried again, whatever happened before."""
        self._supervision.forgive()
        self._held_failure = None

    async def stop(self) -> None:
        """Close the connection, if there is one, and return when it is gone. Who asks meanwhile
        gets a new one."""
        self.forgive()
        if self._end_pause():
            self._around.publish_state(ServerState.IDLE, None)
        await self._stop()

    async def _stop(self) -> None:
        opened, self._opened = self._opened, None
        ends_by_itself = opened is not None and _is_dead(opened)  # and then says why
        if self._current is not None and not ends_by_itself:
            self._current.cancel()
            self._current = None
        if self._runs:
            await asyncio.wait(list(self._runs))

    def _begin(self) -> asyncio.Future[_Outcome]:
        self._end_pause()
        opened: asyncio.Future[_Outcome] = asyncio.get_running_loop().create_future()
        run = spawn(self._run(opened, list(self._runs)), name=f"upstream {self._around.name}")
        self._current = run
        self._runs.add(run)
        run.add_done_callback(self._runs.discard)
        run.add_done_callback(lambda _: opened.done() or opened.set_result(failed(_STOPPED)))
        self._opened = opened
        return opened

    async def _run(
        self, opened: asyncio.Future[_Outcome], earlier: Collection[asyncio.Task[None]]
    ) -> None:
        if earlier:
            await asyncio.wait(earlier)
        try:
            connection = await self._open()
        except ToolboothError as error:
            opened.set_result(error)
            return
        opened.set_result(connection)
        await self._own(connection)

    async def _open(self) -> Connection:
        around = self._around
        try:
            plan = await around.launch()
        except UpstreamFailed as error:
            if error.failure.kind not in _SHOWN_BY_OTHERS:
                around.publish_state(_state_after(error.failure), error.failure)
            raise
        around.publish_state(ServerState.CONNECTING, None)
        try:
            connection = await open_upstream(
                plan.config,
                env=plan.env,
                headers=plan.headers,
                credentials=plan.credentials,
                on_notification=around.on_notification,
                on_stderr=around.on_stderr,
                startup_timeout_s=plan.startup_timeout_s,
                owner=plan.owner,
                expected_version=plan.expected_version,
                input_schema=plan.input_schema,
                audience=around.audience,
                way=self._way,
            )
        except UpstreamFailed as error:
            self._fail(error)
            raise
        except asyncio.CancelledError:
            around.publish_state(ServerState.IDLE, None)
            raise
        self._way = connection.way
        return connection

    async def _own(self, connection: Connection) -> None:
        """Keep `connection` until it dies, nobody has used it for long, or we are stopped."""
        failure: Failure | None = None
        try:
            self._held_failure = None
            self._supervision.served()
            self._around.publish_state(ServerState.READY, None)
            failure = await self._until_over(connection)
        finally:
            if self._current is asyncio.current_task():
                self._current = None
            self._around.on_over()
            if failure is not None and not self._always and _was_expected(failure, connection):
                failure = None
            await connection.close()
            if failure is None:
                self._around.publish_state(ServerState.IDLE, None)
            else:
                self._fail(failed(failure))

    async def _until_over(self, connection: Connection) -> Failure | None:
        """Why it died, or nothing if it was only idle for too long."""
        while True:
            try:
                async with asyncio.timeout(self._patience_s(connection)):
                    return await connection.wait_closed()
            except TimeoutError:
                if self._is_unused(connection):
                    return None

    def _patience_s(self, connection: Connection) -> float | None:
        """How long to wait before looking again whether it is still used."""
        limit_s = self._around.terms().idle_timeout_s
        if limit_s is None or self._borrowers or self._always:
            return limit_s
        return limit_s - connection.idle_s

    def _is_unused(self, connection: Connection) -> bool:
        limit_s = self._around.terms().idle_timeout_s
        unwanted = not self._borrowers and not self._always
        return limit_s is not None and unwanted and connection.idle_s >= limit_s

    @property
    def _always(self) -> bool:
        return self._around.terms().lifecycle is Lifecycle.ALWAYS

    # Failing

    def _fail(self, error: UpstreamFailed) -> None:
        """Hold `error` against further starts for a while, and tell what follows from it."""
        failure, supervision = error.failure, self._supervision
        self._held_failure = error
        if failure.kind is FailureKind.SIGN_IN_NEEDED:  # no crash: it waits for a person
            supervision.refused()
            self._around.publish_state(_state_after(failure), failure)
            return
        pause_s = supervision.failed()
        if pause_s > 0:
            self._postpone(error, pause_s)
        if supervision.broken:
            self._around.publish_state(ServerState.FAILED, error.failure)
            if supervision.just_broke:
                self._around.on_given_up(error.failure)
            return
        state = ServerState.BACKING_OFF if pause_s > 0 else ServerState.FAILED
        self._around.publish_state(state, error.failure)
        if pause_s > 0 or self._always:
            self._pause = spawn(self._sit_out(failure, pause_s), name=f"pause {self._around.name}")

    def _postpone(self, error: UpstreamFailed, pause_s: float) -> None:
        retry_at = self._around.now() + timedelta(seconds=pause_s)
        error.failure = replace(error.failure, retry_at=retry_at)
        error.hint = f"{error.hint} {not_before(retry_at)}".strip()

    async def _sit_out(self, failure: Failure, pause_s: float) -> None:
        """Wait until it may be tried again; only one that shall always run is, by itself."""
        await self._around.sleep(pause_s)
        self._pause = None
        if not self._is_over:
            return
        if self._always:
            self._kept = True
            self._begin()
        elif pause_s > 0:
            self._around.publish_state(ServerState.FAILED, failure)

    def _end_pause(self) -> bool:
        """Whether there was one."""
        pause, self._pause = self._pause, None
        return pause is not None and pause.cancel()


def _is_dead(opened: asyncio.Future[_Outcome]) -> bool:
    if not opened.done():
        return False
    outcome = opened.result()
    return isinstance(outcome, ToolboothError) or outcome.closed


def _was_expected(failure: Failure, connection: Connection) -> bool:
    """A server may exit when it has nothing to do, and let go a connection nobody uses."""
    exited_well = failure.kind is FailureKind.EXITED and failure.subject == "code 0"
    let_go = failure.kind is FailureKind.UNREACHABLE
    return (exited_well or let_go) and connection.ended_quietly


def _state_after(failure: Failure) -> ServerState:
    wants_person = failure.kind is FailureKind.SIGN_IN_NEEDED
    return ServerState.NEEDS_SIGN_IN if wants_person else ServerState.FAILED
