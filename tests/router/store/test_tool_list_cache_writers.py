"""Tool lists on disk with killed writers, and with two concurrent ones: nothing is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

import router
from router.discovery.vetting.preparation import prepare
from router.domain.ids import ServerId
from router.domain.tool_lists import CachedListing, ServerListing
from router.store.files import remove_stale_files
from router.store.tool_list_cache import ToolListCache
from tests.support.timeouts import WAIT_S

ROOT = Path(router.__file__).parents[1]
TIME = ServerId("time")
HASH = "a" * 64
ENTRY = CachedListing(prepare(ServerListing(({"name": "now"},))), HASH, datetime.now(UTC))

KILL_A_WRITER_PER_LINE = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from router.discovery.vetting.preparation import prepare
from router.domain.tool_lists import ServerListing
from router.domain.ids import ServerId
from router.domain.tool_lists import CachedListing
from router.store import files
from router.store.tool_list_cache import ToolListCache

def write_until(step, cache):
    # Killed at this one of the calls and returns in the module that writes files.
    def count(frame, event, arg):
        nonlocal step
        step -= frame.f_code.co_filename == files.__file__
        if step == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    number = 0
    while True:
        tools = tuple({"name": f"tool-{i}", "description": f"{number} " * 50} for i in range(100))
        listing = CachedListing(prepare(ServerListing(tools)), "a" * 64, datetime.now(UTC))
        cache.write(ServerId("time"), listing)
        number += 1

prepare(ServerListing(({"name": "tool", "description": "Loads the rules before the fork."},)))
cache = ToolListCache(Path(sys.argv[1]))
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        write_until(int(line), cache)
    os.waitpid(child, 0)
    print("killed", flush=True)
"""


def kill_writers(folder: Path, steps: Iterable[int]) -> None:
    """Run writers repeatedly, each until it reaches the next of `steps`, and kill them."""
    ToolListCache(folder).write(TIME, ENTRY)
    with subprocess.Popen(
        [sys.executable, "-c", KILL_A_WRITER_PER_LINE, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as killer:
        assert killer.stdin is not None
        assert killer.stdout is not None
        interrupted = 0
        for step in steps:
            print(step, file=killer.stdin, flush=True)
            assert killer.stdout.readline() == "killed\n"
            interrupted += any(folder.glob(".*.tmp"))
            remove_stale_files(folder)
            entry = ToolListCache(folder).read(TIME, HASH)
            assert entry is not None
            assert len({tool.shown.get("description") for tool in entry.listing.tools}) <= 2
            assert {path.name for path in folder.iterdir()} <= {"time.json", "time.json.bak"}
        killer.stdin.close()
        assert killer.wait(timeout=WAIT_S) == 0
    assert interrupted > 0, "no kill met a write: the test shows nothing"


@pytest.mark.proves("CACHE-5")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killing_a_writer_never_leaves_a_corrupt_entry(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kill_writers(tmp_path / "cache", range(1, 200, 9))
    assert [record for record in caplog.records if record.levelname == "WARNING"] == []


@pytest.mark.proof
@pytest.mark.timeout(300)
@pytest.mark.proves("CACHE-5")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killing_a_writer_a_thousand_times_never_leaves_a_corrupt_entry(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kill_writers(tmp_path / "cache", [*range(1, 201)] * 5)
    assert [record for record in caplog.records if record.levelname == "WARNING"] == []


WRITE_AND_LOOK = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from router.discovery.vetting.preparation import prepare
from router.domain.tool_lists import ServerListing
from router.domain.ids import ServerId
from router.domain.tool_lists import CachedListing
from router.store.tool_list_cache import ToolListCache

folder, own, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
cache = ToolListCache(folder)
for number in range(rounds):
    tools = tuple({"name": f"tool-{i}", "description": f"{own} {number}"} for i in range(20))
    entry = CachedListing(prepare(ServerListing(tools)), "a" * 64, datetime.now(UTC))
    cache.write(ServerId(own), entry)
    cache.write(ServerId("shared"), entry)
    kept = cache.read(ServerId(own), "a" * 64)
    assert kept is not None and kept.listing == entry.listing, "an entry was lost"
    both = cache.read(ServerId("shared"), "a" * 64)
    assert both is not None and len({t.shown["description"] for t in both.listing.tools}) == 1
"""


def write_side_by_side(folder: Path, rounds: int) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE_AND_LOOK, str(folder), name, str(rounds)],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("first", "second")
    ]
    stderrs = [writer.communicate(timeout=200)[1] for writer in writers]
    assert stderrs == ["", ""]
    cache = ToolListCache(folder)
    for name in ("first", "second"):
        entry = cache.read(ServerId(name), HASH)
        assert entry is not None
        assert entry.listing.tools[0].shown["description"] == f"{name} {rounds - 1}"


@pytest.mark.proves("DISC-11")
def test_two_processes_that_write_lose_nothing(tmp_path: Path) -> None:
    write_side_by_side(tmp_path / "cache", 10)


@pytest.mark.proof
@pytest.mark.timeout(300)
@pytest.mark.proves("DISC-11")
def test_two_processes_that_write_two_hundred_times_lose_nothing(tmp_path: Path) -> None:
    write_side_by_side(tmp_path / "cache", 200)
