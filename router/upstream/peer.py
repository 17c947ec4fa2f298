"""One JSON-RPC peer over any link: which answer belongs to which request, on plain dicts.

The peer knows ids, progress, cancellation, and whom a server's questions go to. It knows neither
bytes nor connections: a `Link` carries its messages and calls `receive` for those that come in. It
checks nothing of what it carries, so that results pass unchanged.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import re
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, cast

from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure
from router.domain.json_values import JsonObject, as_object
from router.runtime.tasks import spawn
from router.upstream.errors import bad_protocol, failed, timed_out
from router.upstream.pending_request import Pending
from router.upstream.ports import ProgressSink, Requester
from router.upstream.server_requests import TOLD, Questions
from router.wire.mcp import INTERNAL_ERROR, INVALID_REQUEST

log = logging.getLogger(__name__)

NotificationSink: TypeAlias = Callable[[str, JsonObject], None]
"""Receives the method and params of a server's notification; must not raise."""

_UNCANCELLABLE = ("initialize", "server/discover")
_MOST_QUESTIONS = 32
_QUESTION_TIMEOUT_S = 300.0
_END_BYTES = 100
_ID_FIRST = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*[,}]')
_ID_LAST = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')

_encode = json.JSONEncoder(separators=(",", ":")).encode


class Link(Protocol):
    """What carries a peer's messages."""

    @property
    def cancels_by_closing(self) -> bool:
        """Whether giving up on `send` tells the server to cancel, so that no notice is needed."""
        ...

    async def send(self, message: JsonObject) -> None:
        """Deliver `message`. If it is a request, its answer has come or can still come on return.

        Raises `UpstreamFailed` if it can't be delivered.
        """
        ...

    def send_soon(self, message: JsonObject) -> None:
        """Deliver `message` without waiting and, if that fails, without complaint."""
        ...


class Receiver(Protocol):
    """Who takes what a link receives: the peer."""

    def receive(self, message: JsonObject, related: object = None) -> None:
        """Take a message; `related` is the id of our request it came with, if that is known."""
        ...

    def reject(self, request_id: int | None, failure: Failure) -> None:
        """Fail the request whose answer came but can't be used, if it is known."""
        ...

    def close(self, failure: Failure) -> None: ...


def encode(message: JsonObject) -> bytes:
    return _encode(message).encode()


def answered_id(text: bytes) -> int | None:
    """The request that a text which can't be decoded answers, if it says so at one of its ends:
    further in, an id may be anyone's."""
    found = _ID_FIRST.match(text) or _ID_LAST.search(text, max(0, len(text) - _END_BYTES))
    return int(found[1]) if found else None


class Peer:
    """Our end of a connection. Ids are our own integers, which are also the progress tokens."""

    def __init__(
        self, link: Link, on_notification: NotificationSink, questions: Questions | None = None
    ) -> None:
        self._link = link
        self._on_notification = on_notification
        self._questions = questions or Questions()
        self._asked: dict[str | int, asyncio.Task[None]] = {}
        """What the server asked us and waits for, by its own ids."""
        self._ids = itertools.count(1)
        self._pending: dict[int, Pending] = {}
        self._closed: asyncio.Future[Failure] = asyncio.get_running_loop().create_future()
        self.last_used = time.monotonic()
        self.left_unanswered = 0
        """How many requests were waiting when it was closed."""

    @property
    def closed(self) -> bool:
        return self._closed.done()

    @property
    def busy(self) -> bool:
        return any(not pending.standing for pending in self._pending.values())

    async def wait_closed(self) -> Failure:
        return await asyncio.shield(self._closed)

    async def request(
        self,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
        requester: Requester | None = None,
        standing: bool = False,
    ) -> JsonObject:
        """The server's result. Cancelling this, or its timeout, tells the server to cancel. A
        `standing` request waits for what may come and does not count as use."""
        self._raise_if_closed()
        request_id = next(self._ids)
        pending = Pending(on_progress, requester, standing=standing)
        self._pending[request_id] = pending
        message: JsonObject = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if on_progress is not None:
            params = _with_progress_token(params, request_id)
        if params is not None:
            message["params"] = params
        try:
            async with asyncio.timeout(timeout_s) as pending.bound:
                await self._link.send(message)
                answer = await pending.answer
                await pending.settle()
        except TimeoutError:
            self._raise_if_closed()
            self._cancel(request_id, method, "timed out")
            raise failed(timed_out(timeout_s or 0)) from None
        except asyncio.CancelledError:
            self._cancel(request_id, method, "cancelled by the client")
            raise
        finally:
            del self._pending[request_id]
            if not standing:
                self.last_used = time.monotonic()
            await pending.end()
        return _result_of(answer, method)

    async def notify(self, method: str, params: JsonObject | None = None) -> None:
        self._raise_if_closed()
        await self._link.send(_notification(method, params))

    def receive(self, message: JsonObject, related: object = None) -> None:
        """Take a message the link received."""
        method = message.get("method")
        if not isinstance(method, str):
            self._take_answer(message)
        elif "id" in message:
            self._take_question(message["id"], method, as_object(message.get("params")), related)
        else:
            self._take_notification(method, as_object(message.get("params")), related)

    def reject(self, request_id: int | None, failure: Failure) -> None:
        pending = self._pending_of(request_id)
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(failure)

    def close(self, failure: Failure) -> None:
        """Fail all requests that wait, and all to come, with `failure`. Only the first counts."""
        if self._closed.done():
            return
        self._closed.set_result(failure)
        self.left_unanswered = sum(not each.standing for each in self._pending.values())
        for asked in tuple(self._asked.values()):
            asked.cancel()
        for pending in self._pending.values():
            pending.give_up()

    def _raise_if_closed(self) -> None:
        if self._closed.done():
            raise failed(self._closed.result())

    def _cancel(self, request_id: int, method: str, reason: str) -> None:
        if self._link.cancels_by_closing or method in _UNCANCELLABLE or self.closed:
            return
        params = {"requestId": request_id, "reason": reason}
        self._link.send_soon(_notification("notifications/cancelled", params))

    def _take_answer(self, message: JsonObject) -> None:
        pending = self._pending_of(message.get("id"))
        if pending is None or pending.answer.done():
            log.debug("Ignored an answer nobody waits for: id %.100r", message.get("id"))
            return
        pending.answer.set_result(message)

    def _take_notification(self, method: str, params: JsonObject, related: object) -> None:
        if method == "notifications/progress":
            pending = self._pending_of(params.get("progressToken"))
            if pending is not None:
                pending.progressed({k: v for k, v in params.items() if k != "progressToken"})
        elif method == "notifications/cancelled":
            self._withdraw(params.get("requestId"))
        elif method in TOLD:
            meant = self._questions.meant(self._pending.values(), self._pending_of(related))
            if meant is not None:
                meant.tell(method, params)
        else:
            self._on_notification(method, params)

    # What the server asks

    def _take_question(
        self, asked_id: Any, method: str, params: JsonObject, related: object
    ) -> None:
        if not isinstance(asked_id, str | int) or asked_id in self._asked:
            return  # no answer could reach it
        if method == "ping":
            self._link.send_soon({"jsonrpc": "2.0", "id": asked_id, "result": {}})
            return
        if len(self._asked) >= _MOST_QUESTIONS:
            refusal = UpstreamAnsweredError(INVALID_REQUEST, "Too many questions at once.")
            self._link.send_soon(_refusal(asked_id, refusal))
            return
        pending = self._questions.meant(self._pending.values(), self._pending_of(related))
        task = spawn(self._answer(asked_id, method, params, pending), name=f"answer {method[:40]}")
        self._asked[asked_id] = task
        task.add_done_callback(lambda _: self._asked.pop(asked_id, None))
        if pending is not None:
            pending.questions.add(task)
            task.add_done_callback(pending.questions.discard)

    async def _answer(
        self, asked_id: str | int, method: str, params: JsonObject, pending: Pending | None
    ) -> None:
        try:
            async with asyncio.timeout(_QUESTION_TIMEOUT_S):
                result = await self._questions.answer(method, params, pending)
            message: JsonObject = {"jsonrpc": "2.0", "id": asked_id, "result": result}
        except UpstreamAnsweredError as error:
            message = _refusal(asked_id, error)
        except TimeoutError:
            late = UpstreamAnsweredError(INTERNAL_ERROR, "Nobody answered in time.")
            message = _refusal(asked_id, late)
        with contextlib.suppress(UpstreamFailed):  # whoever waits for the server hears of it
            await self._link.send(message)

    def _withdraw(self, asked_id: object) -> None:
        """The server no longer wants to know."""
        task = self._asked.get(asked_id) if isinstance(asked_id, str | int) else None
        if task is not None:
            task.cancel()

    def _pending_of(self, request_id: object) -> Pending | None:
        """The type is compared too: to Python `true` and `1.0` are the key `1`."""
        return self._pending.get(request_id) if type(request_id) is int else None


def _notification(method: str, params: JsonObject | None) -> JsonObject:
    message: JsonObject = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


def _with_progress_token(params: JsonObject | None, token: int) -> JsonObject:
    params = params or {}
    return {**params, "_meta": {**as_object(params.get("_meta")), "progressToken": token}}


def _refusal(asked_id: str | int, error: UpstreamAnsweredError) -> JsonObject:
    body: JsonObject = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return {"jsonrpc": "2.0", "id": asked_id, "error": body}


def _result_of(answer: JsonObject | Failure, method: str) -> JsonObject:
    if isinstance(answer, Failure):
        raise failed(answer)
    result = answer.get("result")
    if isinstance(result, dict):
        return cast(JsonObject, result)
    if "error" in answer:
        raise _answered_error(as_object(answer["error"]))
    raise failed(bad_protocol(f"the answer to {method} has no result"))


def _answered_error(error: JsonObject) -> UpstreamAnsweredError:
    code = error.get("code")
    return UpstreamAnsweredError(
        code if isinstance(code, int) else INTERNAL_ERROR,
        str(error.get("message", "")),
        error.get("data"),
    )
