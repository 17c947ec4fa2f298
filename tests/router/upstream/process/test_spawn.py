"""Programs started beside the loop: all their output arrives, and no process is lost."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

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
