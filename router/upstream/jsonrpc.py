"""One JSON-RPC peer over any link: which answer belongs to which request, on plain dicts.

The peer knows ids, progress, cancellation and what a server may ask of us. It knows neither bytes
nor connections: a `Link` carries its messages and calls `receive` for those that come in. It checks
nothing of what it carries, so that results pass unchanged.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import re
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, cast

from router.errors import UpstreamAnsweredError
from router.model import Failure, JsonObject, as_object
from router.ports import ProgressSink
from router.tasks import spawn, stop
from router.upstream.failures import bad_protocol, failed, timed_out
from router.upstream.protocol import INTERNAL_ERROR, METHOD_NOT_FOUND

log = logging.getLogger(__name__)

NotificationSink: TypeAlias = Callable[[str, JsonObject], None]
"""Receives the method and params of a server's notification; must not raise."""

_UNCANCELLABLE = ("initialize", "server/discover")
_PROGRESS_BACKLOG = 1000
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

    def receive(self, message: JsonObject) -> None: ...
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


class _Progress:
    """Hands a request's progress to its sink in order, one at a time, off the reading path."""

    def __init__(self, sink: ProgressSink) -> None:
        self._sink = sink
        self._waiting: deque[JsonObject] = deque(maxlen=_PROGRESS_BACKLOG)
        self._forwarding: asyncio.Task[None] | None = None

    def feed(self, params: JsonObject) -> None:
        self._waiting.append(params)
        if self._forwarding is None or self._forwarding.done():
            self._forwarding = spawn(self._forward(), name="progress")

    async def _forward(self) -> None:
        while self._waiting:
            await self._sink(self._waiting.popleft())

    async def settle(self) -> None:
        """Return when all progress so far has been handed on."""
        if self._forwarding is not None:
            await asyncio.wait([self._forwarding])

    async def stop(self) -> None:
        await stop(self._forwarding)


class _Pending:
    """A request that waits for its answer."""

    __slots__ = ("answer", "bound", "progress")

    def __init__(self, on_progress: ProgressSink | None) -> None:
        self.answer: asyncio.Future[JsonObject | Failure] = (
            asyncio.get_running_loop().create_future()
        )
        self.bound: asyncio.Timeout | None = None
        self.progress = None if on_progress is None else _Progress(on_progress)

    def give_up(self) -> None:
        """Wake whoever waits, wherever in sending or waiting they are."""
        if self.bound is not None and not self.bound.expired():
            self.bound.reschedule(0)


class Peer:
    """Our end of a connection. Ids are our own integers, which are also the progress tokens."""

    def __init__(self, link: Link, on_notification: NotificationSink) -> None:
        self._link = link
        self._on_notification = on_notification
        self._ids = itertools.count(1)
        self._pending: dict[int, _Pending] = {}
        self._closed: asyncio.Future[Failure] = asyncio.get_running_loop().create_future()
        self.last_used = time.monotonic()
        self.left_unanswered = 0
        """How many requests were waiting when it was closed."""

    @property
    def closed(self) -> bool:
        return self._closed.done()

    @property
    def busy(self) -> bool:
        return bool(self._pending)

    async def wait_closed(self) -> Failure:
        return await asyncio.shield(self._closed)

    async def request(
        self,
        method: str,
        params: JsonObject | None = None,
        *,
        on_progress: ProgressSink | None = None,
        timeout_s: float | None = None,
    ) -> JsonObject:
        """The server's result. Cancelling this, or its timeout, tells the server to cancel."""
        self._raise_if_closed()
        request_id = next(self._ids)
        pending = self._pending[request_id] = _Pending(on_progress)
        message: JsonObject = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if on_progress is not None:
            params = _with_progress_token(params, request_id)
        if params is not None:
            message["params"] = params
        try:
            async with asyncio.timeout(timeout_s) as pending.bound:
                await self._link.send(message)
                answer = await pending.answer
                if pending.progress is not None:
                    await pending.progress.settle()
        except TimeoutError:
            self._raise_if_closed()
            self._cancel(request_id, method, "timed out")
            raise failed(timed_out(timeout_s or 0)) from None
        except asyncio.CancelledError:
            self._cancel(request_id, method, "cancelled by the client")
            raise
        finally:
            del self._pending[request_id]
            self.last_used = time.monotonic()
            if pending.progress is not None:
                await pending.progress.stop()
        return _result_of(answer, method)

    async def notify(self, method: str, params: JsonObject | None = None) -> None:
        self._raise_if_closed()
        await self._link.send(_notification(method, params))

    def receive(self, message: JsonObject) -> None:
        """Take a message the link received."""
        method = message.get("method")
        if isinstance(method, str):
            if "id" in message:
                self._link.send_soon(_answer_to(method, message["id"]))
            else:
                self._take_notification(method, as_object(message.get("params")))
        else:
            self._take_answer(message)

    def reject(self, request_id: int | None, failure: Failure) -> None:
        pending = self._pending_of(request_id)
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(failure)

    def close(self, failure: Failure) -> None:
        """Fail all requests that wait, and all to come, with `failure`. Only the first counts."""
        if self._closed.done():
            return
        self._closed.set_result(failure)
        self.left_unanswered = len(self._pending)
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

    def _take_notification(self, method: str, params: JsonObject) -> None:
        if method != "notifications/progress":
            self._on_notification(method, params)
            return
        pending = self._pending_of(params.get("progressToken"))
        if pending is not None and pending.progress is not None:
            pending.progress.feed({k: v for k, v in params.items() if k != "progressToken"})

    def _pending_of(self, request_id: object) -> _Pending | None:
        """The type is compared too: to Python `true` and `1.0` are the key `1`."""
        return self._pending.get(request_id) if type(request_id) is int else None


def _notification(method: str, params: JsonObject | None) -> JsonObject:
    message: JsonObject = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


def _with_progress_token(params: JsonObject | None, token: int) -> JsonObject:
    params = params or {}
    return {**params, "_meta": {**as_object(params.get("_meta")), "progressToken": token}}


def _answer_to(method: str, request_id: Any) -> JsonObject:
    """We advertise no capabilities, so a server may ask us nothing but whether we are there."""
    if method == "ping":
        return {"jsonrpc": "2.0", "id": request_id, "result": {}}
    error = {"code": METHOD_NOT_FOUND, "message": f"Method not found: {method[:100]}"}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


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
