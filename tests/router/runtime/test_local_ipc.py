"""Requests to the running instance: heartbeats while it works, an error when it gives none."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from router.domain.json_values import JsonObject
from router.runtime import local_ipc
from router.runtime.local_ipc import AnswerLost, LocalServer, NotResponding, send
from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a named pipe on Windows")

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]


@pytest.fixture(autouse=True)
def short_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_ipc, "HEARTBEAT_S", 0.01)


@asynccontextmanager
async def listening(tmp_path: Path, serve: Serve) -> AsyncGenerator[str]:
    """The address of an instance of our own making."""
    writers: list[asyncio.StreamWriter] = []

    def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        serve(reader, writer)

    address = str(tmp_path / "control.sock")
    server = await asyncio.start_unix_server(accepted, address)
    try:
        yield address
    finally:
        server.close()
        for writer in writers:
            writer.close()


async def test_a_long_command_sends_heartbeats_until_it_answers(tmp_path: Path) -> None:
    done = asyncio.Event()

    async def handle(command: str, arguments: JsonObject) -> str:
        await done.wait()
        return command

    address = str(tmp_path / "control.sock")
    server = LocalServer(address, handle, lambda _: True)
    await server.start()
    reader, writer = await asyncio.open_unix_connection(address)
    writer.write(b'{"command": "refresh", "arguments": {}}\n')
    async with asyncio.timeout(WAIT_S):
        for _ in range(10):  # longer than a silence may be
            assert await reader.readline() == b"\n"
        done.set()
        while (line := await reader.readline()) == b"\n":
            pass
    assert json.loads(line) == {"ok": True, "result": "refresh"}
    writer.close()
    await server.stop()


async def test_an_answer_after_heartbeats_is_the_result(tmp_path: Path) -> None:
    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'\n\n{"ok": true, "result": 7}\n')

    async with listening(tmp_path, serve) as address:
        assert await send(address, "list", {}) == 7


@pytest.mark.parametrize(
    "written", [b"", b"\n", b'{"ok": true, "res', b'{"ok": true, "result": 7}']
)
async def test_an_instance_killed_while_it_answers_is_reported(
    tmp_path: Path, written: bytes
) -> None:
    """A part of an answer is no answer, even if it looks like a whole one."""

    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(written)
        writer.close()

    async with listening(tmp_path, serve) as address:
        with pytest.raises(AnswerLost, match="may have been carried out"):
            await send(address, "list", {})


async def test_an_instance_killed_before_it_reads_the_request_is_reported(tmp_path: Path) -> None:
    """The kernel then resets the connection, since there is something unread."""
    accepted = asyncio.Event()

    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()
        accepted.set()

    async with listening(tmp_path, serve) as address:
        with pytest.raises(AnswerLost):
            await send(address, "list", {"words": ["x" * 1_000_000]})
        assert accepted.is_set()


async def test_an_instance_without_a_sign_of_life_is_reported(tmp_path: Path) -> None:
    async with listening(tmp_path, lambda reader, writer: None) as address:
        with pytest.raises(NotResponding, match="is running but has not responded for"):
            await send(address, "list", {})


async def test_a_request_that_a_stuck_instance_does_not_read_is_given_up(tmp_path: Path) -> None:
    def stop_reading(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.pause_reading()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]

    async with listening(tmp_path, stop_reading) as address:
        with pytest.raises(NotResponding):
            await send(address, "add", {"program": "x" * 4_000_000})


async def test_heartbeats_that_stop_are_noticed(tmp_path: Path) -> None:
    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"\n\n\n")

    async with listening(tmp_path, serve) as address:
        with pytest.raises(NotResponding):
            await send(address, "call", {})
