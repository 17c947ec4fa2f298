"""One instance per data directory: locked while it runs, free as soon as it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

import router
from router import __version__
from router.domain.errors import Conflict, ToolboothError
from router.store.instance_lock import InstanceLock, RunningInstance, describe
from tests.support.fakes import FakeClock
from tests.support.timeouts import WAIT_S

ROOT = Path(router.__file__).parents[1]
URL = "http://127.0.0.1:3717/mcp"
HOLD = """
import sys
from pathlib import Path
from router.store.instance_lock import InstanceLock

lock = InstanceLock(Path(sys.argv[1]))
lock.acquire(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_process(data_dir: Path) -> Generator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(data_dir), URL],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_new_directory_has_no_holder(tmp_path: Path) -> None:
    assert describe(tmp_path) is None
    assert describe(tmp_path / "missing") is None
    assert list(tmp_path.iterdir()) == []


def test_the_holder_can_be_described_until_it_releases(tmp_path: Path) -> None:
    clock = FakeClock()
    lock = InstanceLock(tmp_path / "data", clock=clock)
    lock.acquire()
    lock.update(url=URL)
    assert describe(tmp_path / "data") == RunningInstance(os.getpid(), URL)
    note = json.loads((tmp_path / "data" / "instance.json").read_text())
    assert (note["version"], note["startedAt"]) == (__version__, "2026-03-10T12:00:00+00:00")
    lock.release()
    lock.release()
    assert describe(tmp_path / "data") is None
    assert not (tmp_path / "data" / "instance.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_the_lock_files_are_private(tmp_path: Path) -> None:
    lock = InstanceLock(tmp_path / "data")
    lock.acquire()
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "data").iterdir()}
    lock.release()
    assert modes == {"instance.lock": 0o600, "instance.json": 0o600}
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_a_second_instance_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    with another_process(tmp_path) as first:
        sentence = f"Toolbooth is already running (process {first.pid}, {URL})."
        with pytest.raises(Conflict) as caught:
            InstanceLock(tmp_path).acquire()
        assert caught.value.message == sentence
        running = describe(tmp_path)
        assert running is not None
        assert (running.pid, running.url) == (first.pid, URL)


def test_a_killed_instance_releases_the_directory(tmp_path: Path) -> None:
    with another_process(tmp_path) as first:
        first.kill()
        first.wait(timeout=WAIT_S)
        assert (tmp_path / "instance.json").exists()
        assert describe(tmp_path) is None
        lock = InstanceLock(tmp_path)
        lock.acquire(URL)
        running = describe(tmp_path)
        lock.release()
    assert running is not None
    assert running.pid == os.getpid()


@pytest.mark.parametrize("note", [None, "", "{", '{"pid": "many"}', '{"pid": 1, "url": 2}', "[]"])
def test_a_holder_without_readable_instance_file_still_holds_the_lock(
    tmp_path: Path, note: str | None
) -> None:
    lock = InstanceLock(tmp_path)
    lock.acquire(URL)
    path = tmp_path / "instance.json"
    path.unlink()
    if note is not None:
        path.write_text(note)
    assert describe(tmp_path) == RunningInstance()
    with pytest.raises(Conflict, match=r"^Toolbooth is already running\.$"):
        InstanceLock(tmp_path).acquire()
    lock.release()


def test_an_unwritable_data_directory_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ToolboothError, match="Can't write"):
        InstanceLock(tmp_path / "file" / "data").acquire()
