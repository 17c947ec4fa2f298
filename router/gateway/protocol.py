"""MCP on the client side: the SDK speaks the protocol in all its revisions, we answer the requests.

The answers are plain JSON objects handed to the SDK as they are. Its middleware seam takes them
without rebuilding models, which keeps unknown fields and costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NoReturn, cast

import mcp_types as types
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types.methods import INPUT_REQUIRED_METHODS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.requests import HTTPConnection

from router import __version__
from router.exchange import SessionId
from router.gateway.admissions import Admissions
from router.gateway.changes import Changes, Follower, Lists
from router.gateway.clients import ClientAtHand
from router.gateway.exposures import Exposures
from router.gateway.guard import caller_of
from router.gateway.passing import PassThrough
from router.gateway.recording import Request
from router.gateway.rounds import KEPT_S, Round, Rounds, for_server, is_ours, passed_on
from router.gateway.sessions import Context, Session, Sessions
from router.model import Caller, JsonObject, ServerRef, as_object
from router.tasks import spawn
from router.tracing import begin_trace, current_trace
from router.upstream.questions import askable

SERVER_NAME = "toolbooth"
_NOT_CACHED: JsonObject = {"ttlMs": 0, "cacheScope": "private"}
"""A client may not reuse a listing: permissions and the workspace can change at any moment."""

_CACHEABLE = (
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
)
_LISTS = ("tools", "prompts", "resources")

_Method = Callable[[Request], Awaitable[JsonObject]]


class Protocol:
    """Builds the SDK server whose requests `exposures` and `passing` answer."""

    def __init__(
        self,
        exposures: Exposures,
        passing: PassThrough,
        admissions: Admissions,
        on_session_end: Callable[[SessionId], None],
    ) -> None:
        self._exposures = exposures
        self._passing = passing
        self._admissions = admissions
        self._on_session_end = on_session_end
        self._rounds = Rounds()
        self.sessions = Sessions(self._ended)
        self.changes = Changes(self._lists, self._unsubscribed)
        self.server = self._build()
        seal = RequestStateSecurity.ephemeral(ttl=KEPT_S)
        seal.bind_principal = _principal
        boundary = RequestStateBoundary(seal, default_audience=SERVER_NAME)
        self.server.middleware[:] = [boundary, self._answer]
        self._server_info = self.server.server_info_stamp
        self._methods: dict[str, _Method] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            **passing.methods,
        }

    def _build(self) -> Server[Any]:
        server: Server[Any] = Server(
            SERVER_NAME,
            version=__version__,
            title="Toolbooth",
            on_list_tools=_answered_by_middleware,
            on_call_tool=_answered_by_middleware,
            on_list_prompts=_answered_by_middleware,
            on_get_prompt=_answered_by_middleware,
            on_list_resources=_answered_by_middleware,
            on_list_resource_templates=_answered_by_middleware,
            on_read_resource=_answered_by_middleware,
            on_completion=_answered_by_middleware,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen,
            get_tool_input_schema=lambda _: None,
        )
        # Logging and roots are deprecated, and still used by clients of older revisions.
        server.add_request_handler(
            "logging/setLevel", types.SetLevelRequestParams, self._set_log_level
        )
        server.add_notification_handler(
            "notifications/roots/list_changed", types.NotificationParams, self._roots_changed
        )
        return server

    async def _answer(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        begin_trace()
        session = await self.sessions.of(ctx)
        if session is None or (method := self._methods.get(ctx.method)) is None:
            return await self._answered_by_sdk(ctx, session, call_next)
        session.under_way += 1
        client = ClientAtHand(session, ctx)
        try:
            return self._stamped(ctx, await self._in_rounds(ctx, client, method))
        finally:
            session.under_way -= 1
            client.ended()

    async def _answered_by_sdk(
        self, ctx: Context, session: Session | None, call_next: CallNext
    ) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method == "notifications/initialized" and session is not None:
            self.changes.follow(session)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            caller = caller_of(cast(HTTPConnection, ctx.request).scope)
            result["instructions"] = self._exposures.instructions(caller)
            for name in _LISTS:
                as_object(as_object(result.get("capabilities")).get(name))["listChanged"] = True
        return result

    async def _in_rounds(self, ctx: Context, client: ClientAtHand, method: _Method) -> JsonObject:
        """Answer a request, or in the stateless revision say what its server wants to know."""
        params = as_object(ctx.params)
        state = params.get("requestState")
        if is_ours(state):
            answers = as_object(params.get("inputResponses"))
            return await self._rounds.resume(str(state), ctx, answers)
        call = partial(self._while_admitted, method, _request(ctx, client, for_server(params)))
        asks = client.modern and ctx.method in INPUT_REQUIRED_METHODS
        if not asks or not askable(client.capabilities):
            return passed_on(await call())
        client.round = this = Round()
        this.continued = lambda request: client.continued(cast(Context, request))
        return await self._rounds.begin(this, call)

    async def _while_admitted(self, method: _Method, request: Request) -> JsonObject:
        """In older revisions a request outlives its connection, so it is ended here as well."""
        with self._admissions.admitted(request.caller.token) as admission:
            return await method(request)
        raise MCPError(types.INVALID_REQUEST, str(admission.refusal))

    async def _list_tools(self, request: Request) -> JsonObject:
        return self._exposures.list_tools(request)

    async def _call_tool(self, request: Request) -> JsonObject:
        name = request.params.get("name")
        arguments = request.params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise MCPError(types.INVALID_PARAMS, "A tool call needs a name and its arguments.")
        return await self._exposures.call_tool(request, name, cast(JsonObject, arguments))

    def _stamped(self, ctx: Context, result: JsonObject) -> JsonObject:
        """`result` with what its protocol revision asks of every result."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return result
        final = result.get("resultType", "complete") == "complete"
        caching = _NOT_CACHED if ctx.method in _CACHEABLE and final else {}
        meta = {**as_object(result.get("_meta")), types.SERVER_INFO_META_KEY: self._server_info}
        return {"resultType": "complete", **caching, **result, "_meta": meta}

    # Sessions, and what their clients follow

    async def _set_log_level(self, ctx: Context, params: types.SetLevelRequestParams) -> Any:
        (await self._session(ctx)).log_level = params.level
        return types.EmptyResult()

    async def _roots_changed(self, ctx: Context, params: Any) -> None:
        session = await self._session(ctx)
        if session.said_folder is None:
            session.folder = None

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> Any:
        session = await self._session(ctx)
        request = _request(ctx, ClientAtHand(session, ctx))
        place = await self._passing.subscribe(request, str(params.uri))
        self.changes.follow(session).subscriptions[place] = str(params.uri)
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> Any:
        session = await self._session(ctx)
        ref, address = self._passing.address(_request(ctx), str(params.uri))
        self.changes.drop(self.changes.follow(session), ref, address)
        return types.EmptyResult()

    async def _listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        session = await self._session(ctx)
        request = _request(ctx, ClientAtHand(session, ctx))

        async def subscribe(follower: Follower, address: str) -> None:
            try:
                follower.subscriptions[await self._passing.subscribe(request, address)] = address
            except MCPError:
                return  # like a subscription to a resource that never changes

        def subscribe_all(follower: Follower, addresses: Sequence[str]) -> None:
            for address in addresses:
                spawn(subscribe(follower, address), name="subscribe")

        session.under_way += 1
        try:
            with self._admissions.admitted(request.caller.token):
                return await self.changes.listen(ctx, session, params, subscribe_all)
        finally:
            session.under_way -= 1

    async def _session(self, ctx: Context) -> Session:
        session = await self.sessions.of(ctx)
        if session is None:
            raise MCPError(types.INVALID_REQUEST, "This needs a session.")
        return session

    def _ended(self, session: Session) -> None:
        self.changes.forget(session)
        self._on_session_end(session.id)

    def _lists(self, caller: Caller) -> Lists:
        return (self._exposures.listing(caller), *self._passing.offers(caller))

    def _unsubscribed(self, ref: ServerRef, address: str) -> None:
        spawn(self._passing.unsubscribe(ref, address), name="unsubscribe")


def _request(
    ctx: Context, client: ClientAtHand | None = None, params: JsonObject | None = None
) -> Request:
    params = as_object(ctx.params) if params is None else params
    wants_progress = as_object(params.get("_meta")).get("progressToken") is not None
    return Request(
        id=current_trace(),
        caller=caller_of(cast(HTTPConnection, ctx.request).scope),
        params=params,
        on_progress=client.progress if client is not None and wants_progress else None,
        requester=client,
    )


def _principal(ctx: Context) -> str:
    """To whom a state we give out belongs."""
    caller = caller_of(cast(HTTPConnection, ctx.request).scope)
    return repr((caller.token, caller.workspace, caller.project))


async def _answered_by_middleware(ctx: Context, params: Any) -> NoReturn:
    """Registered so that the SDK announces the capability; never reached."""
    raise AssertionError(f"{ctx.method} is answered by the middleware")
