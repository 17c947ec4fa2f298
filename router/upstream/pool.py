"""All upstreams: connects a server on its first use, and keeps or stops it afterwards.

A server has one upstream for all clients, or one for each session or folder, as its terms say. Once
connected, a request is one dictionary lookup away from its connection. A call is never sent twice:
one whose upstream died fails, and the next call starts the server again.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

from router.config.server import Lifecycle, Sharing
from router.domain.errors import ToolboothError, UpstreamAnsweredError
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.servers import ProcessFacts, ServerState
from router.runtime.tasks import spawn
from router.upstream.connection import Connection, HttpConnection, ProcessConnection
from router.upstream.errors import failed
from router.upstream.instance_key import Place, audience_of, most_telling, place_of
from router.upstream.managed_connection import LaunchPlan, Owner, Surroundings
from router.upstream.ports import ProgressSink, Requester, SessionId, Upstream
from router.upstream.process.monitor import ProcessMonitor, combined_facts
from router.upstream.request_limiter import Turnstile
from router.upstream.run_options import Terms

__all__ = ["LaunchPlan", "Terms", "UpstreamPool"]

log = logging.getLogger(__name__)

_CLOSE_TIMEOUT_S = 3.0
_ASIDE_S = 5.0
ANSWERS_WITHIN_S = 5.0
"""What does not after a sleep is taken for gone."""
_STOPPING = Failure(FailureKind.OTHER, detail="Toolbooth is stopping")


def _ignore_line(_ref: ServerRef, _line: str) -> None:
    """The lines a server writes to stderr are of no interest."""


def _ignore_giving_up(_ref: ServerRef, _failure: Failure) -> None:
    """The state tells enough."""


def _ignore_update(_ref: ServerRef, _session: SessionId | None, _params: JsonObject) -> None:
    """Nobody has subscribed to anything."""


def _usual_terms(_ref: ServerRef) -> Terms:
    return Terms()


class UpstreamPool:
    """Implements `exchange.Upstreams`.

    `launch` is asked at every start, so that secrets are resolved only then, with the folder of the
    client if the server works there; it raises `UpstreamFailed` for a server that may not run. The
    callbacks run on the loop and never raise.
    """

    def __init__(
        self,
        launch: Callable[[ServerRef, str | None], Awaitable[LaunchPlan]],
        publish_state: Callable[[ServerRef, ServerState, Failure | None], None],
        on_notification: Callable[[ServerRef, str, JsonObject], None],
        on_resource_updated: Callable[
            [ServerRef, SessionId | None, JsonObject], None
        ] = _ignore_update,
        on_stderr: Callable[[ServerRef, str], None] = _ignore_line,
        on_given_up: Callable[[ServerRef, Failure], None] = _ignore_giving_up,
        terms: Callable[[ServerRef], Terms] = _usual_terms,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._launch = launch
        self._publish_state = publish_state
        self._on_notification = on_notification
        self._on_resource_updated = on_resource_updated
        self._on_stderr = on_stderr
        self._on_given_up = on_given_up
        self._terms = terms
        self._clock = clock
        self._sleep = sleep
        self._chance = chance
        self._owners: dict[Place, Owner] = {}
        self._turnstiles: dict[Place, Turnstile] = {}
        self._states: dict[Place, tuple[ServerState, Failure | None]] = {}
        self._subscribed: dict[Place, set[str]] = {}
        """The resources each upstream shall tell about, through all its connections."""
        self._ready: dict[Place, Connection] = {}
        """Connections that are kept: the short way of `request`."""
        self._stopping = False
        self._watch = ProcessMonitor(
            self._processes, lambda place: terms(place.ref).memory_limit_mb, sleep=sleep
        )

    async def request(
        self,
        ref: ServerRef,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
        requester: Requester | None = None,
    ) -> JsonObject:
        terms = self._terms(ref)
        if terms.follows_client and requester is not None and requester.folder is None:
            await requester.locate()
        place = place_of(ref, terms, requester)
        turnstile = self._turnstile(place)
        await turnstile.enter(timeout_s)
        try:
            connection = self._ready.get(place)
            if connection is None or connection.closed:
                connection = await self._connect(place, on_progress, requester)
            result = await connection.request(
                method, params, on_progress=on_progress, timeout_s=timeout_s, requester=requester
            )
        finally:
            turnstile.leave()
        if method == "resources/subscribe" and params is not None:
            self._subscribed.setdefault(place, set()).add(params["uri"])
        return result

    async def unsubscribe(self, ref: ServerRef, address: str) -> None:
        for place, addresses in tuple(self._subscribed.items()):
            if place.ref != ref or address not in addresses:
                continue
            addresses.discard(address)
            if (connection := self._ready.get(place)) is not None and not connection.closed:
                params = {"uri": address}
                await connection.request("resources/unsubscribe", params, timeout_s=_ASIDE_S)

    def is_live(self, ref: ServerRef) -> bool:
        """Whether the server runs, or is reached, right now."""
        return any(owner.live is not None for owner in self._owners_of(ref).values())

    @asynccontextmanager
    async def borrow(self, ref: ServerRef) -> AsyncGenerator[Upstream]:
        async with self._any_owner(ref).borrowed() as connection:
            yield connection

    def start(self, ref: ServerRef) -> None:
        """Connect a server in the background, as its lifecycle asks; the state tells the rest. One
        that each session or folder has for itself is connected when it is used."""
        terms = self._terms(ref)
        common = terms.sharing is Sharing.SHARED and not terms.follows_client
        if not self._stopping and common:
            self._owner(Place(ref)).start()

    def forgive(self, ref: ServerRef) -> None:
        """A person wants a server tried again now, however often it failed."""
        for owner in self._owners_of(ref).values():
            owner.forgive()

    def idle_s(self, ref: ServerRef) -> float | None:
        """For how long nobody has used any connection of a server; None if it has none."""
        live = (owner.live for owner in self._owners_of(ref).values())
        return min((connection.idle_s for connection in live if connection), default=None)

    async def measure(self) -> dict[ServerRef, ProcessFacts]:
        """What the processes of the running servers use, combined per server."""
        servers: dict[ServerRef, ProcessFacts] = {}
        for place, facts in (await self._watch.measure()).items():
            known = servers.get(place.ref)
            servers[place.ref] = facts if known is None else combined_facts(known, facts)
        return servers

    async def recheck(self) -> None:
        """The computer slept, and what it was connected to may not know it any more: let go what
        does not answer, so that the next use connects anew. Processes of ours slept with it."""
        live = {place: owner.live for place, owner in self._owners.items()}
        remote = {p: c for p, c in live.items() if isinstance(c, HttpConnection)}
        await asyncio.gather(*(self._recheck(place, each) for place, each in remote.items()))

    async def _recheck(self, place: Place, connection: Connection) -> None:
        try:
            await connection.request("ping", timeout_s=ANSWERS_WITHIN_S)
        except UpstreamAnsweredError:
            return  # Who refuses is there.
        except ToolboothError as error:
            log.info("%s is let go, it does not answer: %s", place.ref.server, error)
            await self._stop(place)
            if self._terms(place.ref).lifecycle is Lifecycle.ALWAYS:
                self.start(place.ref)

    async def disconnect(self, ref: ServerRef) -> None:
        """Stop a server if it runs; its next use starts it again, with a new plan."""
        for place in self._owners_of(ref):
            await self._stop(place)

    async def end_session(self, session: SessionId) -> None:
        for place in [place for place in self._owners if place.session == session]:
            await self._stop(place)

    async def close(self) -> None:
        """Stop all servers side by side; from now on none starts."""
        self._stopping = True
        await self._watch.close()
        for connection in self._processes().values():
            connection.hurry()
        stops = [spawn(owner.stop(), name="stop upstream") for owner in self._owners.values()]
        if stops:
            _, late = await asyncio.wait(stops, timeout=_CLOSE_TIMEOUT_S)
            if late:
                log.error("%d upstreams did not close in time", len(late))

    async def _connect(
        self, place: Place, on_progress: ProgressSink | None, requester: Requester | None
    ) -> Connection:
        if on_progress is not None:
            name = self._terms(place.ref).name or place.ref.server
            await on_progress({"progress": 0, "message": f"Starting {name}…"})
        connection = await self._owner(place, requester).connection()
        if not connection.closed and self._ready.get(place) is not connection:
            self._ready[place] = connection
            await self._restore(place, connection)
        return connection

    async def _restore(self, place: Place, connection: Connection) -> None:
        """Subscribe a new connection to what its predecessor told about."""
        for address in tuple(self._subscribed.get(place, ())):
            try:
                params = {"uri": address}
                await connection.request("resources/subscribe", params, timeout_s=_ASIDE_S)
            except ToolboothError as error:
                log.debug("%s no longer tells about %s: %s", place.ref.server, address, error)

    def _notified(self, place: Place, method: str, params: JsonObject) -> None:
        if method == "notifications/resources/updated":
            self._on_resource_updated(place.ref, place.session, params)
        else:
            self._on_notification(place.ref, method, params)

    async def _stop(self, place: Place) -> None:
        if (owner := self._owners.get(place)) is not None:
            await owner.stop()
            self._drop_unused(place)

    def _over(self, place: Place) -> None:
        self._ready.pop(place, None)

    def _drop_unused(self, place: Place) -> None:
        """Forget an upstream that only some clients had, once it is gone for good."""
        owner = self._owners.get(place)
        if owner is not None and not place.is_common and not owner.in_use:
            del self._owners[place]
            self._turnstiles.pop(place, None)
            self._states.pop(place, None)
            self._subscribed.pop(place, None)

    def _turnstile(self, place: Place) -> Turnstile:
        if (turnstile := self._turnstiles.get(place)) is None:
            turnstile = Turnstile(lambda: self._terms(place.ref).max_concurrent_calls)
            self._turnstiles[place] = turnstile
        return turnstile

    def _processes(self) -> dict[Place, ProcessConnection]:
        live = {place: owner.live for place, owner in self._owners.items()}
        return {place: c for place, c in live.items() if isinstance(c, ProcessConnection)}

    def _state_changed(self, place: Place, state: ServerState, failure: Failure | None) -> None:
        if state is ServerState.READY:
            self._watch.enforce_limits()
        self._states[place] = (state, failure)
        if place.is_common and len(self._owners_of(place.ref)) == 1:
            self._publish_state(place.ref, state, failure)
            return
        states = [self._states[each] for each in self._owners_of(place.ref) if each in self._states]
        self._publish_state(place.ref, *most_telling(states))

    def _owners_of(self, ref: ServerRef) -> dict[Place, Owner]:
        return {place: owner for place, owner in self._owners.items() if place.ref == ref}

    def _any_owner(self, ref: ServerRef) -> Owner:
        """One that is connected, if there is one: what a server says of itself is the same in all
        its upstreams."""
        connected = (owner for owner in self._owners_of(ref).values() if owner.live)
        return next(connected, None) or self._owner(Place(ref))

    def _owner(self, place: Place, requester: Requester | None = None) -> Owner:
        if self._stopping:
            raise failed(_STOPPING)
        if place not in self._owners:
            self._check_room(place)
            self._owners[place] = Owner(self._surroundings(place, requester))
        return self._owners[place]

    async def _plan(self, place: Place) -> LaunchPlan:
        if self._stopping:  # who waited for an end to start it again
            raise failed(_STOPPING)
        return await self._launch(place.ref, place.folder)

    def _check_room(self, place: Place) -> None:
        """Raises `UpstreamFailed` when as many sessions or folders have an upstream as may."""
        if place.is_common:
            return
        for other in self._owners_of(place.ref):
            self._drop_unused(other)
        others = [other for other in self._owners_of(place.ref) if not other.is_common]
        if len(others) >= self._terms(place.ref).max_sessions:
            raise failed(Failure(FailureKind.TOO_MANY_SESSIONS, str(len(others))))

    def _surroundings(self, place: Place, requester: Requester | None) -> Surroundings:
        ref = place.ref
        return Surroundings(
            name=ref.server,
            launch=partial(self._plan, place),
            publish_state=partial(self._state_changed, place),
            on_notification=partial(self._notified, place),
            on_stderr=partial(self._on_stderr, ref),
            on_over=partial(self._over, place),
            on_given_up=partial(self._on_given_up, ref),
            terms=partial(self._terms, ref),
            audience=audience_of(place, self._terms(ref), requester),
            clock=self._clock,
            sleep=self._sleep,
            chance=self._chance,
        )
