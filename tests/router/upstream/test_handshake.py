"""Which revision is negotiated, and the error when there is none in common."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from router import __version__
from router.config.server import ServerConfig
from router.domain.failures import Failure, FailureKind
from router.upstream import handshake
from router.upstream.connection import UpstreamConnection
from tests.router.upstream.connection_harness import (
    Open,
    ServerOutput,
    call,
    failure_of,
    open_config,
)
from tests.servers.commands import recorded
from tests.servers.http_server import serving
from tests.servers.odd_http_server import OddServer


async def open_address(
    url: str, output: ServerOutput, startup_timeout_s: float | None = None
) -> UpstreamConnection:
    return await open_config(ServerConfig(url=f"{url}/mcp"), output, startup_timeout_s)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_every_legacy_revision_is_accepted(
    open_server: Open, tmp_path: Path, version: str
) -> None:
    record = tmp_path / "record"
    connection = await open_server("--version", version, "--record", str(record))
    assert connection.protocol_version == version
    await call(connection, "echo")
    assert len(recorded(record, "notifications/initialized")) == 1


async def test_a_modern_only_server_gets_the_modern_revision(
    open_server: Open, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    connection = await open_server("--modern-only", "--record", str(record))
    assert connection.protocol_version == "2026-07-28"
    assert connection.server_info == {"name": "stdio-test", "version": "1"}
    assert connection.capabilities == {"tools": {"listChanged": True}}
    result = await connection.request("tools/list")
    assert set(result) == {"tools"}
    assert recorded(record, "notifications/initialized") == []


@pytest.mark.parametrize(("expected", "refused"), [("", ["initialize"]), ("2026-07-28", [])])
async def test_a_server_remembered_as_modern_gets_no_initialize(
    open_server: Open, tmp_path: Path, expected: str, refused: list[str]
) -> None:
    record = tmp_path / "record"
    connection = await open_server(
        "--modern-only", "--record", str(record), expected_version=expected
    )
    assert connection.protocol_version == "2026-07-28"
    assert recorded(record, "refused") == refused


@pytest.mark.parametrize("options", [(), ("--deaf-to", "server/discover")])
async def test_a_server_that_is_no_longer_modern_gets_initialize(
    open_server: Open, options: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshake, "_DISCOVER_TIMEOUT_S", 0.3)
    connection = await open_server(*options, expected_version="2026-07-28")
    assert connection.protocol_version == "2025-11-25"
    assert await call(connection, "echo", a=1)


@pytest.mark.parametrize(
    ("options", "detail"),
    [
        (
            ("--version", "2031-01-01"),
            "it uses the unsupported protocol version '2031-01-01'",
        ),
        (("--refuse", "No API key"), "No API key"),
    ],
)
async def test_a_session_that_cannot_be_opened_says_why(
    open_server: Open, options: Sequence[str], detail: str
) -> None:
    assert (await failure_of(open_server(*options))).detail == detail


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, FailureKind.SIGN_IN_NEEDED),
        (403, FailureKind.SIGN_IN_NEEDED),
        (404, FailureKind.UNREACHABLE),
        (405, FailureKind.UNREACHABLE),
        (502, FailureKind.UNREACHABLE),
    ],
)
async def test_an_http_error_keeps_its_meaning(
    output: ServerOutput, status: int, kind: FailureKind
) -> None:
    odd = OddServer(initialize_status=status)
    with serving(odd.app) as url:
        failure = await failure_of(open_address(url, output))
    assert failure.kind is kind
    assert f"HTTP {status}" in failure.detail
    tried_modern = status in (404, 405)
    assert odd.methods() == ["initialize", "server/discover"] if tried_modern else ["initialize"]


async def test_client_info_is_sent(output: ServerOutput) -> None:
    odd = OddServer()
    with serving(odd.app) as url:
        connection = await open_address(url, output)
        await connection.close()
    params = odd.requests[0].message["params"]
    assert params["clientInfo"] == {"name": "toolbooth", "version": __version__}
    assert params["capabilities"] == {"elicitation": {"form": {}, "url": {}}, "sampling": {}}


async def test_a_server_that_accepts_and_never_responds_times_out(output: ServerOutput) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        opening = open_address(f"http://127.0.0.1:{port}", output, startup_timeout_s=0.3)
        failure = await failure_of(opening)
    assert failure == Failure(FailureKind.SILENT, "0.3 s", "127.0.0.1")
