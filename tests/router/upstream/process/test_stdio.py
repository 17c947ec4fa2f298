"""Servers that are child processes: real ones, well-behaved and not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from router.config.server import ServerConfig
from router.domain.errors import UpstreamAnsweredError
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn
from router.upstream.ports import CallOptions
from tests.router.upstream.connection_harness import (
    Open,
    ServerOutput,
    call,
    content_of,
    failure_of,
    open_config,
)
from tests.servers.commands import recorded, stdio_config
from tests.support.timeouts import WAIT_S


@pytest.mark.proves("META-3")
@pytest.mark.parametrize("options", [(), ("--modern-only",)])
async def test_a_result_comes_back_unchanged_in_every_revision(
    open_server: Open, options: Sequence[str]
) -> None:
    connection = await open_server(*options)
    result: JsonObject = {
        "content": [{"type": "text", "text": "ü\u2028 😀", "annotations": None, "x": [None]}],
        "structuredContent": {"n": None, "big": 2**60, "f": 1.5, "nested": {"a": []}},
        "isError": False,
        "_meta": {"example.com/a": {"b": None}},
        "unknown": {"kept": True},
    }
    assert await call(connection, "raw", result=result) == result


async def test_server_info_is_read(open_server: Open) -> None:
    connection = await open_server()
    assert connection.server_info == {"name": "stdio-test", "version": "1"}
    assert connection.capabilities == {"tools": {"listChanged": True}}
    assert connection.instructions == "Test me."
    assert connection.protocol_version == "2025-11-25"


async def test_a_hundred_concurrent_calls_get_their_own_responses(open_server: Open) -> None:
    connection = await open_server()
    answers = await asyncio.gather(
        *(content_of(connection, "reverse", size=100, value=n) for n in range(100))
    )
    assert [answer["value"] for answer in answers] == list(range(100))


async def test_an_error_of_the_server_passes_with_its_data(open_server: Open) -> None:
    connection = await open_server()
    error = {"code": -32042, "message": "No.", "data": {"why": [None]}}
    with pytest.raises(UpstreamAnsweredError) as caught:
        await call(connection, "fail", error=error)
    assert caught.value.code == -32042
    assert caught.value.data == {"why": [None]}


@pytest.mark.proves("META-3")
async def test_progress_notifications_are_forwarded(open_server: Open) -> None:
    connection = await open_server()
    seen: list[JsonObject] = []

    async def sink(params: JsonObject) -> None:
        seen.append(params)

    params = {"name": "progress", "arguments": {"steps": 50}}
    await connection.request("tools/call", params, CallOptions(WAIT_S, sink))
    assert seen == [{"progress": n, "total": 50, "x-note": f"#{n}"} for n in range(1, 51)]


@pytest.mark.proves("META-3")
async def test_a_cancelled_call_is_cancelled_at_the_server(
    open_server: Open, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    connection = await open_server("--record", str(record))
    slow = spawn(call(connection, "slow"), name="slow")
    await call(connection, "echo")  # the server reads in order, so it has the slow call by now
    slow.cancel()
    await asyncio.wait([slow])
    await call(connection, "echo")
    cancelled = recorded(record, "notifications/cancelled")
    assert [message["params"]["requestId"] for message in cancelled] == recorded(record, "slow")


async def test_banners_garbage_and_wrong_ids_are_ignored(
    open_server: Open, output: ServerOutput
) -> None:
    connection = await open_server("--banner")
    assert await content_of(connection, "garbage") == {"right": True}
    assert await content_of(connection, "echo", a=1) == {"a": 1}
    assert "Welcome to the test server!" in output.lines


async def test_invalid_utf_8_is_replaced(open_server: Open) -> None:
    connection = await open_server()
    assert (await call(connection, "broken_text"))["text"] == "a\ufffdb"


async def test_notifications_are_delivered_and_server_requests_answered(
    open_server: Open, output: ServerOutput, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    connection = await open_server("--record", str(record))
    await call(connection, "notify", method="notifications/tools/list_changed")
    assert output.notifications == [("notifications/tools/list_changed", {"a": 1})]
    await call(connection, "ask", method="ping")
    await call(connection, "ask", method="sampling/createMessage")
    await call(connection, "echo")
    ping, sampling = recorded(record, "answer")
    assert ping["result"] == {}
    assert sampling["error"]["code"] == -32600  # for no particular request


async def test_secrets_are_redacted_in_stderr(output: ServerOutput) -> None:
    config = stdio_config(env={"KEY": "Bearer ${keyring:key}", "PLAIN": "plain"})
    connection = await open_config(config, output, env={"KEY": "Bearer s3cr3t", "PLAIN": "plain"})
    words = "bad key s3cr3t of the Bearer in plain sight"
    failure = await failure_of(call(connection, "crash", code=1, words=words))
    await connection.close()
    assert failure.detail == "bad key *** of the Bearer in plain sight"
    assert "s3cr3t" not in "".join(output.lines)


async def test_a_missing_command_is_named(output: ServerOutput) -> None:
    config = ServerConfig(command="no-such-command", env={"PATH": "/nowhere"})
    failure = await failure_of(open_config(config, output))
    assert failure == Failure(FailureKind.COMMAND_NOT_FOUND, "no-such-command", "/nowhere")


async def test_a_missing_folder_is_named(open_server: Open, tmp_path: Path) -> None:
    failure = await failure_of(open_server(cwd=str(tmp_path / "gone")))
    assert "gone does not exist" in failure.detail


async def test_a_file_that_is_not_executable_is_named(output: ServerOutput, tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(b"\x00\x01")
    file.chmod(0o755)
    failure = await failure_of(open_config(ServerConfig(command=str(file)), output))
    assert failure.kind in (FailureKind.OTHER, FailureKind.EXITED)  # uvloop lets a shell try it
    assert str(file) in failure.detail


async def test_a_server_gets_a_clean_environment_and_its_own_folder(
    open_server: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLBOOTH_TEST_SECRET", "x")
    connection = await open_server(cwd=str(tmp_path), env={"MINE": "1"})
    seen = await content_of(connection, "env")
    assert seen["cwd"] == str(tmp_path)
    assert seen["env"]["MINE"] == "1"
    assert "TOOLBOOTH_TEST_SECRET" not in seen["env"]


async def test_a_connection_works_on_a_loop_of_another_thread(
    anyio_backend: tuple[str, dict[str, bool]], output: ServerOutput
) -> None:
    """The router's loop runs beside Qt's, never on the main thread."""
    answers: list[Any] = []

    async def use() -> None:
        connection = await open_config(stdio_config(), output)
        answers.append(await content_of(connection, "echo", a=1))
        await connection.close()

    def run() -> None:
        if anyio_backend[1]["use_uvloop"]:
            import uvloop

            uvloop.run(use())
        else:
            asyncio.run(use())

    thread = threading.Thread(target=run)
    thread.start()
    await asyncio.to_thread(thread.join, 30)
    assert answers == [{"a": 1}]
