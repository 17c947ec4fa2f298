"""How this room writes: a file is wholly the old one or wholly the new one, whatever happens.

Files are readable by their owner only. `atomic_write` protects readers; whoever reads, changes and
writes back holds `locked` meanwhile, so that no other process's change is lost.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from router.domain.errors import Conflict, ToolboothError, said

log = logging.getLogger(__name__)

_TEMPORARY = re.compile(r"\..+\.(\d+)-[0-9a-f]{8}\.tmp")
_NO_WRITE_TAKES_S = 60
_LOCK_TIMEOUT_S = 10


class Stamp(NamedTuple):
    """What tells one state of a file from another without reading it."""

    modified_ns: int
    size: int
    inode: int


def stamp_of(path: Path) -> Stamp:
    stat = path.stat()
    return Stamp(stat.st_mtime_ns, stat.st_size, stat.st_ino)


def atomic_write(path: Path, data: bytes) -> None:
    """Replace `path` by `data`, durably. Of a symbolic link, what it points to is replaced."""
    target = path.resolve()
    private_folder(target.parent)
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        _write_through(temporary, data)
        _replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Keep every other process that asks for `path` waiting until this ends."""
    private_folder(path.parent)
    lock = FileLock(f"{path}.lock", timeout=_LOCK_TIMEOUT_S, mode=0o600, poll_interval=0.01)
    try:
        lock.acquire()
    except Timeout as error:
        raise Conflict(
            said("{path} is in use by another process.", path=path), "Try again in a moment."
        ) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def explained(path: Path) -> Generator[None]:
    """An error of the file system while writing `path`, as a sentence for a person."""
    try:
        yield
    except OSError as error:
        raise ToolboothError(
            said("Can't write {path}: {reason}.", path=path, reason=error.strerror or error),
            "Check the disk space and the folder's permissions. Nothing was changed.",
        ) from error


def private_folder(path: Path) -> None:
    """Make `path` and what is missing above it, open to its owner only."""
    if not path.is_dir():
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)


def sweep(folder: Path) -> None:
    """Remove what killed writers left in `folder`, as far as we may."""
    with suppress(OSError):
        for path in list(folder.iterdir()):
            named = _TEMPORARY.fullmatch(path.name)
            if named and _is_stale(path, writer=int(named.group(1))):
                log.info("Removing %s, left by a write that never ended", path)
                with suppress(OSError):
                    path.unlink()


def _is_stale(path: Path, *, writer: int) -> bool:
    if not is_running(writer):
        return True
    with suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime > _NO_WRITE_TAKES_S
    return False


def is_running(process: int) -> bool:
    """Whether there is such a process."""
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


def _write_through(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _replace(source: Path, target: Path) -> None:
    """Windows refuses while someone has `target` open, which readers do for a moment."""
    for _ in range(20 if sys.platform == "win32" else 0):
        with suppress(PermissionError):
            source.replace(target)
            return
        time.sleep(0.01)
    source.replace(target)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable. The new file is in place already, so a file system that
    can't do this (and Windows, where folders can't be opened) makes no write fail."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
