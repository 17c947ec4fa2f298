"""The peer: which response belongs to which request, whatever the transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn
from router.upstream import pending_request
from router.upstream.message_decoder import InvalidMessage, decode
from router.upstream.peer import Peer
from router.upstream.ports import CallOptions

GONE = Failure(FailureKind.EXITED, "code 1", "boom")


class FakeTransport:
    """Records what was sent; `on_send` may answer it or block it."""

    def __init__(self) -> None:
        self.is_closing = self.cancels_by_closing = False
        self.sent: asyncio.Queue[JsonObject] = asyncio.Queue()
        self.on_send: Callable[[JsonObject], None] = lambda _: None
        self.clear = asyncio.Event()
        self.clear.set()

    async def send(self, message: JsonObject) -> None:
        self.send_soon(message)
        await self.clear.wait()

    async def start(self, peer: Peer) -> None: ...

    def set_protocol_version(self, version: str) -> None: ...

    async def close(self) -> None: ...

    def send_soon(self, message: JsonObject) -> None:
        self.sent.put_nowait(message)
        self.on_send(message)


@pytest.fixture
def transport(anyio_backend: Any) -> FakeTransport:
    return FakeTransport()


@pytest.fixture
async def peer(transport: FakeTransport) -> Peer:
    return Peer(transport, lambda method, params: None)


def answer(message: JsonObject, **content: Any) -> JsonObject:
    return {"jsonrpc": "2.0", "id": message["id"], **content}


async def failure_of(task: asyncio.Task[Any]) -> Failure:
    with pytest.raises(UpstreamFailed) as caught:
        await task
    return caught.value.failure


@pytest.mark.proves("META-3")
async def test_a_result_is_returned_as_it_was_sent(peer: Peer, transport: FakeTransport) -> None:
    result: JsonObject = {"content": [], "x": None, "_meta": {"a/b": [1, None]}, "isError": False}
    transport.on_send = lambda message: peer.receive(answer(message, result=result))
    assert await peer.request("tools/call", {"name": "t"}) is result
    assert await transport.sent.get() == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "t"},
    }


async def test_responses_match_their_requests_in_any_order(
    peer: Peer, transport: FakeTransport
) -> None:
    calls = [spawn(peer.request("m", {"n": n}), name="call") for n in range(100)]
    messages = [await transport.sent.get() for _ in calls]
    for message in reversed(messages):
        peer.receive(answer(message, result={"n": message["params"]["n"]}))
    assert [(await call)["n"] for call in calls] == list(range(100))


async def test_a_servers_error_keeps_code_message_and_data(
    peer: Peer, transport: FakeTransport
) -> None:
    error = {"code": -32042, "message": "Sign in", "data": {"url": "x"}}
    transport.on_send = lambda message: peer.receive(answer(message, error=error))
    with pytest.raises(UpstreamAnsweredError) as caught:
        await peer.request("tools/call")
    assert (caught.value.code, caught.value.message) == (-32042, "Sign in")
    assert caught.value.data == {"url": "x"}


@pytest.mark.parametrize("content", [{"result": None}, {"result": [1]}, {}])
async def test_a_response_without_a_result_is_a_protocol_error(
    peer: Peer, transport: FakeTransport, content: JsonObject
) -> None:
    transport.on_send = lambda message: peer.receive(answer(message, **content))
    with pytest.raises(UpstreamFailed) as caught:
        await peer.request("tools/call")
    assert caught.value.failure.kind is FailureKind.BAD_PROTOCOL


@pytest.mark.parametrize("odd_id", [2, "1", 1.0, True, None, [1], {"id": 1}])
async def test_responses_with_an_unknown_id_are_ignored(
    peer: Peer, transport: FakeTransport, odd_id: object
) -> None:
    call = spawn(peer.request("m"), name="call")
    await transport.sent.get()
    peer.receive({"jsonrpc": "2.0", "id": odd_id, "result": {"wrong": True}})
    peer.receive({"jsonrpc": "2.0", "id": 1, "result": {"right": True}})
    peer.receive({"jsonrpc": "2.0", "id": 1, "result": {"twice": True}})
    assert await call == {"right": True}
    peer.receive({"jsonrpc": "2.0", "id": 1, "result": {"late": True}})


@pytest.mark.proves("META-3")
async def test_progress_arrives_in_order_without_the_token_and_before_the_result(
    peer: Peer, transport: FakeTransport
) -> None:
    seen: list[JsonObject] = []

    async def slow_sink(params: JsonObject) -> None:
        await asyncio.sleep(0)
        seen.append(params)

    call = spawn(
        peer.request("m", {"_meta": {"a": 1}}, options=CallOptions(on_progress=slow_sink)),
        name="call",
    )
    message = await transport.sent.get()
    token = message["params"]["_meta"]["progressToken"]
    assert message["params"]["_meta"] == {"a": 1, "progressToken": token}
    for step in range(3):
        params = {"progressToken": token, "progress": step, "more": None}
        peer.receive({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    peer.receive(answer(message, result={}))
    await call
    assert seen == [{"progress": step, "more": None} for step in range(3)]


async def test_the_queue_for_a_client_that_does_not_read_is_bounded(
    peer: Peer, transport: FakeTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending_request, "_MAX_QUEUED_CHARACTERS", 1000)
    reads = asyncio.Event()
    seen: list[int] = []

    async def sink(params: JsonObject) -> None:
        await reads.wait()
        seen.append(params["progress"])

    call = spawn(peer.request("m", options=CallOptions(on_progress=sink)), name="call")
    message = await transport.sent.get()
    for step in range(20):
        params = {"progressToken": message["id"], "progress": step, "message": "x" * 300}
        peer.receive({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    peer.receive(answer(message, result={}))
    reads.set()
    await call
    assert seen[-1] == 19
    assert len(seen) < 5


async def test_unrequested_progress_is_ignored(peer: Peer, transport: FakeTransport) -> None:
    call = spawn(peer.request("m"), name="call")
    message = await transport.sent.get()
    assert "params" not in message
    for token in (1, 77, "1", None, [1]):
        params = {"progressToken": token, "progress": 1}
        peer.receive({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    peer.receive(answer(message, result={"done": True}))
    assert await call == {"done": True}


@pytest.mark.proves("META-3")
async def test_cancelling_a_request_sends_a_cancelled_notification(
    peer: Peer, transport: FakeTransport
) -> None:
    call = spawn(peer.request("tools/call"), name="call")
    message = await transport.sent.get()
    call.cancel()
    await asyncio.wait([call])
    assert call.cancelled()
    notice = await transport.sent.get()
    assert notice["method"] == "notifications/cancelled"
    assert notice["params"]["requestId"] == message["id"]
    assert not peer.busy


async def test_a_request_that_times_out_fails_and_is_cancelled(
    peer: Peer, transport: FakeTransport
) -> None:
    call = spawn(peer.request("tools/call", options=CallOptions(timeout_s=0.01)), name="call")
    await transport.sent.get()
    assert await failure_of(call) == Failure(FailureKind.CALL_TIMEOUT, "0.01 s")
    assert (await transport.sent.get())["method"] == "notifications/cancelled"


async def test_no_cancelled_notification_is_sent_where_closing_the_stream_cancels(
    peer: Peer, transport: FakeTransport
) -> None:
    transport.cancels_by_closing = True
    call = spawn(peer.request("tools/call"), name="call")
    await transport.sent.get()
    call.cancel()
    await asyncio.wait([call])
    assert transport.sent.empty()


async def test_the_handshake_itself_is_never_cancelled(
    peer: Peer, transport: FakeTransport
) -> None:
    call = spawn(peer.request("initialize"), name="call")
    await transport.sent.get()
    call.cancel()
    await asyncio.wait([call])
    assert transport.sent.empty()


async def test_a_ping_gets_a_response_and_other_requests_an_error(
    peer: Peer, transport: FakeTransport
) -> None:
    peer.receive({"jsonrpc": "2.0", "id": "a", "method": "ping"})
    peer.receive({"jsonrpc": "2.0", "id": 5, "method": "tasks/odd"})
    assert await transport.sent.get() == {"jsonrpc": "2.0", "id": "a", "result": {}}
    refusal = await transport.sent.get()
    assert (refusal["id"], refusal["error"]["code"]) == (5, -32601)


async def test_notifications_are_forwarded(transport: FakeTransport) -> None:
    seen: list[tuple[str, JsonObject]] = []
    peer = Peer(transport, lambda method, params: seen.append((method, params)))
    peer.receive({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    peer.receive({"jsonrpc": "2.0", "method": "notifications/x", "params": {"a": None}})
    assert seen == [("notifications/tools/list_changed", {}), ("notifications/x", {"a": None})]


@pytest.mark.parametrize("held_up", [False, True])
async def test_closing_fails_requests_at_every_stage(
    peer: Peer, transport: FakeTransport, held_up: bool
) -> None:
    if held_up:
        transport.clear.clear()
    calls = [
        spawn(peer.request("m", options=CallOptions(timeout_s=60)), name="call") for _ in range(3)
    ]
    for _ in calls:
        await transport.sent.get()
    peer.close(GONE)
    peer.close(Failure(FailureKind.OTHER))
    assert [await failure_of(call) for call in calls] == [GONE, GONE, GONE]
    assert peer.requests_lost == 3
    assert await peer.wait_closed() == GONE
    assert transport.sent.empty()
    with pytest.raises(UpstreamFailed):
        await peer.request("m")


async def test_a_failing_progress_callback_affects_only_the_progress(
    peer: Peer, transport: FakeTransport, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken_sink(_: JsonObject) -> None:
        raise ConnectionError("the client is gone")

    call = spawn(peer.request("m", options=CallOptions(on_progress=broken_sink)), name="call")
    message = await transport.sent.get()
    params = {"progressToken": message["id"], "progress": 1}
    peer.receive({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    peer.receive(answer(message, result={"ok": True}))
    assert await call == {"ok": True}
    assert "notifications failed" in caplog.text


@pytest.mark.parametrize("text", [b"", b"hello", b"42", b"null", b"[1]", b"{", b"9" * 5000])
def test_an_invalid_message_is_reported(text: bytes) -> None:
    with pytest.raises(InvalidMessage):
        decode(text)


def test_json_that_is_too_deep_is_an_invalid_message() -> None:
    with pytest.raises(InvalidMessage):
        decode(b"[" * 100_000)


def test_a_batch_is_several_messages_and_invalid_text_is_replaced() -> None:
    assert decode(b'[{"id":1},{"id":2}]') == [{"id": 1}, {"id": 2}]
    assert decode(b'{"text":"a\xffb"}') == [{"text": "a\ufffdb"}]
