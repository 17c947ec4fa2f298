"""Servers behind HTTP+SSE, the transport of 2024-11-05: the SDK's, and one that violates it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from router.config.server import ServerConfig
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn
from router.upstream.connection import UpstreamConnection
from router.upstream.errors import HttpRefused
from router.upstream.http.http_sse import HttpSseTransport
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
from tests.servers.http_server import Tools, sdk_app, serving, sse_app
from tests.servers.odd_sse_server import OddSseServer
from tests.support.timeouts import WAIT_S

PLAIN: JsonObject = {"content": [], "x": None}


@pytest.fixture
async def open_url(output: ServerOutput) -> AsyncIterator[Open]:
    """Opens connections to URLs with a configured type, and closes them after the test."""
    opened: list[UpstreamConnection] = []

    async def open_with(url: str, type: str | None = "sse", **options: Any) -> UpstreamConnection:  # noqa: A002
        config = ServerConfig(url=url, type=type)
        opened.append(await open_config(config, output, **options))
        return opened[-1]

    yield open_with
    for connection in opened:
        await connection.close()


@pytest.fixture
def tools() -> Tools:
    return Tools()


@pytest.fixture
def sdk_url(tools: Tools) -> Iterator[str]:
    with serving(sse_app(tools)) as url:
        yield f"{url}/mcp"


@pytest.fixture
def odd() -> OddSseServer:
    return OddSseServer()


@pytest.fixture
def odd_url(odd: OddSseServer) -> Iterator[str]:
    with serving(odd.app) as url:
        yield f"{url}/mcp"


@pytest.mark.proves("META-3")
@pytest.mark.parametrize("configured", ["sse", "http", None])
async def test_calls_reach_an_http_sse_server_whether_configured_or_detected(
    sdk_url: str, open_url: Open, configured: str | None
) -> None:
    connection = await open_url(sdk_url, configured)
    assert connection.server_info["name"] == "http-test"
    answers = await asyncio.gather(*(content_of(connection, "echo", n=n) for n in range(50)))
    assert [answer["n"] for answer in answers] == list(range(50))


async def test_a_url_that_moved_to_streamable_http_works_too(
    open_url: Open,
) -> None:
    with serving(sdk_app()) as url:
        connection = await open_url(f"{url}/mcp", "sse")
        assert await content_of(connection, "echo", a=1) == {"a": 1}
        await connection.close()


@pytest.mark.proves("META-3")
async def test_progress_notifications_and_cancellation_pass(
    sdk_url: str, open_url: Open, output: ServerOutput, tools: Tools
) -> None:
    connection = await open_url(sdk_url)
    seen: list[Any] = []

    async def sink(params: JsonObject) -> None:
        seen.append(params["progress"])

    params = {"name": "progress", "arguments": {"steps": 3}}
    await connection.request("tools/call", params, CallOptions(WAIT_S, sink))
    assert seen == [1, 2, 3]
    await call(connection, "notify")
    assert output.notifications == [("notifications/tools/list_changed", {})]
    slow = spawn(call(connection, "slow"), name="slow")
    assert await asyncio.to_thread(tools.started.wait, WAIT_S)
    slow.cancel()
    await asyncio.wait([slow])
    assert await asyncio.to_thread(tools.cancelled.wait, WAIT_S)


async def test_messages_are_posted_to_the_endpoint_url_with_our_headers(
    odd: OddSseServer, odd_url: str, open_url: Open, output: ServerOutput
) -> None:
    connection = await open_url(odd_url, headers={"Authorization": "Bearer secret"})
    assert connection.protocol_version == "2024-11-05"
    assert await call(connection, "plain") == PLAIN
    assert {path for path, _ in odd.posts} == {"/messages?session=7"}
    assert {headers["authorization"] for _, headers in odd.posts} == {"Bearer secret"}
    assert output.notifications[-1] == ("notifications/x", {"a": 1})


@pytest.mark.parametrize(
    "endpoint", ["http://example.com/messages", "//example.com/m", "http://[x"]
)
@pytest.mark.parametrize("configured", ["sse", None])
async def test_an_endpoint_url_of_another_origin_is_refused(
    odd: OddSseServer, odd_url: str, open_url: Open, endpoint: str, configured: str | None
) -> None:
    odd.endpoint = endpoint
    failure = await failure_of(
        open_url(odd_url, configured, headers={"Authorization": "Bearer s3cr3t"})
    )
    assert failure.kind is FailureKind.BAD_PROTOCOL
    assert failure.detail.startswith("an address ")


async def test_an_absolute_endpoint_url_of_the_same_origin_is_accepted(
    odd: OddSseServer, odd_url: str, open_url: Open
) -> None:
    odd.endpoint = odd_url.replace("/mcp", "/messages?a=b")
    connection = await open_url(odd_url)
    assert await call(connection, "plain") == PLAIN


async def test_a_server_without_an_endpoint_event_times_out(
    odd: OddSseServer, odd_url: str, open_url: Open
) -> None:
    odd.endpoint = "never"
    failure = await failure_of(open_url(odd_url, startup_timeout_s=0.3))
    assert failure.kind is FailureKind.SILENT
    assert "Connected, but got no response within 0.3 s" in str(advise(failure, "Test"))


async def test_a_url_that_serves_neither_transport_is_unreachable(
    odd: OddSseServer, odd_url: str, open_url: Open
) -> None:
    odd.endpoint = ""
    failure = await failure_of(open_url(odd_url, None))
    assert (failure.kind, failure.detail) == (
        FailureKind.UNREACHABLE,
        "HTTP 405 Method Not Allowed",
    )


@pytest.mark.parametrize("configured", ["sse", None])
async def test_a_server_that_requires_a_sign_in_says_so(
    odd: OddSseServer, odd_url: str, open_url: Open, configured: str | None
) -> None:
    odd.opens_with = 401
    failure = await failure_of(open_url(odd_url, configured))
    assert failure == Failure(FailureKind.SIGN_IN_NEEDED, detail="HTTP 401 Unauthorized")


class RefreshingCredentials:
    """Credentials whose first token is refused."""

    async def token(self) -> str | None:
        return "old"

    async def replace_token(self, refused: str | None, challenge: str) -> str:
        assert refused == "old"
        return "new"

    def accepted(self, token: str | None) -> None:
        assert token == "new"

    def insufficient_scope(self, challenge: str) -> HttpRefused:
        raise AssertionError


async def test_a_token_refused_by_the_stream_is_refreshed(
    odd: OddSseServer, odd_url: str, output: ServerOutput
) -> None:
    odd.token = "new"
    link = HttpSseTransport(odd_url, {}, RefreshingCredentials())
    await link.start(Peer(link, output.notification))
    await link.close()


async def test_the_end_of_the_stream_ends_the_connection_and_its_calls(
    odd_url: str, open_url: Open
) -> None:
    connection = await open_url(odd_url)
    waiting = spawn(call(connection, "silent"), name="waiting")
    failure = await failure_of(call(connection, "end"))
    assert (failure.kind, failure.detail) == (FailureKind.UNREACHABLE, "its event stream ended")
    assert (await failure_of(waiting)) == failure
    assert connection.closed
    assert not connection.closed_while_idle


@pytest.mark.parametrize(("status", "closed"), [(404, True), (503, False)])
async def test_a_refused_message_fails_its_call(
    odd: OddSseServer, odd_url: str, open_url: Open, status: int, closed: bool
) -> None:
    connection = await open_url(odd_url)
    odd.status = status
    failure = await failure_of(call(connection, "plain"))
    assert failure.detail.startswith(f"HTTP {status}")
    assert connection.closed is closed


async def limited(url: str, output: ServerOutput) -> UpstreamConnection:
    connection = UpstreamConnection(
        HttpSseTransport(url, {}, limits=UpstreamLimits(message_bytes=1_000_000)),
        output.notification,
    )
    await connection.open()
    return connection


@pytest.mark.parametrize("tool", ["large", "endless"])
async def test_an_oversized_event_ends_the_connection(
    odd_url: str, output: ServerOutput, tool: str
) -> None:
    connection = await limited(odd_url, output)
    failure = await failure_of(call(connection, tool))
    assert failure.kind is FailureKind.TOO_LARGE
    assert failure.detail == "it has more than 1,000,000 bytes"
    await connection.close()


async def test_a_malformed_response_fails_only_its_call(odd_url: str, open_url: Open) -> None:
    connection = await open_url(odd_url)
    failure = await failure_of(call(connection, "no_json"))
    assert failure.detail.startswith("an invalid message")
    assert await call(connection, "plain") == PLAIN
