"""The one path to a server: every tool call, prompt and resource passes here, however it was made.

The order of the checks is the contract: scope, arguments, permission, server state; only then is
the server called. Its result goes back unchanged; its errors, without our secrets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from router.catalog.catalog import WorkspaceCatalog
from router.catalog.permission_policy import ALLOWED, Subject
from router.catalog.server_entry import ServerEntry
from router.catalog.text_forms import Located, nowhere
from router.catalog.tool_definition import compact_json
from router.catalog.view import View
from router.domain.clients import Principal
from router.domain.errors import (
    NotFound,
    NoWorkspace,
    Refused,
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
from router.domain.permissions import Permission, PermissionKind
from router.domain.result import Ok, ToolResult, failed
from router.domain.servers import TransportType
from router.domain.tools import Tool
from router.gateway.client_request import ClientRequest
from router.gateway.tools.arguments import problems
from router.gateway.tools.local_paths import LocalPaths
from router.gateway.tools.permission_requests import PermissionRequests
from router.gateway.tools.unlisted_servers import IncreasingProgress, ToolListWaits
from router.store.redaction import Redactor
from router.upstream.errors import UNNAMED, HttpRefused
from router.upstream.ports import CallOptions, ClientPeer, Upstreams

Perform: TypeAlias = Callable[[], Awaitable[JsonObject]]

_DECISION_TIMEOUT_S = 10.0
_PERMITTED, _NOT_ASKED = "permitted:", "not-asked:"
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
    allows_folder: Callable[[ServerRef, str], bool]
    """Whether the user has allowed a server to run in a client's folder. Reads a file."""

    def view(self, principal: Principal) -> View:
        catalog = self.catalogs.get(principal.workspace)
        if catalog is None:
            raise NoWorkspace(principal.workspace)
        return catalog.view(principal.project, principal.servers, chosen=principal.chose_project)

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
            responses, answered = _input_responses(request)
            permission = Permission.ALLOW
            if (policy := view.policy(key)) is not ALLOWED:
                if policy.depends_on_arguments:
                    located = self._located(request, key.server)
                    schema = tool.input_schema
                    permission = await _decided(policy.decide, arguments, schema, located)
                else:
                    permission = policy.decide({})
                await self.permission_requests.check(
                    request,
                    Subject(PermissionKind.TOOL, key.server, key.tool, tool.annotations),
                    permission,
                    arguments,
                    self._server_name(request.principal, key.server),
                    answered=answered,
                )
            if perform is not None:
                return Ok(await perform())
            params: JsonObject = {"name": key.tool, "arguments": arguments, **responses}
            if meta := forwarded_meta(request.meta):
                params["_meta"] = meta
            idempotent = _is_idempotent(tool)
            result = await self.forward(
                request, key.server, "tools/call", params, idempotent=idempotent
            )
            if result.get("resultType") == "input_required":
                return Ok(_with_permission(result, permission))
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
        view = self.view(request.principal)
        if not view.layers:
            return
        located = self._located(request, subject.server)

        def decide() -> Permission:
            return view.policy_for(subject, located).decide(arguments, located=located)

        permission = await _decided(decide)
        server_name = self._server_name(request.principal, subject.server)
        await self.permission_requests.check(request, subject, permission, arguments, server_name)

    def _located(self, request: ClientRequest, server: ServerId) -> Located:
        entry = self._entry(ServerRef(request.principal.workspace, server))
        if entry is None or entry.config.transport is not TransportType.STDIO:
            return nowhere
        client_folder = request.client.folder if request.client is not None else None
        config = entry.config.in_folder(client_folder or str(Path.home()))
        return LocalPaths(config.cwd or str(Path.cwd()))

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
        entry = self._entry(ref)
        if entry is not None and entry.config.follows_client and request.client is not None:
            await self._check_folder(request, request.client, ref, entry.name)
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

    async def _check_folder(
        self, request: ClientRequest, client: ClientPeer, ref: ServerRef, name: str
    ) -> None:
        """Raise `Refused` unless the server may run in the client's folder: what is in a folder can
        decide which code runs, and the client chooses the folder."""
        if client.folder is None:
            await client.find_folder()
        folder = client.folder  # without one, the upstream refuses the call
        if folder is None or await asyncio.to_thread(self.allows_folder, ref, folder):
            return
        subject = Subject(PermissionKind.FOLDER, ref.server, folder)
        await self.permission_requests.check(request, subject, Permission.ASK, {}, name)

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
            advice = advise(off, name)
            raise UpstreamFailed(off, message, advice.suggestion, advice.terminal) from error
        if error.message.startswith(UNNAMED):
            error.message = f"{name}{error.message.removeprefix(UNNAMED)}"


def _with_permission(result: JsonObject, permission: Permission) -> JsonObject:
    """An `input_required` result whose state says whether the user was asked for this call. The
    state is sealed on its way to the client."""
    state = result.get("requestState")
    if not isinstance(state, str):
        return result
    mark = _PERMITTED if permission is Permission.ASK else _NOT_ASKED
    return {**result, "requestState": f"{mark}{state}"}


def _input_responses(request: ClientRequest) -> tuple[JsonObject, bool]:
    """By which params the call is continued, and whether it is one that the user permitted."""
    responses = request.input_responses
    if not isinstance(state := responses.get("requestState"), str):
        return responses, False
    given = state.partition(":")[2]
    return {**responses, "requestState": given}, state.startswith(_PERMITTED)


async def _decided(decide: Callable[..., Permission], *arguments: object) -> Permission:
    """The permission, decided in a thread: a file system that does not answer must not block the
    loop, nor allow the call."""
    try:
        async with asyncio.timeout(_DECISION_TIMEOUT_S):
            return await asyncio.to_thread(decide, *arguments)
    except TimeoutError:
        raise Refused(
            "The user's rules could not be checked: a path in the arguments does not answer.",
            "Go on without it, or use another path.",
        ) from None


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
