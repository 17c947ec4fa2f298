"""A second start of the window finds the first: real processes, a real socket."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from router.api.events import WindowRequested
from router.cli.window import claim
from router.domain.errors import Conflict, ToolboothError
from router.service import Router
from router.store.instance_lock import describe
from tests.support.running_router import running_router
from tests.support.timeouts import WAIT_S

Start: TypeAlias = Callable[..., "subprocess.Popen[str]"]

PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from router.cli.window import claim
from router.runtime.local_ipc import LocalServer, socket_address

folder = Path(sys.argv[1])

async def on_command(name, arguments):
    print(json.dumps(arguments["words"]), flush=True)
    return {"opened": True}

async def listen():
    await LocalServer(socket_address(folder), on_command, lambda _: True).start()
    await asyncio.Event().wait()

lock = claim(folder, sys.argv[2:])
if lock is None:
    sys.exit(0)
print("first", flush=True)
sys.stdin.read() if "--busy" in sys.argv else asyncio.run(listen())
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start the program above on one data directory."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str, data_dir: Path = tmp_path) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", PROGRAM, str(data_dir), *arguments]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_second_start_sends_its_arguments_to_the_first_and_exits(start: Start) -> None:
    first = start()
    assert line_of(first) == "first"
    second = start("--hidden", "ツール")
    assert second.wait(timeout=WAIT_S) == 0
    assert json.loads(line_of(first)) == ["--hidden", "ツール"]


def test_another_data_directory_is_another_instance(start: Start, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert line_of(start()) == "first"
    assert line_of(start(data_dir=other)) == "first"


def test_files_of_a_killed_process_do_not_block_a_start(start: Start) -> None:
    killed = start()
    assert line_of(killed) == "first"
    killed.kill()
    killed.wait(timeout=WAIT_S)
    assert line_of(start()) == "first"


def test_of_concurrent_starts_one_wins(start: Start) -> None:
    processes = [start(str(number)) for number in range(4)]
    first = next(process for process in processes if line_of(process) == "first")
    received = sorted(json.loads(line_of(first))[0] for _ in range(3))
    others = [process for process in processes if process is not first]
    assert received == [str(processes.index(process)) for process in others]
    assert [process.wait(timeout=WAIT_S) for process in others] == [0, 0, 0]


def test_a_start_while_the_first_ends_becomes_the_first(start: Start) -> None:
    ending = start("--busy")
    assert line_of(ending) == "first"
    following = start()
    ending.communicate(timeout=WAIT_S)
    assert line_of(following) == "first"


async def test_a_running_window_is_notified_of_a_second_start(tmp_path: Path) -> None:
    async with running_router(tmp_path, attended=True) as running:
        assert await asyncio.to_thread(claim, tmp_path, ["--hidden"]) is None
        assert (await running.trace.until(WindowRequested)).words == ("--hidden",)


async def test_starting_a_router_beside_a_headless_instance_says_so(
    tmp_path: Path,
) -> None:
    async with running_router(tmp_path):
        lock = await asyncio.to_thread(claim, tmp_path, [])
        router = Router(tmp_path, port=0, attended=True, instance=lock)
        with pytest.raises(Conflict, match="already running"):
            await router.start()
        await router.stop()


async def test_a_router_serves_with_the_lock_that_its_window_holds(tmp_path: Path) -> None:
    lock = await asyncio.to_thread(claim, tmp_path, [])
    router = Router(tmp_path, port=0, attended=True, instance=lock)
    await router.start()
    assert describe(tmp_path) is not None
    await router.stop()
    assert describe(tmp_path) is None


def test_a_folder_that_cannot_be_locked_is_explained_by_the_window(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    lock = claim(file / "data", [])
    assert lock is not None
    with pytest.raises(ToolboothError, match="Can't write"):
        lock.acquire()
