"""Calls that require input: the client gets an `input_required` result, and repeats its request.

That is how the modern revision sends requests to clients. The call of a legacy server, which asks
and waits, is kept running meanwhile. The client gets a `requestState` to send back, which is sealed
on its way: it can only be one of ours, or of the server's, for this very request, and only once.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, cast

from router.domain.json_values import JsonObject, as_object
from router.gateway.client_request import ClientRequest
from router.gateway.session.client_peer import LegacyClientPeer, ModernClientPeer
from router.runtime.tasks import spawn
from router.upstream.server_requests import features_of
from router.wire.jsonrpc import Result
from router.wire.mcp import INPUT_REQUIRED_METHODS, INVALID_PARAMS, MCPError

Handle: TypeAlias = Callable[[ClientRequest], Awaitable[Any]]
"""Handles one of the methods whose result may be `input_required`: returns a JSON object."""

KEPT_S = 600.0
_MAX_KEPT = 256
_MAX_ISSUED = 10_000
_OURS = "ours:"
_THEIRS = "theirs:"


@dataclass(frozen=True, slots=True)
class _InputRequest:
    wire: JsonObject
    response: asyncio.Future[JsonObject]


class InputRequiredCall:
    """A call that stays running while its client collects input."""

    def __init__(self, client: ModernClientPeer, handle: Handle, request: ClientRequest) -> None:
        self.client = client
        client.require_input = self._require_input
        self._numbers = itertools.count(1)
        self._pending: dict[str, _InputRequest] = {}
        self._required = asyncio.Event()
        self._call = spawn(_outcome(handle, request), name="input-required call")

    def cancel(self) -> None:
        self._call.cancel()

    async def _require_input(self, method: str, params: JsonObject) -> JsonObject:
        response: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        key = f"question-{next(self._numbers)}"
        self._pending[key] = _InputRequest({"method": method, "params": params}, response)
        self._required.set()
        try:
            return await response
        finally:
            self._pending.pop(key, None)

    def receive(self, input_responses: JsonObject) -> None:
        for key, response in input_responses.items():
            pending = self._pending.get(key)
            if pending is not None and isinstance(response, dict) and not pending.response.done():
                pending.response.set_result(cast(JsonObject, response))
                del self._pending[key]
        if not self._pending:
            self._required.clear()

    async def next(self) -> JsonObject | None:
        """The call's result, or `None` when it requires input. Cancelling this cancels the call."""
        required = spawn(self._required.wait(), name="wait for an input request")
        try:
            await asyncio.wait([self._call, required], return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._call.cancel()
            raise
        finally:
            required.cancel()
        if not self._call.done():
            return None
        result = self._call.result()
        if isinstance(result, MCPError):
            raise result
        return result

    @property
    def input_requests(self) -> JsonObject:
        return {key: pending.wire for key, pending in self._pending.items()}


class InputRequiredCalls:
    def __init__(self) -> None:
        self._kept: dict[str, InputRequiredCall] = {}
        self._issued: dict[str, None] = {}
        """The unused states of servers by their nonce, oldest first."""

    @functools.cached_property
    def _state_seal(self) -> Any:
        from router.gateway import sdk

        security = sdk.RequestStateSecurity.ephemeral(ttl=KEPT_S)
        security.bind_principal = cast(Any, _principal)
        return sdk.RequestStateBoundary(security, default_audience="toolbooth")

    async def _sealed(self, request: ClientRequest, handle: Handle) -> JsonObject:
        """What `handle` returns for a request whose state was ours, with its own state sealed."""
        from router.gateway import sdk

        try:
            return await self._state_seal(request, handle)
        except sdk.SDKError as error:
            raise MCPError(error.code, error.message, error.data) from None

    @staticmethod
    def may_require_input(
        request: ClientRequest, client: LegacyClientPeer | ModernClientPeer
    ) -> bool:
        """Whether a request must go through `handle`: it continues a call, or its result can
        require input from its client."""
        if request.method not in INPUT_REQUIRED_METHODS:
            return False
        continues = request.params.get("requestState") is not None
        modern = isinstance(client, ModernClientPeer)
        return continues or (modern and bool(features_of(client.capabilities)))

    async def handle(
        self,
        request: ClientRequest,
        client: LegacyClientPeer | ModernClientPeer,
        handle: Handle,
    ) -> JsonObject:
        """What `handle` returns for a request, or the input it requires first."""
        return await self._sealed(request, partial(self._handle_unsealed, client, handle))

    async def seal(self, request: ClientRequest, result: Result) -> Result:
        """A server's result as its client gets it. If it is `input_required`, its state is marked
        as the server's, so that it can't pass for one of ours, and sealed."""
        if isinstance(result, bytes) or result.get("resultType") != "input_required":
            return result
        if request.method not in INPUT_REQUIRED_METHODS:
            return result

        async def marked(_: ClientRequest) -> JsonObject:
            return self._marked(result)

        return await self._sealed(request, marked)

    async def _handle_unsealed(
        self,
        client: LegacyClientPeer | ModernClientPeer,
        handle: Handle,
        request: ClientRequest,
    ) -> JsonObject:
        state = request.params.get("requestState")
        if isinstance(state, str) and state.startswith(_OURS):
            return await self._continue(request, state.removeprefix(_OURS))
        request = replace(request, params=self._unmarked(request.params))
        if not isinstance(client, ModernClientPeer) or not features_of(client.capabilities):
            return self._marked(await handle(request))
        return await self._until_next(InputRequiredCall(client, handle, request))

    async def _continue(self, request: ClientRequest, call_id: str) -> JsonObject:
        """Continue a call whose server waits for input."""
        if (call := self._kept.pop(call_id, None)) is None:
            raise _invalid_state()
        call.client.continue_with(request)
        call.receive(as_object(request.params.get("inputResponses")))
        return await self._until_next(call)

    async def _until_next(self, call: InputRequiredCall) -> JsonObject:
        result = await call.next()
        if result is not None:
            return self._marked(result)
        call_id = self._keep(call)
        return {
            "resultType": "input_required",
            "inputRequests": call.input_requests,
            "requestState": f"{_OURS}{call_id}",
        }

    def _marked(self, result: JsonObject) -> JsonObject:
        """A server's result with its state marked as the server's, to be used once."""
        state = result.get("requestState")
        if result.get("resultType") != "input_required" or not isinstance(state, str):
            return result
        if len(self._issued) >= _MAX_ISSUED:
            del self._issued[next(iter(self._issued))]
        nonce = secrets.token_urlsafe(12)
        self._issued[nonce] = None
        return {**result, "requestState": f"{_THEIRS}{nonce}:{state}"}

    def _unmarked(self, params: JsonObject) -> JsonObject:
        """A repeated request's params with the state as its server gave it. Raises `MCPError` if
        it was used before."""
        state = params.get("requestState")
        if not isinstance(state, str):
            return params
        nonce, _, given = state.removeprefix(_THEIRS).partition(":")
        if nonce not in self._issued:
            raise _invalid_state()
        del self._issued[nonce]
        return {**params, "requestState": given}

    def _keep(self, call: InputRequiredCall) -> str:
        if len(self._kept) >= _MAX_KEPT:
            self._drop(next(iter(self._kept)))
        call_id = secrets.token_urlsafe(12)
        self._kept[call_id] = call
        asyncio.get_running_loop().call_later(KEPT_S, self._drop, call_id)
        return call_id

    def _drop(self, call_id: str) -> None:
        if (call := self._kept.pop(call_id, None)) is not None:
            call.cancel()


def _invalid_state() -> MCPError:
    return MCPError(INVALID_PARAMS, "Invalid or expired requestState")


async def _outcome(handle: Handle, request: ClientRequest) -> JsonObject | MCPError:
    try:
        return await handle(request)
    except MCPError as error:
        return error


def _principal(request: ClientRequest) -> str:
    """The principal that a state of ours is bound to."""
    return repr(request.principal.identity)
