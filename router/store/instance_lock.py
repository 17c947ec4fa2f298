"""One Toolbooth per data directory: `instance.lock`, and `instance.json` about its holder.

The operating system releases the lock when its holder ends, however it ends; so `instance.json` is
valid only while `instance.lock` is held.

Every command reads it first, so pydantic, which takes longer to load than that takes, is not used.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from router import __version__
from router.domain.errors import Conflict, Sentence, sentence
from router.domain.json_values import as_object
from router.runtime.clock import Clock, utc_now
from router.store.files import atomic_write, is_running, private_folder, translate_os_errors

_WAIT_S = 0.5
"""Longer than others hold the lock to find out whether an instance runs."""


@dataclass(frozen=True, slots=True)
class RunningInstance:
    """The instance on a data directory, as far as is known."""

    pid: int | None = None
    url: str | None = None

    @property
    def is_alive(self) -> bool:
        """False if the lock's holder is not an instance: a process that only checks the lock writes
        no `instance.json`."""
        return self.pid is not None and is_running(self.pid)

    @property
    def sentence(self) -> Sentence:
        if self.pid is None:
            return sentence("Toolbooth is already running.")
        if self.url is None:
            return sentence("Toolbooth is already running (process {pid}).", pid=self.pid)
        return sentence(
            "Toolbooth is already running (process {pid}, {url}).", pid=self.pid, url=self.url
        )


class InstanceLock:
    """Held from `acquire` to `release`, or to the end of the process."""

    def __init__(self, data_dir: Path, *, clock: Clock = utc_now) -> None:
        self._data_dir = data_dir
        self._clock = clock
        self._lock = _lock(data_dir)
        self._started_at = clock()
        self._running = RunningInstance()

    def acquire(self, url: str | None = None) -> None:
        """Become the one instance, or raise a `Conflict` that names the other; what is done already
        is not done again. Raises another `ToolboothError` if the directory can't be written."""
        if self._running.pid is not None:
            return
        with translate_os_errors(_lock_path(self._data_dir)):
            private_folder(self._data_dir)
            try:
                self._lock.acquire(timeout=_WAIT_S, poll_interval=0.02)
            except Timeout as error:
                raise Conflict(
                    _read_info(self._data_dir).sentence,
                    "Use the running instance, or stop it first.",
                ) from error
            self._started_at = self._clock()
            self._write_info(RunningInstance(os.getpid(), url))

    def try_acquire(self) -> bool:
        try:
            self.acquire()
        except Conflict:
            return False
        return True

    def update(self, *, url: str | None) -> None:
        """Record where the instance can be reached, once that is known. Only the holder may."""
        with translate_os_errors(_info_path(self._data_dir)):
            self._write_info(replace(self._running, url=url or self._running.url))

    def release(self) -> None:
        if self._lock.is_locked:
            with suppress(OSError):
                _info_path(self._data_dir).unlink()
            self._lock.release()
            self._running = RunningInstance()

    def _write_info(self, running: RunningInstance) -> None:
        info = {
            "pid": running.pid,
            "url": running.url,
            "version": __version__,
            "startedAt": self._started_at.isoformat(),
        }
        atomic_write(_info_path(self._data_dir), json.dumps(info, indent=2).encode() + b"\n")
        self._running = running


def describe(data_dir: Path) -> RunningInstance | None:
    """The instance that runs on `data_dir`, if any."""
    if not _lock_path(data_dir).exists():
        return None
    try:
        with _lock(data_dir).acquire(blocking=False):
            return None
    except Timeout:
        return _read_info(data_dir)
    except OSError:  # the disk is full or read-only: then its holder's word must do
        running = _read_info(data_dir)
        return running if running.is_alive else None


def _lock(data_dir: Path) -> FileLock:
    """Seen by all threads alike: the one that stops the router need not have started it."""
    return FileLock(_lock_path(data_dir), mode=0o600, thread_local=False)


def _lock_path(data_dir: Path) -> Path:
    return data_dir / "instance.lock"


def _info_path(data_dir: Path) -> Path:
    return data_dir / "instance.json"


def _read_info(data_dir: Path) -> RunningInstance:
    try:
        info = as_object(json.loads(_info_path(data_dir).read_bytes()))
    except (OSError, ValueError):
        return RunningInstance()
    pid, url = info.get("pid"), info.get("url")
    if not isinstance(pid, int) or not isinstance(url, str | None):
        return RunningInstance()
    return RunningInstance(pid, url)
