"""No descriptor is closed twice: when another thread has opened a file in between, that would be
closed instead."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.router_process import ROOT

STDIO_SERVER = ROOT / "tests" / "servers" / "stdio_server.py"

pytestmark = [
    pytest.mark.proof,
    pytest.mark.timeout(600),
    pytest.mark.skipif(sys.platform != "linux", reason="strace is for Linux"),
]

START_AND_STOP = """
import asyncio, os, sys, threading
from pathlib import Path
import uvloop
from router.config.server import ServerConfig
from router.domain.ids import WorkspaceId
from router.service import Router

PERSONAL = WorkspaceId("personal")
SCRIPT = 'return call("s0:echo", {n = 1})'

async def main(folder):
    before = threading.get_native_id()
    print("router", before, flush=True)
    for _ in range(2):
        router = Router(folder, port=0)
        await router.start()
        for number in range(3):
            name = f"s{number}"
            if name not in {each.id for each in router.servers.list(PERSONAL)}:
                config = ServerConfig(command=sys.executable, args=tuple(sys.argv[2:]))
                await router.servers.add(PERSONAL, name, config, consent=True)
        await router.discovery.refresh(PERSONAL)
        trial = await router.scripts.try_out(PERSONAL, "return 1", {})
        assert trial is not None
        for number in range(3):
            status = next(s for s in router.servers.list(PERSONAL) if s.id == f"s{number}")
            assert status.tool_count, status
        await router.stop()

asyncio.Runner(loop_factory=uvloop.new_event_loop).run(main(Path(sys.argv[1])))
"""


def test_starting_and_stopping_everything_closes_no_descriptor_twice(tmp_path: Path) -> None:
    """Servers, discovery in the sandbox, vetting and script workers, SQLite, the endpoint."""
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=close,clone,clone3,fork,vfork"]
    arguments = [sys.executable, "-c", START_AND_STOP, str(tmp_path / "data"), str(STDIO_SERVER)]
    done = subprocess.run(
        [*command, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    router = int(done.stdout.split()[1])
    lines = trace.read_text(errors="replace").splitlines()
    threads = threads_of(router, lines)
    ours = [line for line in lines if int(line.split()[0]) in threads and "close(" in line]
    assert len(threads) > 3
    assert len(ours) > 100
    assert [line for line in ours if "EBADF" in line] == []


def threads_of(process: int, lines: list[str]) -> set[int]:
    """The process's own threads, as far as the trace tells."""
    found = {process}
    unfinished: dict[int, bool] = {}
    for line in lines:
        task = int(line.split()[0])
        if "clone" not in line:
            continue
        if "<unfinished" in line:
            unfinished[task] = "CLONE_THREAD" in line
        is_thread = "CLONE_THREAD" in line or unfinished.get(task, False)
        if task in found and is_thread and (made := re.search(r"= (\d+)$", line)):
            found.add(int(made.group(1)))
    return found
