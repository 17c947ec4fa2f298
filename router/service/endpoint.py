"""The endpoint for clients: composes guard, protocol, exposures and listener."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from router.api.events import (
    Event,
    ListenerStateChanged,
    ToolsChanged,
    WorkspacesChanged,
    WorkspaceSwitched,
)
from router.config.settings import Settings
from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.domain.clients import Principal
from router.domain.endpoint import ListenerPhase, ListenerState
from router.domain.errors import Conflict, said, sentence
from router.domain.ids import ServerRef, TokenId
from router.domain.json_values import JsonObject
from router.domain.search import SearchFeedback
from router.gateway.http.active_requests import Admissions
from router.gateway.http.authentication import CallerRules, Refusal
from router.gateway.http.guard import Guard
from router.gateway.http.listener import Listener
from router.gateway.http.streamable_http import Front
from router.gateway.session.dispatcher import Protocol
from router.gateway.tools.activity_recorder import Recorder
from router.gateway.tools.execution import Execution
from router.gateway.tools.exposures import Exposures
from router.gateway.tools.pass_through import PassThrough
from router.gateway.tools.permission_requests import Asking
from router.gateway.tools.result_pages import Results
from router.runtime.tasks import spawn
from router.scripts.limits import ScriptLimits
from router.scripts.runner import ScriptRunner
from router.service.context import ServiceContext
from router.service.upstream_manager import UpstreamManager
from router.store.tokens import TokenStore
from router.upstream.ports import SessionId

_REFUSALS_TO_RECORD = (401, 403, 429)
_LAST_MOMENT_S = 1
_SEEN_BY_CLIENTS = (ToolsChanged, WorkspacesChanged, WorkspaceSwitched)


def _script_limits(settings: Settings) -> ScriptLimits:
    limits = ScriptLimits(
        wall_s=settings.script_timeout_s,
        calls=settings.script_calls,
        memory_mb=settings.script_memory_mb,
    )
    if not settings.result_limit_kb:
        return limits
    return replace(limits, output_bytes=settings.result_limit_kb * 1024)


class Endpoint:
    """The production implementation of `api.endpoint.EndpointPort`."""

    def __init__(
        self,
        context: ServiceContext,
        upstreams: UpstreamManager,
        tokens: TokenStore,
        *,
        record: Callable[[ActivityEntry], None],
        attended: bool,
        feedback: SearchFeedback,
    ) -> None:
        """`attended` says that somebody sees permission requests."""
        workspaces, settings = context.catalogs, context.settings
        publish, clock = context.publish, context.clock
        workspaces.failure_of = lambda ref: upstreams.board.status(ref).failure
        self._tokens = tokens
        self._settings = settings
        self._record = record
        self._publish = publish
        self._clock = clock
        self._state = ListenerState(ListenerPhase.STOPPED)
        self.asking = Asking(
            publish, clock, lambda: settings().ask_timeout_s, attended=lambda: attended
        )
        execution = Execution(
            workspaces.catalogs,
            upstreams.pool,
            lambda: settings().call_timeout_s,
            self.asking,
            context.redactor,
        )
        recorder = Recorder(record, clock, lambda: settings().log_arguments)
        self._runner = ScriptRunner(lambda: _script_limits(settings()))
        self.exposures = Exposures(
            execution,
            recorder,
            status=upstreams.board.status,
            results_per_search=lambda: settings().results_per_search,
            results=Results(lambda: settings().result_limit_kb),
            feedback=feedback,
            runner=self._runner,
            offers_execute=lambda: settings().offer_execute,
        )
        self._passing = PassThrough(execution, recorder)
        self._rules = CallerRules(
            verify=tokens.verify,
            active_workspace=workspaces.active,
            catalogs=workspaces.catalogs,
            is_open=lambda: settings().open_endpoint,
        )
        self._connections = Admissions(self._holds)
        self._requests = Admissions(self._holds)
        self._listener: Listener | None = None
        self._protocol: Protocol | None = None
        self._end_session = upstreams.pool.end_session
        upstreams.on_resource_updated = self._resource_updated

    def state(self) -> ListenerState:
        return self._state

    def note(self, event: Event) -> None:
        """Notify clients of what changed in what they see."""
        if isinstance(event, _SEEN_BY_CLIENTS) and self._protocol is not None:
            self._protocol.changes.look_soon()

    async def start(self, port: int) -> None:
        """Listen; a port that is taken is a state to show, not the end of the router."""
        self._set_state(ListenerState(ListenerPhase.STARTING))
        listener = Listener(self._build)
        try:
            await listener.start(port)
        except Conflict as error:
            parts = {"message": sentence(error.message), "hint": sentence(error.hint)}
            message = said("{message} {hint}", **parts)
            self._set_state(ListenerState(ListenerPhase.FAILED, message=message))
            return
        self._listener = listener
        self._set_state(ListenerState(ListenerPhase.LISTENING, url=listener.url))

    async def stop(self) -> None:
        """Stop listening. Requests that still run after a moment end with a reason."""
        if self._listener is not None:
            stopping = Refusal(503, "Toolbooth is stopping.")
            end = asyncio.get_running_loop().call_later(
                _LAST_MOMENT_S, self._requests.end_all, stopping
            )
            if self._protocol is not None:
                self._protocol.close_streams()
            await self._listener.stop()
            end.cancel()
            self._requests.end_all(stopping)  # calls that wait for their client's next round
            self._listener = None
            if self._protocol is not None:
                self._protocol.sessions.close()
                self._protocol = None
        self._set_state(ListenerState(ListenerPhase.STOPPED))

    async def close_scripts(self) -> None:
        """End the script workers; from now on no script runs."""
        await self._runner.close()

    def _build(self, listener: Listener) -> Guard:
        self._protocol = Protocol(
            self.exposures, self._passing, self._requests, self._session_ended
        )
        return Guard(
            Front(self._protocol),
            self._rules,
            lambda: listener.hosts,
            self._refused,
            self._admitted,
            self._connections,
        )

    def _session_ended(self, session: SessionId) -> None:
        self.asking.session_ended(session)
        spawn(self._end_session(session), name="end session")

    def _resource_updated(
        self, ref: ServerRef, session: SessionId | None, params: JsonObject
    ) -> None:
        if self._protocol is not None:
            self._protocol.changes.updated(ref, session, params)

    def _holds(self, token: TokenId | None) -> bool:
        """Whether a request that `token` let in (None: that needed none) may go on."""
        if token is None:
            return self._settings().open_endpoint
        expiries = [known.expires_at for known in self._tokens.list() if known.id == token]
        return any(expiry is None or self._clock() < expiry for expiry in expiries)

    def _admitted(self, caller: Principal) -> None:
        if caller.token is not None:
            self._tokens.touch(caller.token)

    def _refused(self, refusal: Refusal) -> None:
        if refusal.status not in _REFUSALS_TO_RECORD:
            return
        self._record(
            ActivityEntry(
                at=self._clock(),
                request_id="",
                client=refusal.client,
                kind=ActivityKind.REFUSED,
                outcome=Outcome.DENIED,
                duration_ms=0,
                message=refusal.message,
            )
        )

    def _set_state(self, state: ListenerState) -> None:
        self._state = state
        self._publish(ListenerStateChanged(state))
