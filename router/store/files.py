"""Atomic, private writes: a file always has its old or its new content, never a mix.

Files are readable by their owner only. `atomic_write` protects readers; a read-modify-write cycle
also holds `locked`, so that no other process's change is lost.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from filelock import FileLock, Timeout

from router.domain.errors import Conflict, ToolboothError, sentence

log = logging.getLogger(__name__)

_TEMPORARY = re.compile(r"\..+\.(\d+)-[0-9a-f]{8}\.tmp")
_MAX_WRITE_S = 60
_FOLDERS_DEEP = 3
_LOCK_TIMEOUT_S = 10


FileVersion: TypeAlias = tuple[int, int, int]
"""Changes whenever the file does; known without reading it."""


def file_version(path: Path) -> FileVersion:
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def atomic_write(path: Path, data: bytes) -> None:
    """Replace the content of `path` durably. For a symbolic link, its target is replaced."""
    target = path.resolve()
    private_folder(target.parent)
    replace_durably(target, data)


def replace_durably(
    target: Path,
    data: bytes,
    prepare: Callable[[int], None] = lambda _: None,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Replace the content of `target`, which is no link, or create it.

    `prepare` receives the descriptor of the new file; `check` is called at the last moment.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    create_durably(temporary, data, prepare)
    try:
        check()
        _replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold the lock of `path`, which other processes wait for."""
    private_folder(path.parent)
    lock = FileLock(f"{path}.lock", timeout=_LOCK_TIMEOUT_S, mode=0o600, poll_interval=0.01)
    try:
        with lock:
            yield
    except Timeout as error:
        raise Conflict(
            sentence("{path} is in use by another process.", path=path), "Try again in a moment."
        ) from error


@contextmanager
def translate_os_errors(path: Path) -> Generator[None]:
    """Turn an `OSError` while writing `path` into a `ToolboothError`."""
    try:
        yield
    except OSError as error:
        raise ToolboothError(
            sentence("Can't write {path}: {reason}.", path=path, reason=error.strerror or error),
            "Check the disk space and the folder's permissions. Nothing was changed.",
        ) from error


def private_folder(path: Path) -> None:
    """Create `path` and missing parents, accessible to their owner only."""
    if not path.is_dir():
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)


def remove_stale_files(folder: Path) -> None:
    """Remove the temporary files of writers that were killed, where permitted, also those in
    the folders inside, as deep as we write files ourselves."""
    for parent, folders, names in os.walk(folder):
        if len(Path(parent).parts) - len(folder.parts) == _FOLDERS_DEEP:
            folders.clear()  # thousands of files of a package
        for name in names:
            _remove_if_stale(Path(parent, name), _TEMPORARY)


def remove_stale_files_of(path: Path) -> None:
    """Remove the temporary files of writers of this one file that were killed; nothing else in its
    folder, which may not be ours."""
    target = path.resolve()
    temporary = re.compile(rf"\.{re.escape(target.name)}\.(\d+)-[0-9a-f]{{8}}\.tmp")
    with suppress(OSError):
        for each in target.parent.iterdir():
            _remove_if_stale(each, temporary)


def _remove_if_stale(path: Path, temporary: re.Pattern[str]) -> None:
    named = temporary.fullmatch(path.name)
    if named and _is_stale(path, writer=int(named.group(1))):
        log.info("Removing %s, left by an unfinished write", path)
        with suppress(OSError):
            path.unlink()


def _is_stale(path: Path, *, writer: int) -> bool:
    if not is_running(writer):
        return True
    with suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime > _MAX_WRITE_S
    return False


def is_running(process: int) -> bool:
    """Whether the process exists."""
    if sys.platform == "win32":  # where os.kill would end it
        import psutil

        return psutil.pid_exists(process)
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def create_durably(
    path: Path, data: bytes, prepare: Callable[[int], None] = lambda _: None
) -> None:
    """Create a file, which must not exist, readable by its owner only unless `prepare`, which
    receives its descriptor, changes that. One that can't be written whole is removed."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            prepare(descriptor)
            os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


def _replace(source: Path, target: Path) -> None:
    """Retries on Windows, which refuses while a reader has `target` open."""
    for _ in range(20 if sys.platform == "win32" else 0):
        with suppress(PermissionError):
            source.replace(target)
            return
        time.sleep(0.01)
    source.replace(target)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable. The new file is in place already, so a failure is ignored,
    and so is Windows, where folders can't be opened."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
