"""Prompts, resources and completion: passed through to the server they belong to, in every mode."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable

import mcp_types as types
from mcp.shared.exceptions import MCPError

from router.catalog.prompts_resources import ExposedItem
from router.catalog.view import View
from router.domain.activity import ActivityKind, Outcome
from router.domain.clients import Principal
from router.domain.errors import Refused, ToolboothError, UpstreamAnsweredError
from router.domain.ids import ServerId, ServerRef
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.permissions import Kind
from router.gateway.tools.activity_recorder import Recorder, Request
from router.gateway.tools.execution import Execution, forwarded_meta

RESOURCE_NOT_FOUND = -32002
_KINDS = {ActivityKind.PROMPT: Kind.PROMPT, ActivityKind.RESOURCE: Kind.RESOURCE}


class PassThrough:
    """Answers every request about prompts and resources."""

    def __init__(self, execution: Execution, recorder: Recorder) -> None:
        self._execution = execution
        self._recorder = recorder
        self.methods: dict[str, Callable[[Request], Awaitable[JsonObject]]] = {
            "prompts/list": self._list_prompts,
            "prompts/get": self._get_prompt,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read_resource,
            "completion/complete": self._complete,
        }

    async def _list_prompts(self, request: Request) -> JsonObject:
        return {"prompts": _wires(self._view(request).prompts.values())}

    async def _list_resources(self, request: Request) -> JsonObject:
        return {"resources": _wires(self._view(request).resources.values())}

    async def _list_templates(self, request: Request) -> JsonObject:
        return {"resourceTemplates": _wires(self._view(request).templates.values())}

    async def _get_prompt(self, request: Request) -> JsonObject:
        offer = self._prompt(request, request.params.get("name"))
        params = {**request.params, "name": offer.original}
        return await self._forward(
            request, ActivityKind.PROMPT, offer.server, offer.original, "prompts/get", params
        )

    async def _read_resource(self, request: Request) -> JsonObject:
        asked = _text(request.params.get("uri"), "uri")
        server, address = self._address(request, asked)
        params = {**request.params, "uri": address}
        result = await self._forward(
            request, ActivityKind.RESOURCE, server, address, "resources/read", params
        )
        return result if asked == address else _under_address(result, address, asked)

    async def _complete(self, request: Request) -> JsonObject:
        reference = as_object(request.params.get("ref"))
        if reference.get("type") == "ref/prompt":
            offer = self._prompt(request, reference.get("name"))
            server, changed = offer.server, {"name": offer.original}
        else:
            asked = _text(reference.get("uri"), "ref.uri")
            offer = self._view(request).templates.get(asked)
            server, address = (
                (offer.server, offer.original) if offer else self._address(request, asked)
            )
            changed = {"uri": address}
        params = {**request.params, "ref": {**reference, **changed}}
        ref = ServerRef(request.caller.workspace, server)
        try:
            return await self._execution.forward(
                ref, "completion/complete", _cleaned(params), None, request.requester
            )
        except ToolboothError as error:
            raise _for_the_client(error) from None

    async def subscribe(self, request: Request, asked: str) -> tuple[ServerRef, str]:
        """Have a server tell when the resource at an address changes: which one, and its address
        there."""
        server, address = self._address(request, asked)
        ref = ServerRef(request.caller.workspace, server)
        try:
            await self._execution.admit(
                request.caller, Kind.RESOURCE, server, address, {}, None, request.requester
            )
            await self._execution.forward(
                ref, "resources/subscribe", {"uri": address}, None, request.requester
            )
        except ToolboothError as error:
            raise _for_the_client(error) from None
        return ref, address

    async def unsubscribe(self, ref: ServerRef, address: str) -> None:
        """Nobody is interested in the resource any more, whatever its server says to that."""
        with contextlib.suppress(ToolboothError):
            await self._execution.unsubscribe(ref, address)

    def address(self, request: Request, asked: str) -> tuple[ServerRef, str]:
        server, address = self._address(request, asked)
        return ServerRef(request.caller.workspace, server), address

    def offers(self, caller: Principal) -> tuple[object, object]:
        """What this caller gets as its prompts, and as its resources."""
        view = self._execution.view(caller)
        return view.prompts, (view.resources, view.templates)

    def _view(self, request: Request) -> View:
        return self._execution.view(request.caller)

    def _prompt(self, request: Request, name: object) -> ExposedItem:
        offer = self._view(request).prompts.get(_text(name, "name"))
        if offer is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {name}")
        return offer

    def _address(self, request: Request, asked: str) -> tuple[ServerId, str]:
        found = self._view(request).find_resource(asked)
        if found is None:
            raise MCPError(RESOURCE_NOT_FOUND, "Resource not found", {"uri": asked})
        return found

    async def _forward(
        self,
        request: Request,
        kind: ActivityKind,
        server: ServerId,
        subject: str,
        method: str,
        params: JsonObject,
    ) -> JsonObject:
        started, outcome, message = time.perf_counter(), Outcome.CANCELLED, None
        ref = ServerRef(request.caller.workspace, server)
        try:
            permitted = self._execution.admit
            await permitted(
                request.caller,
                _KINDS[kind],
                server,
                subject,
                _arguments(params),
                request.on_progress,
                request.requester,
            )
            result = await self._execution.forward(
                ref, method, _cleaned(params), request.on_progress, request.requester
            )
            outcome = Outcome.OK
            return result
        except ToolboothError as error:
            outcome = Outcome.DENIED if isinstance(error, Refused) else Outcome.ERROR
            message = error.message
            raise _for_the_client(error) from None
        finally:
            self._recorder.note(
                request, kind, started, outcome, server=server, tool=subject, message=message
            )


def _for_the_client(error: ToolboothError) -> MCPError:
    """A server's own error as it is; any other with our words."""
    if isinstance(error, UpstreamAnsweredError):
        return MCPError(error.code, error.message, error.data)
    if isinstance(error, Refused):
        return MCPError(types.INVALID_REQUEST, f"{error.message} {error.hint}")
    return MCPError(types.INTERNAL_ERROR, f"{error.message} {error.hint}".strip())


def _wires(offers: Iterable[ExposedItem]) -> list[JsonObject]:
    return [offer.wire for offer in offers]


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise MCPError(types.INVALID_PARAMS, f'"{name}" must be a string.')
    return value


def _cleaned(params: JsonObject) -> JsonObject:
    """Params with only the part of `_meta` that is meant for the server."""
    rest = {key: value for key, value in params.items() if key != "_meta"}
    meta = forwarded_meta(as_object(params.get("_meta")))
    return {**rest, "_meta": meta} if meta else rest


def _arguments(params: JsonObject) -> JsonObject:
    return as_object(params.get("arguments"))


def _under_address(result: JsonObject, theirs: str, ours: str) -> JsonObject:
    """A read result with our address where the server wrote its own."""
    renamed = [
        {**as_object(item), "uri": ours} if as_object(item).get("uri") == theirs else item
        for item in as_array(result.get("contents"))
    ]
    return {**result, "contents": renamed}
