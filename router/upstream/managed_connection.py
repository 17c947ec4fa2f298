"""One server instance's connection, kept by a task: the task that opens it also closes it.

All who ask for the connection while it starts share that start. A server that keeps failing is not
started for a growing pause: calls wait for a short one, and are refused during a long one unless
they are idempotent. One with the lifecycle `always` is started again by itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from math import inf
from typing import TypeAlias

from router.config.server import Lifecycle
from router.domain.errors import ToolboothError, UpstreamFailed
from router.domain.failure_text import not_before
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.domain.servers import ServerState
from router.runtime.clock import utc_now
from router.runtime.tasks import spawn
from router.upstream.connect import open_upstream
from router.upstream.connection import UpstreamConnection
from router.upstream.errors import failed
from router.upstream.hooks import Timing, UpstreamHooks
from router.upstream.http.http_sse import HttpSseTransport
from router.upstream.instance_key import InstanceKey
from router.upstream.ports import CallOptions
from router.upstream.process.stdio import StdioTransport
from router.upstream.request_limiter import RequestLimiter
from router.upstream.restart_policy import RestartPolicy
from router.upstream.run_options import RunOptions
from router.upstream.server_requests import ClientFeatures

log = logging.getLogger(__name__)

ROUTER_STOPPING = Failure(FailureKind.OTHER, detail="Toolbooth is stopping")
_SUBSCRIBE_OPTIONS = CallOptions(timeout_s=5.0)
_STOPPED = Failure(FailureKind.OTHER, detail="it was stopped before it was ready")
_PUBLISHED_ELSEWHERE = (FailureKind.DISABLED, FailureKind.CONSENT_NEEDED)
_PATIENCE_S = 2.0
"""How long a call that is not idempotent waits for a restart. None is lost: it was not sent yet."""

_Outcome: TypeAlias = UpstreamConnection | ToolboothError


class ManagedConnection:
    """One server instance's connection, started on first use, and what outlives it."""

    def __init__(
        self,
        key: InstanceKey,
        hooks: UpstreamHooks,
        client_features: ClientFeatures,
        timing: Timing,
        on_state_changed: Callable[[ManagedConnection], None],
    ) -> None:
        self.key = key
        self.state = ServerState.IDLE
        self.failure: Failure | None = None
        """Why it is in its state."""
        self._hooks = hooks
        self._client_features = client_features
        self._timing = timing
        self._on_state_changed = on_state_changed
        self._ready: UpstreamConnection | None = None
        """The open connection, with its subscriptions: the fast path of `request`."""
        self._limiter = RequestLimiter(lambda: self._run_options.max_concurrent_calls)
        self._subscribed: set[str] = set()
        """The URIs it is subscribed to, also over its next connections."""
        self._closed = False
        self._opened: asyncio.Future[_Outcome] | None = None
        self._current: asyncio.Task[None] | None = None
        """The task that may be cancelled, once: it opens a connection or keeps one."""
        self._runs: set[asyncio.Task[None]] = set()
        """The current task and those that are still closing, which must not be disturbed."""
        self._waiting = 0
        """Callers that wait for the end of a run or a pause to start the next run."""
        self._borrowers = 0
        self._kept = False
        self._restart_policy = RestartPolicy(timing.clock, timing.random)
        self._pause_failure: UpstreamFailed | None = None
        self._pause: asyncio.Task[None] | None = None
        self._sse_worked: bool | None = None

    @property
    def live(self) -> UpstreamConnection | None:
        """The connection there is now, if it works."""
        opened = self._opened
        outcome = opened.result() if opened is not None and opened.done() else None
        return outcome if isinstance(outcome, UpstreamConnection) and not outcome.closed else None

    @property
    def in_use(self) -> bool:
        """Whether there is a connection or will be, or a failure still delays the next start."""
        starting = bool(self._runs) or self._limiter.in_use or self._pause is not None
        return starting or self._waiting > 0 or self._restart_policy.pause_left_s > 0

    @property
    def _is_ended(self) -> bool:
        """Whether there is no connection that works, nor one that is being opened."""
        return self._opened is None or _is_dead(self._opened)

    async def request(
        self, method: str, params: JsonObject | None, options: CallOptions
    ) -> JsonObject:
        await self._limiter.acquire(options.timeout_s)
        try:
            connection = self._ready
            if connection is None or connection.closed:
                connection = await self._connect(options)
            try:
                result = await connection.request(method, params, options)
            except UpstreamFailed:
                self._replace_if_stuck(connection, options)
                raise
        finally:
            self._limiter.release()
        self._restart_policy.succeeded()
        if method == "resources/subscribe" and params is not None:
            self._subscribed.add(params["uri"])
        return result

    def _replace_if_stuck(self, connection: UpstreamConnection, options: CallOptions) -> None:
        """Kill a process that does nothing any more: the next use starts another one."""
        if connection.is_stuck and isinstance(connection.transport, StdioTransport):
            connection.transport.kill(Failure(FailureKind.STUCK, f"{options.timeout_s:g} s"))

    async def unsubscribe(self, uri: str) -> None:
        """Nobody is subscribed to the resource any more; starts nothing."""
        if uri in self._subscribed:
            self._subscribed.discard(uri)
            if self._ready is not None and not self._ready.closed:
                params = {"uri": uri}
                await self._ready.request("resources/unsubscribe", params, _SUBSCRIBE_OPTIONS)

    async def _connect(self, options: CallOptions) -> UpstreamConnection:
        if options.on_progress is not None:
            message = f"Starting {self._run_options.name or self.key.ref.server}…"
            await options.on_progress({"progress": 0, "message": message})
        connection = await self.connection(patience_s=_patience_s(options))
        if not connection.closed and self._ready is not connection:
            self._ready = connection
            await self._restore_subscriptions(connection)
        return connection

    async def _restore_subscriptions(self, connection: UpstreamConnection) -> None:
        """Subscribe a new connection to the resources of its predecessor."""
        for uri in tuple(self._subscribed):
            try:
                await connection.request("resources/subscribe", {"uri": uri}, _SUBSCRIBE_OPTIONS)
            except ToolboothError as error:
                log.debug("%s refused a subscription to %s: %s", self.key.ref.server, uri, error)

    async def connection(self, *, keep: bool = True, patience_s: float = 0) -> UpstreamConnection:
        """The connection, started if there is none; with `keep` it outlives its borrowers.

        It waits for the end of a pause that has no more than `patience_s` left. Raises
        `UpstreamFailed`, or what `launch` raised.
        """
        opened = self._opened
        if opened is not None and _is_dead(opened) and self._runs:
            await self._wait_for(self._runs)  # how it ends decides whether it may start again
        if self._is_ended and self._restart_policy.pause_left_s > 0:
            await self._wait_for_start(patience_s)
        opened = self._opened
        if opened is None or _is_dead(opened):
            if self._closed:
                raise failed(ROUTER_STOPPING)
            self._kept = False
            opened = self._begin()
        self._kept |= keep
        outcome = await asyncio.shield(opened)
        if isinstance(outcome, ToolboothError):
            raise outcome.with_traceback(None)
        return outcome

    async def _wait_for_start(self, patience_s: float) -> None:
        """Wait until it may be started again, or raise why it may not."""
        if self._pause is not None and self._restart_policy.pause_left_s <= patience_s:
            await self._wait_for([self._pause])
        elif self._pause_failure is not None and not self._closed:
            raise self._pause_failure.with_traceback(None)

    async def _wait_for(self, tasks: Collection[asyncio.Task[None]]) -> None:
        self._waiting += 1
        try:
            await asyncio.wait(list(tasks))
        finally:
            self._waiting -= 1

    @asynccontextmanager
    async def borrowed(self) -> AsyncGenerator[UpstreamConnection]:
        """The connection for a while; the last borrower stops it unless it is kept."""
        self._borrowers += 1
        try:
            yield await self.connection(keep=False)
        finally:
            self._borrowers -= 1
            if not self._borrowers and not self._kept and not self._always:
                await self._stop()

    def start(self) -> None:
        """Connect in the background, unless it is connected or in a pause."""
        self._kept = True
        pausing = self._restart_policy.pause_left_s > 0
        if not pausing and self._is_ended:
            self._begin()

    def reset_failures(self) -> None:
        """Allow a new start now: the user asked for it."""
        self._restart_policy.reset()
        self._pause_failure = None

    async def stop(self) -> None:
        """Close the connection, if there is one, and return when it is closed. A use meanwhile
        starts a new one."""
        self.reset_failures()
        if self._end_pause():
            self._set_state(ServerState.IDLE)
        await self._stop()

    async def close(self) -> None:
        """As `stop`; from now on nothing starts."""
        self._closed = True
        await self.stop()

    async def _stop(self) -> None:
        opened, self._opened = self._opened, None
        ends_by_itself = opened is not None and _is_dead(opened)  # and then reports the reason
        if self._current is not None and not ends_by_itself:
            self._current.cancel()
            self._current = None
        if self._runs:
            await asyncio.wait(list(self._runs))

    def _begin(self) -> asyncio.Future[_Outcome]:
        self._end_pause()
        opened: asyncio.Future[_Outcome] = asyncio.get_running_loop().create_future()
        name = f"upstream {self.key.ref.server}"
        run = spawn(self._run(opened, list(self._runs)), name=name, group=self._runs)
        self._current = run
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
        await self._keep_open(connection)

    async def _open(self) -> UpstreamConnection:
        ref = self.key.ref
        try:
            plan = await self._hooks.launch(ref, self.key.folder)
        except UpstreamFailed as error:
            if error.failure.kind not in _PUBLISHED_ELSEWHERE:
                self._set_state(_state_after(error.failure), error.failure)
            raise
        self._set_state(ServerState.CONNECTING)
        try:
            connection = await open_upstream(
                plan,
                on_notification=self._notified,
                on_stderr=partial(self._hooks.on_stderr, ref),
                client_features=self._client_features,
                sse_worked=self._sse_worked,
            )
        except UpstreamFailed as error:
            self._fail(error)
            raise
        except asyncio.CancelledError:
            self._set_state(ServerState.IDLE)
            raise
        if plan.config.url:
            self._sse_worked = isinstance(connection.transport, HttpSseTransport)
        return connection

    def _notified(self, method: str, params: JsonObject) -> None:
        if method == "notifications/resources/updated":
            self._hooks.on_resource_updated(self.key.ref, self.key.session, params)
        else:
            self._hooks.on_notification(self.key.ref, method, params)

    async def _keep_open(self, connection: UpstreamConnection) -> None:
        """Keep `connection` until it fails, has been idle for too long, or is stopped."""
        failure: Failure | None = None
        try:
            self._pause_failure = None
            self._restart_policy.ready()
            self._set_state(ServerState.READY)
            failure = await self._until_ended(connection)
        finally:
            if self._current is asyncio.current_task():
                self._current = None
            self._ready = None
            if failure is not None and not self._always and _was_expected(failure, connection):
                failure = None
            await connection.close()
            if failure is None:
                self._set_state(ServerState.IDLE)
            else:
                self._fail(failed(failure))

    async def _until_ended(self, connection: UpstreamConnection) -> Failure | None:
        """The failure that ended it, or `None` if it was idle for too long."""
        while (left_s := self._idle_left_s(connection)) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    return await connection.wait_closed()
        return None

    def _idle_left_s(self, connection: UpstreamConnection) -> float:
        """For how long it may remain idle."""
        limit_s = self._run_options.idle_timeout_s
        return limit_s if self._borrowers or self._always else limit_s - connection.idle_s

    @property
    def _always(self) -> bool:
        return self._run_options.lifecycle is Lifecycle.ALWAYS

    @property
    def _run_options(self) -> RunOptions:
        return self._hooks.run_options(self.key.ref)

    def _set_state(self, state: ServerState, failure: Failure | None = None) -> None:
        self.state, self.failure = state, failure
        self._on_state_changed(self)

    # Failing

    def _fail(self, error: UpstreamFailed) -> None:
        """Refuse further starts with `error` for a while, and publish the state that follows."""
        failure, restart_policy = error.failure, self._restart_policy
        self._pause_failure = error
        if failure.kind is FailureKind.SIGN_IN_NEEDED:  # not a crash: it needs the user
            restart_policy.sign_in_needed()
            self._set_state(_state_after(failure), failure)
            return
        pause_s = restart_policy.failed()
        if pause_s > 0:
            self._postpone(error, pause_s)
        if restart_policy.breaker_open:
            self._set_state(ServerState.FAILED, error.failure)
            if restart_policy.breaker_just_opened:
                self._hooks.on_given_up(self.key.ref, error.failure)
            return
        self._set_state(
            ServerState.BACKING_OFF if pause_s > 0 else ServerState.FAILED, error.failure
        )
        if not self._closed and (pause_s > 0 or self._always):
            name = f"pause {self.key.ref.server}"
            self._pause = spawn(self._wait_for_retry(failure, pause_s), name=name)

    def _postpone(self, error: UpstreamFailed, pause_s: float) -> None:
        retry_at = utc_now() + timedelta(seconds=pause_s)
        error.failure = replace(error.failure, retry_at=retry_at)
        error.hint = f"{error.hint} {not_before(retry_at)}".strip()

    async def _wait_for_retry(self, failure: Failure, pause_s: float) -> None:
        """Wait until it may be started again; with the lifecycle `always`, start it."""
        await self._timing.sleep(pause_s)
        self._pause = None
        if not self._is_ended:
            return
        if self._always:
            self._kept = True
            self._begin()
        elif pause_s > 0:
            self._set_state(ServerState.FAILED, failure)

    def _end_pause(self) -> bool:
        """Whether there was one."""
        pause, self._pause = self._pause, None
        return pause is not None and pause.cancel()


def _patience_s(options: CallOptions) -> float:
    """How long a call waits until its server may be started again."""
    timeout_s = inf if options.timeout_s is None else options.timeout_s
    return timeout_s if options.idempotent else min(timeout_s, _PATIENCE_S)


def _is_dead(opened: asyncio.Future[_Outcome]) -> bool:
    if not opened.done():
        return False
    outcome = opened.result()
    return isinstance(outcome, ToolboothError) or outcome.closed


def _was_expected(failure: Failure, connection: UpstreamConnection) -> bool:
    """A server may exit when it has nothing to do, or close a connection that is not used."""
    exited_normally = failure.kind is FailureKind.EXITED and failure.subject == "code 0"
    was_closed = failure.kind is FailureKind.UNREACHABLE
    return (exited_normally or was_closed) and connection.closed_while_idle


def _state_after(failure: Failure) -> ServerState:
    needs_user = failure.kind is FailureKind.SIGN_IN_NEEDED
    return ServerState.NEEDS_SIGN_IN if needs_user else ServerState.FAILED
