"""Prompts, resources and completion: forwarded to the server they belong to, in every exposure."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

from router.catalog.permission_policy import Subject
from router.catalog.prompts_resources import ExposedItem, server_of_uri
from router.catalog.view import View
from router.domain.activity import ActivityKind, Outcome
from router.domain.clients import Principal
from router.domain.errors import Refused, ToolboothError, UpstreamAnsweredError
from router.domain.ids import ServerId, ServerRef
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.permissions import PermissionKind
from router.domain.result import failed
from router.gateway.client_request import ClientRequest
from router.gateway.tools.activity_recorder import ActivityRecorder
from router.gateway.tools.execution import Execution, forwarded_meta
from router.wire.mcp import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, MCPError

RESOURCE_NOT_FOUND = -32002
_METHODS = {PermissionKind.PROMPT: "prompts/get", PermissionKind.RESOURCE: "resources/read"}


class PromptsAndResources:
    def __init__(self, execution: Execution, recorder: ActivityRecorder) -> None:
        self._execution = execution
        self._recorder = recorder
        self.methods: dict[str, Callable[[ClientRequest], Awaitable[JsonObject]]] = {
            "prompts/list": self._list_prompts,
            "prompts/get": self._get_prompt,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read_resource,
            "completion/complete": self._complete,
        }

    async def _list_prompts(self, request: ClientRequest) -> JsonObject:
        return {"prompts": _wires((await self._settled_view(request)).prompts.values())}

    async def _list_resources(self, request: ClientRequest) -> JsonObject:
        return {"resources": _wires((await self._settled_view(request)).resources.values())}

    async def _list_templates(self, request: ClientRequest) -> JsonObject:
        view = await self._settled_view(request)
        return {"resourceTemplates": _wires(view.templates.values())}

    async def _get_prompt(self, request: ClientRequest) -> JsonObject:
        prompt = await self._prompt(request, request.params.get("name"))
        subject = Subject(PermissionKind.PROMPT, prompt.server, prompt.original)
        return await self._forward(request, subject, {**request.params, "name": prompt.original})

    async def _read_resource(self, request: ClientRequest) -> JsonObject:
        client_uri = _text(request.params.get("uri"), "uri")
        ref, uri = await self.find_resource(request, client_uri)
        subject = Subject(PermissionKind.RESOURCE, ref.server, uri)
        result = await self._forward(request, subject, {**request.params, "uri": uri})
        return result if client_uri == uri else _with_client_uri(result, uri, client_uri)

    async def _complete(self, request: ClientRequest) -> JsonObject:
        reference = as_object(request.params.get("ref"))
        if reference.get("type") == "ref/prompt":
            prompt = await self._prompt(request, reference.get("name"))
            subject = Subject(PermissionKind.PROMPT, prompt.server, prompt.original)
            changed = {"name": prompt.original}
        else:
            client_uri = _text(reference.get("uri"), "ref.uri")
            if (template := self._view(request).templates.get(client_uri)) is not None:
                server, uri = template.server, template.original
            else:
                ref, uri = await self.find_resource(request, client_uri)
                server = ref.server
            subject = Subject(PermissionKind.RESOURCE, server, uri)
            changed = {"uri": uri}
        params = _forwarded({**request.params, "ref": {**reference, **changed}})
        request = replace(request, on_progress=None)
        try:
            await self._execution.check_permission(request, subject, {})
            return await self._execution.forward(
                request, subject.server, "completion/complete", params
            )
        except ToolboothError as error:
            raise _mcp_error(error) from None

    async def subscribe(self, request: ClientRequest, client_uri: str) -> tuple[ServerRef, str]:
        """Subscribe to the resource that `find_resource` returns."""
        ref, uri = await self.find_resource(request, client_uri)
        request = replace(request, on_progress=None)
        try:
            subject = Subject(PermissionKind.RESOURCE, ref.server, uri)
            await self._execution.check_permission(request, subject, {})
            await self._execution.forward(request, ref.server, "resources/subscribe", {"uri": uri})
        except ToolboothError as error:
            raise _mcp_error(error) from None
        return ref, uri

    async def unsubscribe(self, ref: ServerRef, uri: str) -> None:
        """Nobody is subscribed to the resource any more. Errors of its server are ignored."""
        with contextlib.suppress(ToolboothError):
            await self._execution.upstreams.unsubscribe(ref, uri)

    def lists(self, principal: Principal) -> tuple[object, object]:
        """What this principal gets as its prompts, and as its resources."""
        view = self._execution.view(principal)
        return view.prompts, (view.resources, view.templates)

    def _view(self, request: ClientRequest) -> View:
        return self._execution.view(request.principal)

    async def _settled_view(self, request: ClientRequest) -> View:
        await self._execution.wait_briefly(request.principal)
        return self._view(request)

    async def _view_with(self, request: ClientRequest, server: ServerId | None) -> View:
        """The view, once the lists of the server that a name or a URI names are known; of one that
        names none, those that are known in a moment."""
        if server is None:
            return await self._settled_view(request)
        try:
            return await self._execution.view_with(request, server)
        except ToolboothError as error:
            raise _mcp_error(error) from None

    async def _prompt(self, request: ClientRequest, name: object) -> ExposedItem:
        name = _text(name, "name")
        view = self._view(request)
        if name not in view.prompts:
            view = await self._view_with(request, view.server_of(name))
        prompt = view.prompts.get(name)
        if prompt is None:
            try:
                view.check_prompt(name)
            except ToolboothError as error:
                raise _mcp_error(error) from None
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {name}")
        return prompt

    async def find_resource(self, request: ClientRequest, client_uri: str) -> tuple[ServerRef, str]:
        """The server of the resource that the client knows by `client_uri`, and its URI there."""
        try:
            found = self._view(request).find_resource(client_uri)
            if found is None:
                view = await self._view_with(request, server_of_uri(client_uri))
                found = view.find_resource(client_uri)
        except ToolboothError as error:
            raise _mcp_error(error) from None
        if found is None:
            raise MCPError(RESOURCE_NOT_FOUND, "Resource not found", {"uri": client_uri})
        server, uri = found
        return ServerRef(request.principal.workspace, server), uri

    async def _forward(
        self, request: ClientRequest, subject: Subject, params: JsonObject
    ) -> JsonObject:
        outcome, message = Outcome.CANCELLED, None
        arguments = as_object(params.get("arguments"))
        try:
            await self._execution.check_permission(request, subject, arguments)
            result = await self._execution.forward(
                request, subject.server, _METHODS[subject.kind], _forwarded(params)
            )
            outcome = Outcome.OK
            return result
        except ToolboothError as error:
            outcome = Outcome.DENIED if isinstance(error, Refused) else Outcome.ERROR
            message = error.message
            raise _mcp_error(error) from None
        finally:
            self._recorder.record(
                request,
                ActivityKind(subject.kind),
                outcome,
                server=subject.server,
                tool=subject.name,
                message=message,
            )


def _mcp_error(error: ToolboothError) -> MCPError:
    """A server's own error as it is; any other with our message."""
    if isinstance(error, UpstreamAnsweredError):
        return MCPError(error.code, error.message, error.data)
    code = INVALID_REQUEST if isinstance(error, Refused) else INTERNAL_ERROR
    return MCPError(code, failed(error).sentence)


def _wires(items: Iterable[ExposedItem]) -> list[JsonObject]:
    return [item.wire for item in items]


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise MCPError(INVALID_PARAMS, f'"{name}" must be a string.')
    return value


def _forwarded(params: JsonObject) -> JsonObject:
    """Params with only the part of `_meta` that is for the server."""
    rest = {key: value for key, value in params.items() if key != "_meta"}
    meta = forwarded_meta(as_object(params.get("_meta")))
    return {**rest, "_meta": meta} if meta else rest


def _with_client_uri(result: JsonObject, uri: str, client_uri: str) -> JsonObject:
    """A `resources/read` result with the client's URI where the server wrote its own."""
    contents = [
        {**as_object(item), "uri": client_uri} if as_object(item).get("uri") == uri else item
        for item in as_array(result.get("contents"))
    ]
    return {**result, "contents": contents}
