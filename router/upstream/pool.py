"""All upstreams: connects a server on its first use, and keeps or stops it afterwards.

A server has one upstream for all clients, or one for each session or folder, as its run
options say. Once connected, a request is one dictionary lookup away from its connection. The pool
sends each request once: one whose upstream died fails, and the next request starts the server
again. Whether a lost request is sent again is decided by its sender (`gateway/tools/execution.py`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from router.config.server import Lifecycle, Sharing
from router.domain.errors import ToolboothError, UpstreamAnsweredError
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.servers import ProcessFacts, ServerState
from router.runtime.tasks import spawn
from router.upstream.connection import StreamableHttpConnection
from router.upstream.errors import failed
from router.upstream.hooks import DEFAULT_TIMING, Timing, UpstreamHooks
from router.upstream.instance_key import InstanceKey, client_features_for, instance_key_for
from router.upstream.managed_connection import ROUTER_STOPPING, ManagedConnection
from router.upstream.ports import NO_OPTIONS, CallOptions, ClientPeer, SessionId, Upstream
from router.upstream.process.monitor import ProcessMonitor
from router.upstream.process.stdio import StdioTransport

log = logging.getLogger(__name__)

_CLOSE_TIMEOUT_S = 3.0
PING_TIMEOUT_S = 5.0
"""A server that does not answer in this time after a sleep counts as lost."""
_BY_RELEVANCE = (
    ServerState.READY,
    ServerState.CONNECTING,
    ServerState.NEEDS_SIGN_IN,
    ServerState.BACKING_OFF,
    ServerState.FAILED,
    ServerState.IDLE,
)
"""The states of a server's upstreams, in the order in which they say most about the server."""


class UpstreamPool:
    """Implements `ports.Upstreams`."""

    def __init__(self, hooks: UpstreamHooks, timing: Timing = DEFAULT_TIMING) -> None:
        self._hooks = hooks
        self._run_options = hooks.run_options
        self._timing = timing
        self._managed: dict[InstanceKey, ManagedConnection] = {}
        self._stopping = False
        self._monitor = ProcessMonitor(
            self._processes, lambda ref: self._run_options(ref).memory_limit_mb, timing.sleep
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
        managed = self._managed.get(key) or self._new_managed(key, client)
        return await managed.request(method, params, options)

    async def unsubscribe(self, ref: ServerRef, uri: str) -> None:
        for managed in self._managed_of(ref):
            await managed.unsubscribe(uri)

    def is_live(self, ref: ServerRef) -> bool:
        """Whether the server runs, or is reached, right now."""
        return any(managed.live for managed in self._managed_of(ref))

    @asynccontextmanager
    async def borrow(self, ref: ServerRef) -> AsyncGenerator[Upstream]:
        # One that is connected, if there is one: all upstreams of a server list the same.
        connected = (managed for managed in self._managed_of(ref) if managed.live)
        async with (next(connected, None) or self._shared(ref)).borrowed() as connection:
            yield connection

    def start(self, ref: ServerRef) -> None:
        """Connect a server in the background, as its lifecycle says; how that ends is published as
        its state. One that each session or folder has for itself is connected when it is used."""
        run_options = self._run_options(ref)
        shared = run_options.sharing is Sharing.SHARED and not run_options.follows_client
        if not self._stopping and shared:
            self._shared(ref).start()

    def reset_failures(self, ref: ServerRef) -> None:
        """Allow a new try now, however often the server failed: the user asked for it."""
        for managed in self._managed_of(ref):
            managed.reset_failures()

    def idle_s(self, ref: ServerRef) -> float | None:
        """For how long no connection of a server has been used; None if it has none."""
        connections = [managed.live for managed in self._managed_of(ref)]
        return min((each.idle_s for each in connections if each is not None), default=None)

    async def measure(self) -> dict[ServerRef, ProcessFacts]:
        """The resource usage of the running servers, summed for each server."""
        return await self._monitor.measure()

    async def recheck(self) -> None:
        """After a sleep of the computer: close HTTP connections whose server does not answer, so
        that the next use connects again. Processes slept along with us."""
        await asyncio.gather(*map(self._recheck, tuple(self._managed.values())))

    async def _recheck(self, managed: ManagedConnection) -> None:
        connection, ref = managed.live, managed.key.ref
        if not isinstance(connection, StreamableHttpConnection):
            return
        try:
            await connection.request("ping", options=CallOptions(PING_TIMEOUT_S))
        except UpstreamAnsweredError:
            return  # an error is an answer too
        except ToolboothError as error:
            log.info("%s does not answer, its connection is closed: %s", ref.server, error)
            await self._stop(managed)
            if self._run_options(ref).lifecycle is Lifecycle.ALWAYS:
                self.start(ref)

    async def disconnect(self, ref: ServerRef) -> None:
        """Stop a server if it runs; its next use starts it again, with a new plan."""
        for managed in self._managed_of(ref):
            await self._stop(managed)

    async def end_session(self, session: SessionId) -> None:
        for managed in tuple(self._managed.values()):
            if managed.key.session == session:
                await self._stop(managed)

    async def close(self) -> None:
        """Stop all servers side by side; from now on none starts."""
        self._stopping = True
        await self._monitor.close()
        for _, process in self._processes():
            process.shorten_grace()
        closing = [
            spawn(managed.close(), name="close upstream") for managed in self._managed.values()
        ]
        if closing:
            _, late = await asyncio.wait(closing, timeout=_CLOSE_TIMEOUT_S)
            if late:
                log.error("%d upstreams did not close in time", len(late))

    async def _stop(self, managed: ManagedConnection) -> None:
        await managed.stop()
        self._drop_unused(managed)

    def _drop_unused(self, managed: ManagedConnection) -> None:
        """Forget an upstream that only some clients had, once it is gone for good."""
        key = managed.key
        if not key.is_shared and not managed.in_use and self._managed.get(key) is managed:
            del self._managed[key]

    def _processes(self) -> list[tuple[ServerRef, StdioTransport]]:
        """The running processes, with the server of each."""
        live = [(key.ref, managed.live) for key, managed in self._managed.items()]
        return [
            (ref, connection.transport)
            for ref, connection in live
            if connection is not None and isinstance(connection.transport, StdioTransport)
        ]

    def _state_changed(self, changed: ManagedConnection) -> None:
        """Publish the state of a server: that of its upstream that says most about it."""
        if changed.state is ServerState.READY:
            self._monitor.enforce_limits()
        ref = changed.key.ref
        shown = min(
            self._managed_of(ref), key=lambda each: _BY_RELEVANCE.index(each.state), default=None
        )
        if shown is None:
            self._hooks.publish_state(ref, ServerState.IDLE, None)
        else:
            self._hooks.publish_state(ref, shown.state, shown.failure)

    def _managed_of(self, ref: ServerRef) -> list[ManagedConnection]:
        return [managed for key, managed in self._managed.items() if key.ref == ref]

    def _shared(self, ref: ServerRef) -> ManagedConnection:
        key = InstanceKey(ref)
        return self._managed.get(key) or self._new_managed(key)

    def _new_managed(self, key: InstanceKey, client: ClientPeer | None = None) -> ManagedConnection:
        """Raises `UpstreamFailed` if none may be started now."""
        if self._stopping:
            raise failed(ROUTER_STOPPING)
        self._check_session_limit(key)
        client_features = client_features_for(key, self._run_options(key.ref), client)
        managed = ManagedConnection(
            key, self._hooks, client_features, self._timing, self._state_changed
        )
        self._managed[key] = managed
        return managed

    def _check_session_limit(self, key: InstanceKey) -> None:
        """Raises `UpstreamFailed` if the maximum of sessions and folders have an upstream."""
        if key.is_shared:
            return
        for other in self._managed_of(key.ref):
            self._drop_unused(other)
        others = [other for other in self._managed_of(key.ref) if not other.key.is_shared]
        if len(others) >= self._run_options(key.ref).max_sessions:
            raise failed(Failure(FailureKind.TOO_MANY_SESSIONS, str(len(others))))
