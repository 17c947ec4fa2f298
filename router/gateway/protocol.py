"""MCP on the client side: the SDK speaks the protocol in all its revisions, we answer the requests.

The answers are plain JSON objects handed to the SDK as they are. Its middleware seam takes them
without rebuilding models, which keeps unknown fields and costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, cast

import mcp_types as types
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.requests import HTTPConnection

from router import __version__
from router.gateway.admissions import Admissions
from router.gateway.exposures import Exposures
from router.gateway.guard import caller_of
from router.gateway.passing import PassThrough
from router.gateway.recording import Request
from router.model import JsonObject, as_object
from router.tracing import begin_trace

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

_Context = ServerRequestContext[Any, Any]


class Protocol:
    """Builds the SDK server whose requests `exposures` and `passing` answer."""

    def __init__(self, exposures: Exposures, passing: PassThrough, admissions: Admissions) -> None:
        self._exposures = exposures
        self._admissions = admissions
        self.server: Server[Any] = Server(
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
            get_tool_input_schema=lambda _: None,
        )
        self.server.middleware[:] = [self._answer]
        self._server_info = self.server.server_info_stamp
        self._methods: dict[str, Callable[[Request], Awaitable[JsonObject]]] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            **passing.methods,
        }

    async def _answer(self, ctx: _Context, call_next: CallNext) -> HandlerResult:
        begin_trace()
        if (method := self._methods.get(ctx.method)) is not None:
            return self._stamped(ctx, await self._while_admitted(method, _request(ctx)))
        result = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            result["instructions"] = self._exposures.instructions(_request(ctx).caller)
        return result

    async def _while_admitted(
        self, method: Callable[[Request], Awaitable[JsonObject]], request: Request
    ) -> JsonObject:
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

    def _stamped(self, ctx: _Context, result: JsonObject) -> JsonObject:
        """`result` with what its protocol revision asks of every result."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return result
        caching = _NOT_CACHED if ctx.method in _CACHEABLE else {}
        meta = {**as_object(result.get("_meta")), types.SERVER_INFO_META_KEY: self._server_info}
        return {"resultType": "complete", **caching, **result, "_meta": meta}


def _request(ctx: _Context) -> Request:
    params = as_object(ctx.params)
    wants_progress = as_object(params.get("_meta")).get("progressToken") is not None
    return Request(
        id=str(ctx.request_id),
        caller=caller_of(cast(HTTPConnection, ctx.request).scope),
        params=params,
        on_progress=_progress_to(ctx) if wants_progress else None,
    )


def _progress_to(ctx: _Context) -> Callable[[JsonObject], Awaitable[None]]:
    async def report(params: JsonObject) -> None:
        progress = params.get("progress")
        if isinstance(progress, int | float):
            await ctx.session.report_progress(progress, params.get("total"), params.get("message"))

    return report


async def _answered_by_middleware(ctx: _Context, params: Any) -> NoReturn:
    """Registered so that the SDK announces the capability; never reached."""
    raise AssertionError(f"{ctx.method} is answered by the middleware")
