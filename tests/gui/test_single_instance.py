"""A second start finds the first: real processes, real sockets."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from gui.handing_over import meeting_place
from router.domain.errors import Conflict
from tests.support.timeouts import WAIT_S

Start: TypeAlias = Callable[..., "subprocess.Popen[str]"]

PROGRAM = """
import json, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from gui.single_instance import SingleInstance

app = QCoreApplication(sys.argv)
instance = SingleInstance(Path(sys.argv[1]))

def heard(arguments):
    print(json.dumps(arguments), flush=True)

instance.started.connect(heard)
if not instance.claim(sys.argv[2:]):
    sys.exit(0)
print("first", flush=True)
sys.stdin.read() if "--busy" in sys.argv else app.exec()
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start the program above on one data directory, with sockets in a folder that goes away."""
    processes: list[subprocess.Popen[str]] = []
    sockets = tempfile.TemporaryDirectory(prefix="tb")
    environment = {**os.environ, "XDG_RUNTIME_DIR": sockets.name}

    def start(*arguments: str, data_dir: Path = tmp_path) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", PROGRAM, str(data_dir), *arguments]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()
    sockets.cleanup()


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_second_start_hands_its_arguments_to_the_first_and_ends(start: Start) -> None:
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


def test_what_a_killed_process_left_does_not_stand_in_the_way(start: Start) -> None:
    killed = start()
    assert line_of(killed) == "first"
    killed.kill()
    killed.wait(timeout=WAIT_S)
    assert line_of(start()) == "first"


def test_of_starts_at_the_same_moment_one_is_first(start: Start) -> None:
    processes = [start(str(number)) for number in range(4)]
    first = next(process for process in processes if line_of(process) == "first")
    heard = sorted(json.loads(line_of(first))[0] for _ in range(3))
    others = [process for process in processes if process is not first]
    assert heard == [str(processes.index(process)) for process in others]
    assert [process.wait(timeout=WAIT_S) for process in others] == [0, 0, 0]


def test_who_starts_while_the_first_ends_is_the_next_first(start: Start) -> None:
    ending = start("--busy")
    assert line_of(ending) == "first"
    following = start()
    ending.communicate(timeout=WAIT_S)
    assert line_of(following) == "first"


@pytest.mark.parametrize("runtime", ["", "/nowhere"])
def test_without_a_folder_of_the_session_the_data_directory_is_where_they_meet(
    runtime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    with tempfile.TemporaryDirectory(prefix="tb") as folder:  # a socket's name is short
        assert meeting_place(Path(folder)).parent == Path(folder)


def test_nobody_meets_in_somebody_elses_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("os.getuid", lambda: 12345)
    with pytest.raises(Conflict, match="belongs to somebody else"):
        meeting_place(tmp_path)


def test_a_long_name_of_the_data_directory_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", "")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = meeting_place(long)
    assert place.parent == tmp_path / f"toolbooth-{os.getuid()}"
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
