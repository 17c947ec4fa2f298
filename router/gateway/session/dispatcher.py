"""What each MCP method returns to clients, in all revisions. `http/streamable_http.py` decides how
messages are sent.

Of the SDK only its types, to validate params, and its sealing of `requestState` are used, not its
server or transports. Results are plain JSON objects and are passed on as they are: unknown fields
stay.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from router import __version__
from router.domain.clients import Principal
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject, as_object
from router.gateway.client_request import ClientRequest
from router.gateway.http.active_requests import ActiveRequests
from router.gateway.http.http_request import HTTPError
from router.gateway.session.client_peer import client_peer
from router.gateway.session.input_required import InputRequiredCalls
from router.gateway.session.sessions import LegacySession, Session, Sessions, client_capabilities
from router.gateway.session.subscriptions import Lists, Subscriber, Subscriptions
from router.gateway.tools.prompts_resources import PromptsAndResources
from router.gateway.tools.tool_methods import ToolMethods
from router.runtime.tasks import spawn
from router.runtime.tracing import begin_trace
from router.upstream.ports import SessionId
from router.wire.jsonrpc import JSONRPCNotification, Result, is_request_id, prepend_members
from router.wire.mcp import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    LATEST_LEGACY_VERSION,
    LEGACY_VERSIONS,
    METHOD_NOT_FOUND,
    MODERN_VERSION,
    SERVER_INFO_KEY,
    MCPError,
)

_SERVER_INFO: JsonObject = {"name": "toolbooth", "title": "Toolbooth", "version": __version__}
_CAPABILITIES: JsonObject = {
    "completions": {},
    "logging": {},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": True},
}
_NOT_CACHED: JsonObject = {"ttlMs": 0, "cacheScope": "private"}
"""A client may not reuse a list: permissions and the workspace can change at any moment."""

_CACHEABLE = (
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
)

_PAGED = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
"""Our lists have one page, so no cursor is one of ours."""

_Method: TypeAlias = Callable[[ClientRequest], Awaitable[Result]]
_LegacyMethod: TypeAlias = Callable[[ClientRequest, LegacySession], Awaitable[JsonObject]]
_ModernMethod: TypeAlias = Callable[[ClientRequest, Session], Awaitable[JsonObject]]


class Dispatcher:
    def __init__(
        self,
        tool_methods: ToolMethods,
        prompts_resources: PromptsAndResources,
        active_requests: ActiveRequests,
        on_session_end: Callable[[SessionId], None],
        session_limit: Callable[[], int],
    ) -> None:
        self.tool_methods = tool_methods
        self._prompts_resources = prompts_resources
        self._on_session_end = on_session_end
        self._active_requests = active_requests
        self._input_required = InputRequiredCalls()
        self.sessions = Sessions(self._session_ended, limit=session_limit)
        self.subscriptions = Subscriptions(self._lists, self._unsubscribe_upstream)
        self._methods: dict[str, _Method] = {
            "tools/list": self._list_tools,
            "tools/call": tool_methods.call_tool,
            **prompts_resources.methods,
        }
        self._legacy_methods: dict[str, _LegacyMethod] = {
            "initialize": self._initialize_again,
            "ping": self._ping,
            "logging/setLevel": self._set_log_level,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
        }
        self._modern_methods: dict[str, _ModernMethod] = {
            "server/discover": self._discover,
            "subscriptions/listen": self._listen,
        }

    def initialize(self, request: ClientRequest) -> tuple[JsonObject, LegacySession]:
        """Open a legacy session: the result for its client, and the session."""
        result = self._initialize_result(request)
        return result, self.sessions.open(request, result["protocolVersion"])

    async def handle(self, request: ClientRequest, session: LegacySession | None) -> Result:
        """The result of a request, within its session if it is a legacy one. Raises `MCPError`,
        `ValidationError`."""
        own = session or self.sessions.modern(request)
        client = client_peer(own, request)
        wants_progress = request.meta.get("progressToken") is not None
        request = replace(
            request,
            activity_id=begin_trace(),
            on_progress=client.notify_progress if wants_progress else None,
            client=client,
        )
        if request.method in _PAGED and request.params.get("cursor"):
            raise MCPError(INVALID_PARAMS, "Unknown cursor: the list has one page.")
        own.active_requests += 1
        try:
            await self.sessions.use(own, request)
            if (method := self._methods.get(request.method)) is None:
                result = await self._handle_by_revision(request, own)
            elif self._input_required.may_require_input(request, client):
                run = partial(self._run, method)
                result = await self._input_required.handle(request, client, run)
            else:
                result = await self._run(method, request)
                result = await self._input_required.seal(request, result)
            return self._with_envelope(request, result)
        finally:
            own.active_requests -= 1

    def handle_notification(
        self, notification: JSONRPCNotification, session: LegacySession
    ) -> None:
        match notification.method:
            case "notifications/initialized":
                self.subscriptions.subscriber_of(session)
            case "notifications/cancelled":
                request_id = notification.params.get("requestId")
                if is_request_id(request_id):
                    session.cancel(request_id)
            case "notifications/roots/list_changed" if session.folder_header is None:
                session.folder = None
            case _:
                pass

    def close_streams(self) -> None:
        """End the streams that stay open until their client disconnects, so that shutdown
        doesn't wait for them."""
        self.subscriptions.close()
        self.sessions.close_streams()

    async def _run(self, method: _Method, request: ClientRequest) -> Result:
        """Tracked by itself, because an input-required call outlives the HTTP request; and if an
        invalid token or shutdown ends it, that is the response."""
        try:
            with self._active_requests.track(request.principal.token):
                return await method(request)
        except HTTPError as error:
            raise MCPError(INVALID_REQUEST, str(error)) from None

    async def _handle_by_revision(self, request: ClientRequest, session: Session) -> JsonObject:
        """Handle a method that only legacy or only modern revisions have."""
        if isinstance(session, LegacySession):
            if (legacy := self._legacy_methods.get(request.method)) is not None:
                return await legacy(request, session)
        elif (modern := self._modern_methods.get(request.method)) is not None:
            return await modern(request, session)
        raise MCPError(METHOD_NOT_FOUND, "Method not found", request.method)

    async def _list_tools(self, request: ClientRequest) -> Result:
        await self.tool_methods.wait_briefly(request.principal)
        return self.tool_methods.list_tools(request).encoded

    def _with_envelope(self, request: ClientRequest, result: Result) -> Result:
        """`result` with what the modern revision has in every result."""
        if not request.modern:
            return result
        caching = _NOT_CACHED if request.method in _CACHEABLE else {}
        server_info: JsonObject = {SERVER_INFO_KEY: _SERVER_INFO}
        if isinstance(result, bytes):
            envelope = {"resultType": "complete", **caching, "_meta": server_info}
            return prepend_members(envelope, result)
        if result.get("resultType", "complete") != "complete":
            caching = {}
        meta = {**as_object(result.get("_meta")), **server_info}
        return {"resultType": "complete", **caching, **result, "_meta": meta}

    # Methods that only legacy or only modern revisions have

    def _initialize_result(self, request: ClientRequest) -> JsonObject:
        from router.gateway import sdk

        params = sdk.InitializeRequestParams.model_validate(request.params, by_name=False)
        version = params.protocol_version
        known = version in LEGACY_VERSIONS
        return {
            "protocolVersion": version if known else LATEST_LEGACY_VERSION,
            "capabilities": _CAPABILITIES,
            "serverInfo": _SERVER_INFO,
            "instructions": self.tool_methods.instructions(request.principal),
        }

    async def _initialize_again(self, request: ClientRequest, session: LegacySession) -> JsonObject:
        result = self._initialize_result(request)
        session.capabilities = client_capabilities(request)
        session.version = result["protocolVersion"]
        return result

    async def _discover(self, request: ClientRequest, session: Session) -> JsonObject:
        return {
            "supportedVersions": [MODERN_VERSION],
            "capabilities": _CAPABILITIES,
            "instructions": self.tool_methods.instructions(request.principal),
        }

    async def _ping(self, request: ClientRequest, session: LegacySession) -> JsonObject:
        return {}

    async def _set_log_level(self, request: ClientRequest, session: LegacySession) -> JsonObject:
        from router.gateway import sdk

        params = sdk.SetLevelRequestParams.model_validate(request.params, by_name=False)
        session.log_level = params.level
        return {}

    async def _subscribe(self, request: ClientRequest, session: LegacySession) -> JsonObject:
        from router.gateway import sdk

        params = sdk.SubscribeRequestParams.model_validate(request.params, by_name=False)
        uri = str(params.uri)
        resource = await self._prompts_resources.subscribe(request, uri)
        subscriber = self.subscriptions.subscriber_of(session)
        self.subscriptions.add_resource(subscriber, resource, uri)
        return {}

    async def _unsubscribe(self, request: ClientRequest, session: LegacySession) -> JsonObject:
        from router.gateway import sdk

        params = sdk.UnsubscribeRequestParams.model_validate(request.params, by_name=False)
        ref, uri = await self._prompts_resources.find_resource(request, str(params.uri))
        self.subscriptions.remove_resource(self.subscriptions.subscriber_of(session), ref, uri)
        return {}

    async def _listen(self, request: ClientRequest, session: Session) -> JsonObject:
        from router.gateway import sdk

        params = sdk.SubscriptionsListenRequestParams.model_validate(request.params, by_name=False)

        async def subscribe(subscriber: Subscriber, uri: str) -> None:
            try:
                resource = await self._prompts_resources.subscribe(request, uri)
            except MCPError:
                return  # like a subscription to a resource that never changes
            self.subscriptions.add_resource(subscriber, resource, uri)

        listen = self.subscriptions.listen
        return await listen(request, session, params.notifications, subscribe)

    def _session_ended(self, session: Session) -> None:
        self.subscriptions.remove(session)
        self._on_session_end(session.id)

    def _lists(self, principal: Principal) -> Lists:
        tools = self.tool_methods.tool_listing(principal).result
        return (tools, *self._prompts_resources.lists(principal))

    def _unsubscribe_upstream(self, ref: ServerRef, uri: str) -> None:
        spawn(self._prompts_resources.unsubscribe(ref, uri), name="unsubscribe")
