"""The one path to a server: every tool call, prompt and resource passes here, however it was made.

The order of the checks is the contract: scope, arguments, permission, server state; only then is
the server called. Its result goes back unchanged; its errors, without our secrets.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from router.catalog.catalog import WorkspaceCatalog
from router.catalog.permission_policy import ALLOWED, Subject
from router.catalog.server_entry import ServerEntry
from router.catalog.tool_definition import compact_json
from router.catalog.view import View
from router.domain.clients import Principal
from router.domain.errors import (
    NotFound,
    NoWorkspace,
    ToolboothError,
    UpstreamAnsweredError,
    UpstreamFailed,
    WrongArguments,
)
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerId, ServerRef, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS
from router.domain.permissions import PermissionKind
from router.domain.result import Ok, ToolResult, failed
from router.domain.tools import Tool
from router.gateway.client_request import ClientRequest
from router.gateway.tools.arguments import problems
from router.gateway.tools.permission_requests import PermissionRequests
from router.gateway.tools.unlisted_servers import IncreasingProgress, ToolListWaits
from router.store.redaction import Redactor
from router.upstream.errors import UNNAMED, HttpRefused
from router.upstream.ports import CallOptions, Upstreams

Perform: TypeAlias = Callable[[], Awaitable[JsonObject]]

_MAY_HAVE_RUN = "The call may still have been carried out: check its effect first."
_HOP_META_PREFIX = "io.modelcontextprotocol/"
_HOP_META_KEYS = frozenset({"progressToken", "token", "projectId"})
"""The members of `_meta` that are between client and router: MCP's own, our token and project."""


@dataclass(frozen=True, slots=True)
class Execution:
    catalogs: Mapping[WorkspaceId, WorkspaceCatalog]
    upstreams: Upstreams
    timeout_s: Callable[[], float]
    permission_requests: PermissionRequests
    redactor: Redactor
    tool_list_waits: ToolListWaits

    def view(self, principal: Principal) -> View:
        catalog = self.catalogs.get(principal.workspace)
        if catalog is None:
            raise NoWorkspace(principal.workspace)
        return catalog.view(principal.project, principal.servers)

    async def view_with(self, request: ClientRequest, server: ServerId) -> View:
        """The view, once the tool list of a server that it contains is known. Raises
        `UpstreamFailed` with the reason if it can't be known."""
        view = self.view(request.principal)
        if server not in view.entries:
            return view
        ref = ServerRef(request.principal.workspace, server)
        await self.tool_list_waits.until_listed(ref, request.on_progress)
        return self.view(request.principal)

    async def wait_briefly(self, principal: Principal) -> None:
        """Wait a moment for tool lists of the view that are being discovered."""
        view = self.view(principal)
        refs = (ServerRef(principal.workspace, entry.id) for entry in view.servers)
        await self.tool_list_waits.briefly(refs)

    async def call_tool(
        self,
        request: ClientRequest,
        key: ToolKey,
        arguments: JsonObject,
        perform: Perform | None = None,
    ) -> ToolResult[JsonObject]:
        """The server's result as it is, or why there is none. Never raises.

        `perform` makes the call of a tool that no server has, once it is permitted.
        """
        if request.on_progress is not None:
            request = replace(request, on_progress=IncreasingProgress(request.on_progress))
        try:
            view = await self.view_with(request, key.server)
            tool = view.tool(key)
            if wrong := problems(tool.input_schema, arguments):
                raise _wrong_arguments(tool, wrong)
            if (policy := view.policy(key)) is not ALLOWED:
                await self.permission_requests.check(
                    request,
                    Subject(PermissionKind.TOOL, key.server, key.tool, tool.annotations),
                    policy,
                    arguments,
                    self._server_name(request.principal, key.server),
                    # The state of a continued call is sealed: it was permitted before.
                    answered="requestState" in request.input_responses,
                )
            if perform is not None:
                return Ok(await perform())
            params: JsonObject = {
                "name": key.tool,
                "arguments": arguments,
                **request.input_responses,
            }
            if meta := forwarded_meta(request.meta):
                params["_meta"] = meta
            idempotent = _is_idempotent(tool)
            result = await self.forward(
                request, key.server, "tools/call", params, idempotent=idempotent
            )
            return Ok(self.redactor.json(result) if result.get("isError") else result)
        except ToolboothError as error:
            failure = failed(error)
            if failure.sent and failure.answered is None:
                return replace(failure, hint=f"{_MAY_HAVE_RUN} {failure.hint}".strip())
            return failure

    async def check_permission(
        self, request: ClientRequest, subject: Subject, arguments: JsonObject
    ) -> None:
        """Raise `Refused` unless the request may use a prompt or a resource."""
        policy = self.view(request.principal).policy_for(subject)
        if policy is not ALLOWED:
            server_name = self._server_name(request.principal, subject.server)
            await self.permission_requests.check(request, subject, policy, arguments, server_name)

    def _server_name(self, principal: Principal, server: ServerId) -> str:
        if server == SCRIPTS:
            return "Scripts"
        return self.catalogs[principal.workspace].entry(server).name

    async def forward(
        self,
        request: ClientRequest,
        server: ServerId,
        method: str,
        params: JsonObject,
        *,
        idempotent: bool = True,
    ) -> JsonObject:
        """The result of a server that the principal's view contains. Raises what its failure is.

        A request whose connection was lost may have been carried out, so it is sent again only if
        it is `idempotent`, as all are but calls of tools, and only once.
        """
        ref = ServerRef(request.principal.workspace, server)
        options = CallOptions(self.timeout_s(), request.on_progress, request.client, idempotent)
        try:
            return await self._send(ref, method, params, options)
        except UpstreamFailed as error:
            if not (idempotent and _was_lost(error)):
                raise
        return await self._send(ref, method, params, options)

    async def _send(
        self, ref: ServerRef, method: str, params: JsonObject, options: CallOptions
    ) -> JsonObject:
        entry = self._entry(ref)
        try:
            return await self.upstreams.request(ref, method, params, options)
        except UpstreamAnsweredError as error:
            error.message = self.redactor.text(error.message)
            error.data = self.redactor.json(error.data)
            raise
        except UpstreamFailed as error:
            if entry is not None:
                self._check_still_there(ref, entry.name, error)
            error.message = self.redactor.text(error.message)
            error.hint = self.redactor.text(error.hint)
            raise

    def _entry(self, ref: ServerRef) -> ServerEntry | None:
        catalog = self.catalogs.get(ref.workspace)
        return catalog.servers.get(ref.server) if catalog is not None else None

    def _check_still_there(self, ref: ServerRef, name: str, error: UpstreamFailed) -> None:
        """Raise what the user did to the server meanwhile, if that is why it failed; else put the
        server's name, which upstream does not know, into the error."""
        now = self._entry(ref)
        if now is None:
            raise NotFound(
                f"{name} was removed while it was working on this.", "Go on without it."
            ) from error
        if now.config.disabled and error.failure.kind is not FailureKind.DISABLED:
            off = Failure(FailureKind.DISABLED)
            message = f"{name} was turned off while it was working on this."
            raise UpstreamFailed(off, message, advise(off, name).suggestion) from error
        if error.message.startswith(UNNAMED):
            error.message = f"{name}{error.message.removeprefix(UNNAMED)}"


def forwarded_meta(meta: JsonObject) -> JsonObject:
    """The part of a request's `_meta` for the server: without those of this hop."""
    return {
        key: value
        for key, value in meta.items()
        if key not in _HOP_META_KEYS and not key.startswith(_HOP_META_PREFIX)
    }


def _is_idempotent(tool: Tool) -> bool:
    hints = tool.annotations
    return hints.get("idempotentHint") is True or hints.get("readOnlyHint") is True


def _was_lost(error: UpstreamFailed) -> bool:
    """Whether a working connection broke: not a failed start, nor an HTTP error of the server."""
    failure = error.failure
    broke = failure.kind in (FailureKind.EXITED, FailureKind.UNREACHABLE, FailureKind.STUCK)
    return broke and failure.retry_at is None and not isinstance(error, HttpRefused)


def _wrong_arguments(tool: Tool, wrong: list[str]) -> WrongArguments:
    """An error with which an agent can correct its call at once."""
    schema = tool.input_schema
    message = f"Wrong arguments for {tool.key}: {' '.join(wrong)}"
    return WrongArguments(message, f"Its input schema: {compact_json(schema)}", schema)
