"""Programs started beside the loop: all their output arrives, and no process is lost."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from router.runtime.tasks import spawn
from router.upstream.process.spawn import start_program
from tests.support.router_process import children_of

WRITE_AND_EXIT = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
ECHO = "import sys; [print(line.strip()[::-1], flush=True) for line in sys.stdin]"
FLOOD = "while True: print('x' * 1000)"
STAY = "import time; time.sleep(600)"


async def test_output_and_exit_code_of_a_program_are_returned() -> None:
    program = await start_program(
        sys.executable, "-Ic", WRITE_AND_EXIT, env={}, cwd=None, stderr=subprocess.STDOUT
    )
    output, _ = await program.communicate()
    assert sorted(output.split()) == [b"err", b"out"]
    assert await program.wait() == program.returncode == 3


async def test_a_program_answers_line_by_line_and_can_be_killed() -> None:
    program = await start_program(
        sys.executable, "-Ic", ECHO, env={}, cwd=None, stderr=subprocess.DEVNULL
    )
    assert program.stdin
    assert program.stdout
    for word in (b"one", b"two"):
        program.stdin.write(word + b"\n")
        assert await program.stdout.readline() == word[::-1] + b"\n"
    await program.end()
    assert program.returncode != 0


async def test_unread_output_leaves_no_open_pipe() -> None:
    program = await start_program(
        sys.executable, "-Ic", FLOOD, env={}, cwd=None, stderr=subprocess.DEVNULL
    )
    assert program.stdout
    await program.stdout.readline()
    await program.end()
    assert program.transport.is_closing()


async def test_a_failed_start_is_raised_and_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(FileNotFoundError):
        await start_program("/nowhere/nothing", env={}, cwd=None)
    assert caplog.records == []


async def test_a_start_that_is_cancelled_leaves_no_process() -> None:
    before = children_of(os.getpid())
    starting = spawn(start_program(sys.executable, "-Ic", STAY, env={}, cwd=None), name="start")
    await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait([starting])
    assert starting.cancelled()
    assert children_of(os.getpid()) <= before


async def test_a_descriptor_of_a_pipe_has_one_owner() -> None:
    """uvloop closes descriptors itself; asyncio leaves that to the file object."""
    by_loop = type(asyncio.get_running_loop()).__module__.startswith("uvloop")
    program = await start_program(sys.executable, "-Ic", ECHO, env={}, cwd=None)
    pipes = map(program.transport.get_pipe_transport, range(3))
    files = [pipe.get_extra_info("pipe") for pipe in pipes if pipe is not None]
    await program.end()
    assert [file.closefd for file in files] == [not by_loop] * 3


@pytest.mark.skipif(sys.platform != "linux", reason="counts by way of /proc")
@pytest.mark.parametrize("anyio_backend", [("asyncio", {"use_uvloop": True})], ids=["uvloop"])
@pytest.mark.parametrize("failing", [0, 1])
async def test_a_pipe_that_cannot_be_connected_leaves_no_process_and_no_descriptor(
    monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    loop = asyncio.get_running_loop()
    connect, calls = loop.connect_read_pipe, iter(range(2))

    async def fail_once(protocol: Any, pipe: Any) -> Any:
        if next(calls) == failing:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return await connect(protocol, pipe)

    await (await start_program(sys.executable, "-Ic", STAY, env={}, cwd=None)).end()
    before, children = await open_descriptors(), children_of(os.getpid())
    with monkeypatch.context() as patch:
        patch.setattr(loop, "connect_read_pipe", fail_once)
        with pytest.raises(OSError, match="Too many open files"):
            await start_program(sys.executable, "-Ic", STAY, env={}, cwd=None)
    assert children_of(os.getpid()) <= children
    assert await open_descriptors() == before


async def open_descriptors() -> int:
    """How many this process has, once the loop has closed those of processes that ended."""
    for _ in range(10):
        await asyncio.sleep(0)
    return len(list(Path("/proc/self/fd").iterdir()))
