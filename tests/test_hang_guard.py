"""A test run ends, whatever a failing test leaves running."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes and signals are POSIX")

_SETTINGS = "[pytest]\ntimeout = 1\nsession_timeout = {limit_s}\n"
_SHORT_GRACE = "from tests.support import hang_guard\nhang_guard.GRACE_S = 1\n"
_READS_A_FIFO = """
import asyncio, os
def test_reads(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    asyncio.run(asyncio.to_thread((tmp_path / "fifo").read_text))
"""
_LEAVES_A_THREAD = """
import os, threading
def test_leaves_a_thread(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    threading.Thread(target=(tmp_path / "fifo").read_text).start()
"""
_LEAVES_A_PROCESS = """
import subprocess, pytest
@pytest.fixture
def server():
    return subprocess.Popen(["sleep", "1000"])
def test_fails(server):
    assert server is None
"""
_HANGS_AT_IMPORT = """
import threading
threading.Event().wait()
def test_nothing():
    pass
"""
_WORKERS = ("-n", "2", "--dist", "loadfile", "--max-worker-restart", "0")


def run(
    folder: Path, test: str, *options: str, limit_s: int = WAIT_S
) -> subprocess.CompletedProcess[str]:
    """A run of its own. Its output is read to the end, that is until nobody holds it open."""
    (folder / "pytest.ini").write_text(_SETTINGS.format(limit_s=limit_s))
    (folder / "conftest.py").write_text(_SHORT_GRACE)
    (folder / "test_it.py").write_text(test)
    plugin = ("-p", "tests.support.hang_guard", "-p", "no:cacheprovider", "-s")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, "--rootdir", folder, *options, folder],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )


@pytest.mark.parametrize("options", [(), _WORKERS], ids=["one process", "workers"])
def test_a_thread_that_reads_a_pipe_does_not_keep_the_run_from_ending(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    ended = run(tmp_path, _READS_A_FIFO, *options)
    assert ended.returncode != 0
    assert "test_reads" in ended.stdout + ended.stderr
    assert "read_text" in ended.stderr  # where it hangs


def test_a_thread_that_a_test_leaves_does_not_keep_the_run_from_ending(tmp_path: Path) -> None:
    """With workers, pytest-xdist ends them."""
    assert "1 passed" in run(tmp_path, _LEAVES_A_THREAD).stdout


@pytest.mark.parametrize("options", [(), _WORKERS], ids=["one process", "workers"])
def test_a_process_that_a_fixture_leaves_is_killed_after_the_run(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    ended = run(tmp_path, _LEAVES_A_PROCESS, *options)
    assert ended.returncode == 1
    assert "1 failed" in ended.stdout


@pytest.mark.parametrize("options", [(), _WORKERS], ids=["one process", "workers"])
def test_a_module_that_hangs_while_it_is_collected_ends_the_run(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    assert run(tmp_path, _HANGS_AT_IMPORT, *options, limit_s=1).returncode != 0
