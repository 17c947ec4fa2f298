"""Files are replaced atomically, private, and never lose another process's change."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from router.domain.errors import Conflict, ToolboothError
from router.store import files
from router.store.files import (
    atomic_write,
    locked,
    private_folder,
    remove_stale_files,
    translate_os_errors,
)
from tests.support.timeouts import WAIT_S

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_write_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    atomic_write(path, b"a long first text")
    atomic_write(path, b"short")
    assert path.read_bytes() == b"short"
    assert list(tmp_path.iterdir()) == [path]


@POSIX_ONLY
def test_files_and_the_folders_made_for_them_are_private(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file.json"
    old_umask = os.umask(0)
    try:
        with locked(path):
            atomic_write(path, b"x")
    finally:
        os.umask(old_umask)
    assert (mode(path), mode(path.with_name("file.json.lock"))) == (0o600, 0o600)
    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o700, 0o700)


@POSIX_ONLY
def test_a_file_that_was_readable_by_others_becomes_private_when_written(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.touch(0o644)
    atomic_write(path, b"x")
    assert mode(path) == 0o600


def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "workspace.json"
    private_folder(target.parent)
    target.write_bytes(b"old")
    link = tmp_path / "workspace.json"
    link.symlink_to(target)
    atomic_write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.proves("CACHE-5")
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("step", ["os.open", "os.fdopen", "os.fsync", "pathlib.Path.replace"])
def test_a_write_that_fails_at_any_step_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    path = tmp_path / "file.json"
    atomic_write(path, b"old")
    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        with pytest.raises(ToolboothError, match="Can't write"), translate_os_errors(path):
            atomic_write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_sweep_removes_files_of_dead_writers(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(timeout=WAIT_S)
    (tmp_path / f".time.json.{ended.pid}-0123abcd.tmp").touch()
    remove_stale_files(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_sweep_keeps_active_writes_and_other_files(tmp_path: Path) -> None:
    kept = [f".time.json.{os.getpid()}-0123abcd.tmp", "time.json", ".hidden.tmp", "notes.tmp"]
    for name in kept:
        (tmp_path / name).touch()
    remove_stale_files(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(kept)


def test_the_sweep_removes_an_old_leftover_whose_process_id_is_in_use_again(tmp_path: Path) -> None:
    leftover = tmp_path / f".time.json.{os.getpid()}-0123abcd.tmp"
    leftover.touch()
    an_hour_ago = time.time() - 3600
    os.utime(leftover, (an_hour_ago, an_hour_ago))
    remove_stale_files(tmp_path)
    assert not leftover.exists()


def test_sweeping_a_missing_folder_does_nothing(tmp_path: Path) -> None:
    remove_stale_files(tmp_path / "missing")


def test_a_lock_held_for_too_long_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_LOCK_TIMEOUT_S", 0.05)
    path = tmp_path / "file.json"
    with locked(path), pytest.raises(Conflict, match="in use by another process"), locked(path):
        pass
