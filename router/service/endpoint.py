"""The endpoint for clients: composes listener, request checks, dispatcher and tool methods.

Listener and dispatcher are imported at the start: a command without a running instance uses the
tool methods only.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from router.api.events import (
    Event,
    ListenerStateChanged,
    SettingsApplied,
    ToolsChanged,
    WorkspacesChanged,
    WorkspaceSwitched,
)
from router.config.settings import Settings
from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.domain.clients import Principal
from router.domain.endpoint import ListenerPhase, ListenerState
from router.domain.errors import Conflict, sentence
from router.domain.ids import ServerRef, TokenId
from router.domain.json_values import JsonObject
from router.domain.search import SearchFeedback
from router.gateway.http.active_requests import ActiveRequests
from router.gateway.http.authentication import Authenticator
from router.gateway.http.http_request import HTTPError
from router.gateway.tools.activity_recorder import ActivityRecorder
from router.gateway.tools.execution import Execution
from router.gateway.tools.permission_requests import PermissionRequests
from router.gateway.tools.prompts_resources import PromptsAndResources
from router.gateway.tools.tool_methods import ToolMethods
from router.runtime.tasks import spawn
from router.runtime.tracing import begin_trace
from router.scripts.limits import ScriptLimits
from router.scripts.runner import ScriptRunner
from router.service.context import ServiceContext
from router.service.upstream_manager import UpstreamManager
from router.store.tokens import TokenStore
from router.upstream.ports import SessionId

if TYPE_CHECKING:
    from router.gateway.http.listener import Listener
    from router.gateway.http.request_checks import RequestChecks
    from router.gateway.session.dispatcher import Dispatcher

_RECORDED_STATUSES = (401, 403, 429, 503)
"""503: the limit of sessions."""
_GRACE_S = 1
_SEEN_BY_CLIENTS = (ToolsChanged, WorkspacesChanged, WorkspaceSwitched, SettingsApplied)


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
        """`attended` says that a window shows permission requests."""
        self._context = context
        catalogs, settings, clock = context.catalogs, context.settings, context.clock
        self._tokens = tokens
        self._record = record
        self._state = ListenerState(ListenerPhase.STOPPED)
        self.permission_requests = PermissionRequests(
            context.publish,
            clock,
            lambda: settings().ask_timeout_s,
            lambda: attended,
            context.redactor,
        )
        execution = Execution(
            catalogs.catalogs,
            upstreams.pool,
            lambda: settings().call_timeout_s,
            self.permission_requests,
            context.redactor,
            upstreams.tool_list_waiter,
            catalogs.allows_folder,
        )
        recorder = ActivityRecorder(record, clock)
        self.script_runner = ScriptRunner(lambda: _script_limits(settings()))
        self.tool_methods = ToolMethods(
            execution, recorder, upstreams.statuses.status, feedback, self.script_runner, settings
        )
        self._prompts_resources = PromptsAndResources(execution, recorder)
        self._authenticator = Authenticator(
            verify=tokens.verify,
            active_workspace=catalogs.active,
            catalogs=catalogs.catalogs,
            is_open=lambda: settings().open_endpoint,
        )
        self._http_requests = ActiveRequests(self._is_valid)
        self._requests = ActiveRequests(self._is_valid)
        self._listener: Listener | None = None
        self._loading: asyncio.Task[object] | None = None
        self._dispatcher: Dispatcher | None = None
        self._end_session = upstreams.pool.end_session
        upstreams.hooks.on_resource_updated = self._resource_updated

    def state(self) -> ListenerState:
        return self._state

    def on_event(self, event: Event) -> None:
        """Notify clients if what they see may have changed."""
        if isinstance(event, _SEEN_BY_CLIENTS) and self._dispatcher is not None:
            self._dispatcher.subscriptions.check_soon()

    async def start(self, port: int) -> None:
        """Listen. A port that is taken is a state to show; the router goes on."""
        from router.gateway.http.listener import Listener

        self._set_state(ListenerState(ListenerPhase.STARTING))
        try:
            self._listener = Listener(port, self._build, self._session_limit)
        except Conflict as error:
            parts = {"message": sentence(error.message), "hint": sentence(error.hint)}
            message = sentence("{message} {hint}", **parts)
            self._set_state(ListenerState(ListenerPhase.FAILED, message=message))
            return
        self._set_state(ListenerState(ListenerPhase.LISTENING, url=self._listener.url))
        load = asyncio.to_thread(importlib.import_module, "router.gateway.sdk")
        self._loading = spawn(load, name="load the SDK")

    async def loaded(self) -> None:
        """Wait for what requests need, which is loaded while the endpoint listens already."""
        if self._loading is not None:
            await self._loading

    async def stop(self) -> None:
        """Stop listening. Requests that still run after a moment get an error with the reason."""
        listener, dispatcher = self._listener, self._dispatcher
        if listener is not None and dispatcher is not None:
            stopping = HTTPError(503, "Toolbooth is stopping.")
            end = asyncio.get_running_loop().call_later(_GRACE_S, self._requests.end_all, stopping)
            dispatcher.close_streams()
            await listener.stop()
            end.cancel()
            self._requests.end_all(stopping)  # input-required calls
            dispatcher.sessions.close()
            self._listener = self._dispatcher = None
        self._set_state(ListenerState(ListenerPhase.STOPPED))

    def _build(self, hosts: frozenset[str]) -> RequestChecks:
        from router.gateway.http.request_checks import RequestChecks
        from router.gateway.http.streamable_http import StreamableHTTPServer
        from router.gateway.session.dispatcher import Dispatcher

        self._dispatcher = Dispatcher(
            self.tool_methods,
            self._prompts_resources,
            self._requests,
            self._session_ended,
            self._session_limit,
        )
        return RequestChecks(
            StreamableHTTPServer(self._dispatcher),
            self._authenticator,
            hosts,
            self._refused,
            self._authenticated,
            self._http_requests,
        )

    def _session_limit(self) -> int:
        return self._context.settings().session_limit

    def _session_ended(self, session: SessionId) -> None:
        self.permission_requests.session_ended(session)
        spawn(self._end_session(session), name="end session")

    def _resource_updated(
        self, ref: ServerRef, session: SessionId | None, params: JsonObject
    ) -> None:
        if self._dispatcher is not None:
            self._dispatcher.subscriptions.resource_updated(ref, session, params)

    def _is_valid(self, token: TokenId | None) -> bool:
        """Whether a request with `token` (`None`: one that needed none) may go on."""
        if token is None:
            return self._context.settings().open_endpoint
        expiries = [known.expires_at for known in self._tokens.list() if known.id == token]
        return any(expiry is None or self._context.clock() < expiry for expiry in expiries)

    def _authenticated(self, principal: Principal) -> None:
        if principal.token is not None:
            self._tokens.touch(principal.token)

    def _refused(self, error: HTTPError) -> None:
        if error.status not in _RECORDED_STATUSES:
            return
        trace = begin_trace()
        self._record(
            ActivityEntry(
                at=self._context.clock(),
                request_id=trace,
                trace_id=trace,
                client=error.client,
                kind=ActivityKind.REFUSED,
                outcome=Outcome.DENIED,
                duration_ms=0,
                message=error.message,
            )
        )

    def _set_state(self, state: ListenerState) -> None:
        self._state = state
        self._context.publish(ListenerStateChanged(state))
