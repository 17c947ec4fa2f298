"""All upstreams: connects a server on its first use, and keeps or stops it afterwards.

A server has one upstream for all clients, or one for each session or folder, as its run
options say. Once connected, a request is one dictionary lookup away from its connection. The pool
sends each request once: one whose upstream died fails, and the next request starts the server
again. Whether a lost request is sent again is decided by its sender (`gateway/tools/execution.py`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from router.config.server import Lifecycle, Sharing
from router.domain.errors import ToolboothError, UpstreamAnsweredError
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.servers import ProcessFacts, ServerState
from router.runtime.tasks import spawn
from router.upstream.connect import LaunchPlan
from router.upstream.connection import HttpConnection, UpstreamConnection
from router.upstream.errors import failed
from router.upstream.instance_key import (
    InstanceKey,
    client_features_for,
    instance_key_for,
    most_relevant_state,
)
from router.upstream.managed_connection import (
    DEFAULT_TIMING,
    ConnectionHooks,
    ManagedConnection,
    Timing,
)
from router.upstream.ports import NO_OPTIONS, CallOptions, ClientPeer, SessionId, Upstream
from router.upstream.process.monitor import ProcessMonitor, combined_facts
from router.upstream.process.stdio import StdioTransport
from router.upstream.request_limiter import RequestLimiter
from router.upstream.run_options import RunOptions

__all__ = ["LaunchPlan", "PoolHooks", "RunOptions", "Timing", "UpstreamPool"]

log = logging.getLogger(__name__)

_CLOSE_TIMEOUT_S = 3.0
PING_TIMEOUT_S = 5.0
"""A server that does not answer in this time after a sleep is taken for gone."""
_SUBSCRIBE_OPTIONS = CallOptions(timeout_s=5.0)
_STOPPING = Failure(FailureKind.OTHER, detail="Toolbooth is stopping")


@dataclass(slots=True)
class PoolHooks:
    """What the pool calls, on the loop. Only `launch` may raise."""

    launch: Callable[[ServerRef, str | None], Awaitable[LaunchPlan]]
    """Called at every start, so that secrets are resolved only then, with the folder of the client
    if the server works there. Raises `UpstreamFailed` for a server that may not run."""
    publish_state: Callable[[ServerRef, ServerState, Failure | None], None]
    on_notification: Callable[[ServerRef, str, JsonObject], None]
    on_resource_updated: Callable[[ServerRef, SessionId | None, JsonObject], None] = (
        lambda _ref, _session, _params: None
    )
    """With the session if only that one uses the upstream; the endpoint sets it."""
    on_stderr: Callable[[ServerRef, str], None] = lambda _ref, _line: None
    on_given_up: Callable[[ServerRef, Failure], None] = lambda _ref, _failure: None
    run_options: Callable[[ServerRef], RunOptions] = lambda _: RunOptions()


class UpstreamPool:
    """Implements `ports.Upstreams`."""

    def __init__(self, hooks: PoolHooks, timing: Timing = DEFAULT_TIMING) -> None:
        self._hooks = hooks
        self._run_options = hooks.run_options
        self._timing = timing
        self._managed: dict[InstanceKey, ManagedConnection] = {}
        self._limiters: dict[InstanceKey, RequestLimiter] = {}
        self._states: dict[InstanceKey, tuple[ServerState, Failure | None]] = {}
        self._subscribed: dict[InstanceKey, set[str]] = {}
        """The URIs each upstream is subscribed to, also over its next connections."""
        self._ready: dict[InstanceKey, UpstreamConnection] = {}
        """Open connections: the fast path of `request`."""
        self._stopping = False
        self._monitor = ProcessMonitor(
            self._processes, lambda key: self._run_options(key.ref).memory_limit_mb, timing.sleep
        )

    async def request(
        self,
        ref: ServerRef,
        method: str,
        params: JsonObject | None = None,
        options: CallOptions = NO_OPTIONS,
    ) -> JsonObject:
        run_options, client = self._run_options(ref), options.client
        if run_options.follows_client and client is not None and client.folder is None:
            await client.find_folder()
        key = instance_key_for(ref, run_options, client)
        limiter = self._limiter(key)
        await limiter.acquire(options.timeout_s)
        try:
            connection = self._ready.get(key)
            if connection is None or connection.closed:
                connection = await self._connect(key, options)
            result = await connection.request(method, params, options)
        finally:
            limiter.release()
        if method == "resources/subscribe" and params is not None:
            self._subscribed.setdefault(key, set()).add(params["uri"])
        return result

    async def unsubscribe(self, ref: ServerRef, uri: str) -> None:
        for key, uris in tuple(self._subscribed.items()):
            if key.ref != ref or uri not in uris:
                continue
            uris.discard(uri)
            if (connection := self._ready.get(key)) is not None and not connection.closed:
                await connection.request("resources/unsubscribe", {"uri": uri}, _SUBSCRIBE_OPTIONS)

    def is_live(self, ref: ServerRef) -> bool:
        """Whether the server runs, or is reached, right now."""
        return any(key.ref == ref for key in self._live())

    @asynccontextmanager
    async def borrow(self, ref: ServerRef) -> AsyncGenerator[Upstream]:
        async with self._any_managed(ref).borrowed() as connection:
            yield connection

    def start(self, ref: ServerRef) -> None:
        """Connect a server in the background, as its lifecycle says; the published state tells the
        rest. One that each session or folder has for itself is connected when it is used."""
        run_options = self._run_options(ref)
        shared = run_options.sharing is Sharing.SHARED and not run_options.follows_client
        if not self._stopping and shared:
            self._managed_connection(InstanceKey(ref)).start()

    def reset_failures(self, ref: ServerRef) -> None:
        """Allow a new try now, however often the server failed: the user asked for it."""
        for managed in self._managed_of(ref).values():
            managed.reset_failures()

    def idle_s(self, ref: ServerRef) -> float | None:
        """For how long no connection of a server has been used; None if it has none."""
        live = self._live().items()
        return min((connection.idle_s for key, connection in live if key.ref == ref), default=None)

    async def measure(self) -> dict[ServerRef, ProcessFacts]:
        """The resource usage of the running servers, summed for each server."""
        servers: dict[ServerRef, ProcessFacts] = {}
        for key, facts in (await self._monitor.measure()).items():
            known = servers.get(key.ref)
            servers[key.ref] = facts if known is None else combined_facts(known, facts)
        return servers

    async def recheck(self) -> None:
        """After a sleep of the computer: close HTTP connections whose server does not answer, so
        that the next use connects again. Processes slept along with us."""
        live = self._live().items()
        await asyncio.gather(
            *(self._recheck(key, each) for key, each in live if isinstance(each, HttpConnection))
        )

    async def _recheck(self, key: InstanceKey, connection: UpstreamConnection) -> None:
        try:
            await connection.request("ping", options=CallOptions(PING_TIMEOUT_S))
        except UpstreamAnsweredError:
            return  # an error is an answer too
        except ToolboothError as error:
            log.info("%s does not answer, its connection is closed: %s", key.ref.server, error)
            await self._stop(key)
            if self._run_options(key.ref).lifecycle is Lifecycle.ALWAYS:
                self.start(key.ref)

    async def disconnect(self, ref: ServerRef) -> None:
        """Stop a server if it runs; its next use starts it again, with a new plan."""
        for key in self._managed_of(ref):
            await self._stop(key)

    async def end_session(self, session: SessionId) -> None:
        for key in [key for key in self._managed if key.session == session]:
            await self._stop(key)

    async def close(self) -> None:
        """Stop all servers side by side; from now on none starts."""
        self._stopping = True
        await self._monitor.close()
        for process in self._processes().values():
            process.shorten_grace()
        stops = [spawn(managed.stop(), name="stop upstream") for managed in self._managed.values()]
        if stops:
            _, late = await asyncio.wait(stops, timeout=_CLOSE_TIMEOUT_S)
            if late:
                log.error("%d upstreams did not close in time", len(late))

    async def _connect(self, key: InstanceKey, options: CallOptions) -> UpstreamConnection:
        if options.on_progress is not None:
            name = self._run_options(key.ref).name or key.ref.server
            await options.on_progress({"progress": 0, "message": f"Starting {name}…"})
        connection = await self._managed_connection(key, options.client).connection()
        if not connection.closed and self._ready.get(key) is not connection:
            self._ready[key] = connection
            await self._restore(key, connection)
        return connection

    async def _restore(self, key: InstanceKey, connection: UpstreamConnection) -> None:
        """Subscribe a new connection to the resources of its predecessor."""
        for uri in tuple(self._subscribed.get(key, ())):
            try:
                await connection.request("resources/subscribe", {"uri": uri}, _SUBSCRIBE_OPTIONS)
            except ToolboothError as error:
                log.debug("%s refused a subscription to %s: %s", key.ref.server, uri, error)

    def _notified(self, key: InstanceKey, method: str, params: JsonObject) -> None:
        if method == "notifications/resources/updated":
            self._hooks.on_resource_updated(key.ref, key.session, params)
        else:
            self._hooks.on_notification(key.ref, method, params)

    async def _stop(self, key: InstanceKey) -> None:
        if (managed := self._managed.get(key)) is not None:
            await managed.stop()
            self._drop_unused(key)

    def _drop_unused(self, key: InstanceKey) -> None:
        """Forget an upstream that only some clients had, once it is gone for good."""
        managed = self._managed.get(key)
        if managed is not None and not key.is_shared and not managed.in_use:
            del self._managed[key]
            self._limiters.pop(key, None)
            self._states.pop(key, None)
            self._subscribed.pop(key, None)

    def _limiter(self, key: InstanceKey) -> RequestLimiter:
        if (limiter := self._limiters.get(key)) is None:
            limiter = RequestLimiter(lambda: self._run_options(key.ref).max_concurrent_calls)
            self._limiters[key] = limiter
        return limiter

    def _live(self) -> dict[InstanceKey, UpstreamConnection]:
        managed = self._managed.items()
        return {key: live for key, each in managed if (live := each.live) is not None}

    def _processes(self) -> dict[InstanceKey, StdioTransport]:
        transports = {key: connection.transport for key, connection in self._live().items()}
        return {key: each for key, each in transports.items() if isinstance(each, StdioTransport)}

    def _state_changed(self, key: InstanceKey, state: ServerState, failure: Failure | None) -> None:
        if state is ServerState.READY:
            self._monitor.enforce_limits()
        self._states[key] = (state, failure)
        if key.is_shared and len(self._managed_of(key.ref)) == 1:
            self._hooks.publish_state(key.ref, state, failure)
            return
        states = [self._states[each] for each in self._managed_of(key.ref) if each in self._states]
        self._hooks.publish_state(key.ref, *most_relevant_state(states))

    def _managed_of(self, ref: ServerRef) -> dict[InstanceKey, ManagedConnection]:
        return {key: managed for key, managed in self._managed.items() if key.ref == ref}

    def _any_managed(self, ref: ServerRef) -> ManagedConnection:
        """One that is connected, if there is one: all upstreams of a server list the same."""
        connected = (managed for managed in self._managed_of(ref).values() if managed.live)
        return next(connected, None) or self._managed_connection(InstanceKey(ref))

    def _managed_connection(
        self, key: InstanceKey, client: ClientPeer | None = None
    ) -> ManagedConnection:
        if self._stopping:
            raise failed(_STOPPING)
        if key not in self._managed:
            self._check_room(key)
            self._managed[key] = ManagedConnection(self._hooks_of(key, client))
        return self._managed[key]

    async def _plan(self, key: InstanceKey) -> LaunchPlan:
        if self._stopping:  # this start waited for the end of the previous run
            raise failed(_STOPPING)
        return await self._hooks.launch(key.ref, key.folder)

    def _check_room(self, key: InstanceKey) -> None:
        """Raises `UpstreamFailed` if the maximum of sessions and folders have an upstream."""
        if key.is_shared:
            return
        for other in self._managed_of(key.ref):
            self._drop_unused(other)
        others = [other for other in self._managed_of(key.ref) if not other.is_shared]
        if len(others) >= self._run_options(key.ref).max_sessions:
            raise failed(Failure(FailureKind.TOO_MANY_SESSIONS, str(len(others))))

    def _hooks_of(self, key: InstanceKey, client: ClientPeer | None) -> ConnectionHooks:
        ref, hooks = key.ref, self._hooks
        return ConnectionHooks(
            name=ref.server,
            launch=partial(self._plan, key),
            publish_state=partial(self._state_changed, key),
            on_notification=partial(self._notified, key),
            on_stderr=partial(hooks.on_stderr, ref),
            on_ended=lambda: self._ready.pop(key, None),
            on_given_up=partial(hooks.on_given_up, ref),
            run_options=partial(hooks.run_options, ref),
            client_features=client_features_for(key, hooks.run_options(ref), client),
            timing=self._timing,
        )
