"""Servers behind streamable HTTP: the SDK's in both eras, and one with odd responses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from router.config.server import ServerConfig
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn
from router.upstream.connection import StreamableHttpConnection, UpstreamConnection
from router.upstream.http.streamable_http import StreamableHttpTransport
from router.upstream.limits import UpstreamLimits
from router.upstream.peer import Peer
from router.upstream.ports import CallOptions
from tests.router.upstream.connection_harness import (
    Open,
    ServerOutput,
    call,
    content_of,
    failure_of,
    open_config,
)
from tests.servers.http_server import Tools, sdk_app, serving
from tests.servers.odd_http_server import OddServer
from tests.support.ports import refusing_port
from tests.support.timeouts import WAIT_S

LIMIT = 1_000_000


@pytest.fixture
async def open_url(output: ServerOutput) -> AsyncIterator[Open]:
    """Opens connections to URLs, and closes them after the test."""
    opened: list[UpstreamConnection] = []

    async def open_with(url: str, **headers: str) -> UpstreamConnection:
        connection = await open_config(ServerConfig(url=url), output, headers=headers)
        opened.append(connection)
        return connection

    yield open_with
    for connection in opened:
        await connection.close()


@pytest.fixture
def odd() -> OddServer:
    return OddServer()


@pytest.fixture
def odd_url(odd: OddServer) -> Iterator[str]:
    with serving(odd.app) as url:
        yield f"{url}/mcp"


SDK_SERVERS = {
    "events": {"json_response": False},
    "json": {"json_response": True},
    "modern": {"modern_only": True},
}


@pytest.fixture(params=SDK_SERVERS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def tools() -> Tools:
    return Tools()


@pytest.fixture
def sdk_url(kind: str, tools: Tools) -> Iterator[str]:
    with serving(sdk_app(tools, **SDK_SERVERS[kind])) as url:
        yield f"{url}/mcp"


@pytest.mark.proves("META-3")
async def test_calls_reach_a_real_server_and_results_come_back(
    sdk_url: str, open_url: Open, kind: str
) -> None:
    connection = await open_url(sdk_url)
    assert connection.server_info["name"] == "http-test"
    assert connection.instructions == "Test me."
    assert connection.protocol_version == ("2026-07-28" if kind == "modern" else "2025-11-25")
    params = {
        "name": "echo",
        "arguments": {"a": None, "ü": [1]},
        "_meta": {"example.com/sent": "seen"},
    }
    assert await connection.request("tools/call", params) == {
        "content": [{"type": "text", "text": '{"a": null, "\\u00fc": [1]}'}],
        "structuredContent": {"a": None, "ü": [1]},
        "isError": False,
        "_meta": {"example.com/seen": "seen"},
    }
    assert "_meta" not in await connection.request("tools/list")


async def test_a_hundred_concurrent_calls_get_their_own_responses(
    sdk_url: str, open_url: Open
) -> None:
    connection = await open_url(sdk_url)
    answers = await asyncio.gather(*(content_of(connection, "echo", n=n) for n in range(100)))
    assert [answer["n"] for answer in answers] == list(range(100))


@pytest.mark.proves("META-3")
@pytest.mark.parametrize("kind", ["events", "modern"])
async def test_progress_notifications_are_forwarded(sdk_url: str, open_url: Open) -> None:
    connection = await open_url(sdk_url)
    seen: list[JsonObject] = []

    async def sink(params: JsonObject) -> None:
        seen.append(params)

    params = {"name": "progress", "arguments": {"steps": 5}}
    await connection.request("tools/call", params, CallOptions(WAIT_S, sink))
    assert [step["progress"] for step in seen] == [1, 2, 3, 4, 5]
    assert all("progressToken" not in step for step in seen)


@pytest.mark.proves("META-3")
@pytest.mark.parametrize("kind", ["events", "modern"])
async def test_a_cancelled_call_is_cancelled_at_the_server(
    sdk_url: str, open_url: Open, tools: Tools
) -> None:
    connection = await open_url(sdk_url)
    slow = spawn(call(connection, "slow"), name="slow")
    assert await asyncio.to_thread(tools.started.wait, WAIT_S)
    slow.cancel()
    await asyncio.wait([slow])
    assert await asyncio.to_thread(tools.cancelled.wait, WAIT_S)
    assert await content_of(connection, "echo", a=1) == {"a": 1}


@pytest.mark.parametrize("kind", ["events"])
async def test_a_servers_own_notifications_arrive_on_the_standalone_stream(
    sdk_url: str, open_url: Open, output: ServerOutput
) -> None:
    connection = await open_url(sdk_url)
    async with asyncio.timeout(WAIT_S):
        while not output.notifications:  # what is sent before the stream is open is lost
            await call(connection, "notify")
    assert output.notifications[0] == ("notifications/tools/list_changed", {})


async def test_pushed_notifications_arrive(
    odd_url: str, open_url: Open, output: ServerOutput
) -> None:
    connection = await open_url(odd_url)
    await call(connection, "push", jsonrpc="2.0", method="notifications/x", params={"a": None})
    async with asyncio.timeout(WAIT_S):
        await output.anything.wait()
    assert output.notifications == [("notifications/x", {"a": None})]


async def test_a_server_without_a_standalone_stream_works(
    odd: OddServer, odd_url: str, open_url: Open
) -> None:
    odd.has_stream = False
    connection = await open_url(odd_url)
    assert await call(connection, "plain") == {"content": [], "x": None}


async def test_session_id_and_protocol_version_are_sent_after_the_first_message(
    odd: OddServer, odd_url: str, open_url: Open
) -> None:
    connection = await open_url(odd_url, Authorization="Bearer secret")
    await call(connection, "plain")
    await connection.close()
    first, *others = odd.requests
    assert "mcp-session-id" not in first.headers
    assert "mcp-protocol-version" not in first.headers
    assert {seen.headers["mcp-session-id"] for seen in others} == {"session-0"}
    assert {seen.headers["mcp-protocol-version"] for seen in others} == {"2025-06-18"}
    assert {seen.headers["authorization"] for seen in odd.requests} == {"Bearer secret"}
    # Not always the last: the standalone stream may have been opened at the same time.
    assert "DELETE" in [seen.verb for seen in odd.requests]


async def test_what_is_still_being_sent_is_stopped_before_the_session_ends(
    odd: OddServer, odd_url: str
) -> None:
    sending, verbs_then = asyncio.Event(), list[str]()

    class SlowTransport(StreamableHttpTransport):
        async def send(self, message: JsonObject) -> None:
            sending.set()
            try:
                await asyncio.Event().wait()
            finally:
                verbs_then.extend(seen.verb for seen in odd.requests)

    transport = SlowTransport(odd_url, {})
    transport.session_id = "session-0"
    transport.send_soon({"jsonrpc": "2.0", "method": "notifications/late"})
    await sending.wait()
    await transport.close()
    assert verbs_then == []
    assert [seen.verb for seen in odd.requests] == ["DELETE"]


async def test_all_of_the_event_stream_syntax_is_parsed(
    odd: OddServer, odd_url: str, open_url: Open, output: ServerOutput
) -> None:
    connection = await open_url(odd_url)
    assert await call(connection, "strange") == {"a": [1, None]}
    assert output.notifications == [("notifications/strange", {"n": 1})]


async def test_a_batch_response_is_accepted(odd_url: str, open_url: Open) -> None:
    connection = await open_url(odd_url)
    assert await call(connection, "batch") == {"batch": True}


@pytest.mark.parametrize("tool", ["resumable", "resumable_text"])
async def test_a_stream_closed_by_the_server_is_resumed(
    odd_url: str, open_url: Open, tool: str
) -> None:
    connection = await open_url(odd_url)
    assert await call(connection, tool) == {"resumed": True}


@pytest.mark.parametrize(
    ("tool", "detail"),
    [
        ("wrong_type", "a response of type “text/html”"),
        ("no_json", "an invalid message"),
        ("accepted", "a response of type “”"),
        ("cut", "no response to the request"),
    ],
)
async def test_a_malformed_response_fails_the_call(
    odd_url: str, open_url: Open, tool: str, detail: str
) -> None:
    connection = await open_url(odd_url)
    failure = await failure_of(call(connection, tool))
    assert failure.kind is FailureKind.BAD_PROTOCOL
    assert failure.detail.startswith(detail)
    assert await call(connection, "plain") == {"content": [], "x": None}


@pytest.mark.parametrize("tool", ["large", "bomb", "endless_event"])
async def test_the_size_of_a_response_is_limited(
    odd_url: str, output: ServerOutput, tool: str
) -> None:
    link = StreamableHttpTransport(odd_url, {}, limits=UpstreamLimits(message_bytes=LIMIT))
    connection = StreamableHttpConnection(link, output.notification)
    await connection.open()
    failure = await failure_of(call(connection, tool))
    assert failure.kind is FailureKind.TOO_LARGE
    assert failure.detail == "it has more than 1,000,000 bytes"
    await connection.close()


async def test_a_jsonrpc_error_in_an_http_error_is_the_response(
    odd_url: str, open_url: Open
) -> None:
    connection = await open_url(odd_url)
    with pytest.raises(UpstreamAnsweredError) as caught:
        await call(connection, "error")
    assert (caught.value.code, caught.value.message) == (-32602, "Wrong name")


async def test_http_errors_are_distinguished(odd_url: str, open_url: Open) -> None:
    connection = await open_url(odd_url)
    host = odd_url.removeprefix("http://").removesuffix("/mcp")
    unavailable = await failure_of(call(connection, "unavailable"))
    detail = "HTTP 503 Service Unavailable"
    assert unavailable == Failure(FailureKind.UNREACHABLE, host, detail)
    forbidden = await failure_of(call(connection, "forbidden"))
    assert forbidden == Failure(FailureKind.SIGN_IN_NEEDED, detail="HTTP 403 Forbidden")
    assert not connection.closed
    unauthorized = await failure_of(call(connection, "unauthorized"))
    assert unauthorized.kind is FailureKind.SIGN_IN_NEEDED
    assert connection.closed


@pytest.mark.parametrize("gone_status", [404, 400])
async def test_a_lost_session_is_renewed_once_for_all_calls(
    odd: OddServer, odd_url: str, open_url: Open, gone_status: int
) -> None:
    odd.gone_status = gone_status
    connection = await open_url(odd_url)
    odd.lose_sessions()
    answers = await asyncio.gather(*(call(connection, "plain") for _ in range(10)))
    assert answers == [{"content": [], "x": None}] * 10
    assert odd.methods().count("initialize") == 2


async def test_a_session_that_cannot_be_renewed_ends_the_connection(
    odd: OddServer, odd_url: str, open_url: Open
) -> None:
    connection = await open_url(odd_url)
    odd.lose_sessions()
    odd.initialize_status = 503
    assert (await failure_of(call(connection, "plain"))).kind is FailureKind.UNREACHABLE
    assert connection.closed


async def test_a_redirect_within_the_origin_is_followed(
    odd: OddServer, odd_url: str, open_url: Open
) -> None:
    connection = await open_url(odd_url.replace("/mcp", "/moved"))
    assert await call(connection, "plain") == {"content": [], "x": None}
    assert {seen.path for seen in odd.requests} == {"/mcp"}


async def test_a_proxy_of_the_environment_is_not_used_for_loopback(
    odd_url: str, open_url: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refusing_port() as port:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
        connection = await open_url(odd_url)
        assert await call(connection, "plain") == {"content": [], "x": None}
        elsewhere = StreamableHttpTransport("http://example.invalid/mcp", {})
        await elsewhere.start(Peer(elsewhere, lambda _method, _params: None))
        failure = await failure_of(elsewhere.send({"jsonrpc": "2.0", "method": "x"}))
    assert "refused" in failure.detail or "failed" in failure.detail


async def test_a_redirect_to_another_origin_is_not_followed(
    odd: OddServer, odd_url: str, open_url: Open
) -> None:
    trap = OddServer()
    with serving(trap.app) as trap_url:
        odd.elsewhere = f"{trap_url}/mcp?key=1"
        failure = await failure_of(
            open_url(odd_url.replace("/mcp", "/away"), Authorization="Bearer secret")
        )
    assert failure.detail == f"HTTP 307 Temporary Redirect to {trap_url}/mcp"
    assert trap.requests == []


@pytest.mark.proves("REG-1")
async def test_a_refused_connection_means_unreachable(open_url: Open) -> None:
    with refusing_port() as port:
        failure = await failure_of(open_url(f"http://127.0.0.1:{port}/mcp"))
    assert (failure.kind, failure.subject) == (FailureKind.UNREACHABLE, f"127.0.0.1:{port}")


async def test_a_server_that_stops_ends_the_connection(open_url: Open, odd: OddServer) -> None:
    with serving(odd.app) as url:
        connection = await open_url(f"{url}/mcp")
    assert (await failure_of(call(connection, "plain"))).kind is FailureKind.UNREACHABLE
    assert (await failure_of(call(connection, "plain"))).kind is FailureKind.UNREACHABLE
    assert connection.closed


@pytest.mark.parametrize("value", ["Bearer s3cr3t\nX: y", "Bearer s3cr3t ü"])
async def test_an_invalid_header_value_is_not_quoted(
    odd_url: str, open_url: Open, value: str
) -> None:
    with pytest.raises(UpstreamFailed) as caught:
        await open_url(odd_url, Authorization=value)
    assert caught.value.failure.detail == "a configured header contains invalid characters"
    assert "s3cr3t" not in repr(caught.value) + repr(caught.value.__cause__)


@pytest.mark.parametrize("url", ["http://", "http:///mcp", "http://[::1/mcp"])
def test_an_invalid_url_is_reported(url: str) -> None:
    with pytest.raises(UpstreamFailed, match="not a valid URL"):
        StreamableHttpTransport(url, {})


async def test_credentials_in_the_url_are_sent_and_never_shown(
    odd: OddServer, odd_url: str, open_url: Open
) -> None:
    connection = await open_url(odd_url.replace("://", "://me:s3cr3t%21@"))
    assert odd.requests[0].headers["authorization"] == "Basic bWU6czNjcjN0IQ=="
    failure = await failure_of(call(connection, "unavailable"))
    assert "s3cr3t" not in repr(failure)


async def test_closing_does_not_wait_for_calls(odd_url: str, open_url: Open) -> None:
    connection = await open_url(odd_url)
    waiting = spawn(call(connection, "silent"), name="waiting")
    await call(connection, "plain")
    await connection.close()
    assert (await failure_of(waiting)).kind is FailureKind.OTHER


async def test_a_call_that_times_out_says_so(odd_url: str, open_url: Open) -> None:
    connection = await open_url(odd_url)
    with pytest.raises(UpstreamFailed) as raised:
        await call(connection, "silent", timeout_s=0.2)
    assert raised.value.failure == Failure(FailureKind.CALL_TIMEOUT, "0.2 s")
    assert raised.value.sent
    text = f"{raised.value.message} {raised.value.hint}"
    assert "No response within 0.2 s" in text
    assert "raise the timeout for calls" in text
    assert "Try again" not in text


async def test_a_call_that_was_refused_was_not_carried_out(odd_url: str, open_url: Open) -> None:
    connection = await open_url(odd_url)
    with pytest.raises(UpstreamFailed) as raised:
        await call(connection, "unavailable")
    assert raised.value.sent is False
    await connection.close()
    with pytest.raises(UpstreamFailed) as raised:
        await call(connection, "plain")
    assert raised.value.sent is False


@pytest.mark.parametrize("tool", ["plain", "strange"])
async def test_connections_are_reused(
    odd: OddServer, odd_url: str, open_url: Open, tool: str
) -> None:
    connection = await open_url(odd_url)
    for _ in range(30):
        await call(connection, tool)
    connections = {seen.client_port for seen in odd.requests}
    assert len(connections) < len(odd.requests) / 3


@pytest.mark.parametrize("prefix", ["\u00e9-", "a\tb"])
async def test_a_session_id_that_cannot_be_sent_back_is_refused(
    output: ServerOutput, prefix: str
) -> None:
    server = OddServer()
    server.session_prefix = prefix
    with serving(server.app) as url:
        link = StreamableHttpTransport(f"{url}/mcp", {})
        connection = StreamableHttpConnection(link, output.notification)
        failure = await failure_of(connection.open())
        await connection.close()
    assert failure.detail == "its session ID contains invalid characters"
