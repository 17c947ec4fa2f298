"""Calls that need several rounds: the client is told what to find out, and repeats its request.

That is how the stateless revision asks. The call of an older server, which asks and waits, is kept
running meanwhile. The client gets a state to bring back, which is sealed on its way: what comes
here is a word of ours, or of the server's.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

import mcp_types as types
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

from router.domain.json_values import JsonObject, as_object
from router.gateway.session.client_peer import ClientAtHand, StatelessClient
from router.gateway.session.incoming import Incoming
from router.runtime.tasks import spawn
from router.upstream.server_requests import askable

AskServer: TypeAlias = Callable[[JsonObject], Awaitable[JsonObject]]

KEPT_S = 600.0
_MOST_KEPT = 256
_OURS = "ours:"
_THEIRS = "theirs:"


@dataclass(frozen=True, slots=True)
class _Question:
    wire: JsonObject
    answer: asyncio.Future[JsonObject]


class Round:
    """One call, and what its server wants to know."""

    def __init__(self, client: StatelessClient) -> None:
        self.client = client
        client.asks = self.ask
        self._numbers = itertools.count(1)
        self._questions: dict[str, _Question] = {}
        self._asked = asyncio.Event()
        self._call: asyncio.Task[JsonObject | MCPError]

    def begin(self, call: Callable[[], Awaitable[JsonObject]]) -> None:
        self._call = spawn(_outcome(call), name="call in rounds")

    def give_up(self) -> None:
        self._call.cancel()

    async def ask(self, method: str, params: JsonObject) -> JsonObject:
        answer: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        key = f"question-{next(self._numbers)}"
        self._questions[key] = _Question({"method": method, "params": params}, answer)
        self._asked.set()
        try:
            return await answer
        finally:
            self._questions.pop(key, None)

    def take(self, answers: JsonObject) -> None:
        for key, answer in answers.items():
            question = self._questions.get(key)
            if question is not None and isinstance(answer, dict) and not question.answer.done():
                question.answer.set_result(cast(JsonObject, answer))
                del self._questions[key]
        if not self._questions:
            self._asked.clear()

    async def next(self) -> JsonObject | None:
        """The call's result, or nothing when it asks. Cancelling this cancels the call."""
        asked = spawn(self._asked.wait(), name="wait for a question")
        try:
            await asyncio.wait([self._call, asked], return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._call.cancel()
            raise
        finally:
            asked.cancel()
        if not self._call.done():
            return None
        result = self._call.result()
        if isinstance(result, MCPError):
            raise result
        return result

    @property
    def requests(self) -> JsonObject:
        return {key: question.wire for key, question in self._questions.items()}


class Rounds:
    def __init__(self) -> None:
        self._kept: dict[str, Round] = {}
        security = RequestStateSecurity.ephemeral(ttl=KEPT_S)
        security.bind_principal = cast(Any, _principal)
        self._unsealed = cast(Any, RequestStateBoundary(security, default_audience="toolbooth"))

    async def answer(self, incoming: Incoming, client: ClientAtHand, ask: AskServer) -> JsonObject:
        """What the server says to a request, or what it wants to know first. `ask` asks it, with
        the params it is given."""

        async def answer(unsealed: Incoming) -> JsonObject:
            return await self._answer(unsealed, client, ask)

        return await self._unsealed(incoming, answer)

    async def _answer(self, incoming: Incoming, client: ClientAtHand, ask: AskServer) -> JsonObject:
        if _is_ours(incoming.params.get("requestState")):
            return await self._resume(incoming)
        params = _for_server(incoming.params)
        if not isinstance(client, StatelessClient) or not askable(client.capabilities):
            return _passed_on(await ask(params))
        this = Round(client)
        this.begin(partial(ask, params))
        return await self._until_next(this)

    async def _resume(self, incoming: Incoming) -> JsonObject:
        """Go on with a call whose server waits for answers."""
        this = self._kept.pop(str(incoming.params["requestState"]).removeprefix(_OURS), None)
        if this is None:
            raise MCPError(types.INVALID_PARAMS, "Invalid or expired requestState")
        this.client.continued(incoming)
        this.take(as_object(incoming.params.get("inputResponses")))
        return await self._until_next(this)

    async def _until_next(self, this: Round) -> JsonObject:
        result = await this.next()
        if result is not None:
            return _passed_on(result)
        handle = self._keep(this)
        return {
            "resultType": "input_required",
            "inputRequests": this.requests,
            "requestState": f"{_OURS}{handle}",
        }

    def _keep(self, this: Round) -> str:
        if len(self._kept) >= _MOST_KEPT:
            self._drop(next(iter(self._kept)))
        handle = secrets.token_urlsafe(12)
        self._kept[handle] = this
        asyncio.get_running_loop().call_later(KEPT_S, self._drop, handle)
        return handle

    def _drop(self, handle: str) -> None:
        if (dropped := self._kept.pop(handle, None)) is not None:
            dropped.give_up()


def _is_ours(state: object) -> bool:
    return isinstance(state, str) and state.startswith(_OURS)


def _for_server(params: JsonObject) -> JsonObject:
    """A repeated request's params with the state as the server gave it."""
    state = params.get("requestState")
    if not isinstance(state, str):
        return params
    return {**params, "requestState": state.removeprefix(_THEIRS)}


def _passed_on(result: JsonObject) -> JsonObject:
    """A server's result with its state marked as its own, so that it can't pass for one of ours."""
    state = result.get("requestState")
    if result.get("resultType") != "input_required" or not isinstance(state, str):
        return result
    return {**result, "requestState": f"{_THEIRS}{state}"}


async def _outcome(call: Callable[[], Awaitable[JsonObject]]) -> JsonObject | MCPError:
    try:
        return await call()
    except MCPError as error:
        return error


def _principal(incoming: Incoming) -> str:
    """To whom a state we give out belongs."""
    caller = incoming.caller
    return repr((caller.token, caller.workspace, caller.project))
