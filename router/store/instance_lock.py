"""One Toolbooth per data directory: `instance.lock`, and `instance.json` about its holder.

The operating system releases the lock when its holder ends, however it ends; so `instance.json` is
valid only while `instance.lock` is held.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import AwareDatetime, BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from router import __version__
from router.domain.errors import Conflict, Sentence, sentence
from router.runtime.clock import Clock, utc_now
from router.store import json_text
from router.store.files import atomic_write, is_running, private_folder, translate_os_errors

_WAIT_S = 0.5
"""Longer than others hold the lock to find out whether an instance runs."""


class RunningInstance(BaseModel):
    """The instance on a data directory, as far as is known; `socket` is where it takes commands."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    pid: int | None = None
    url: str | None = None
    socket: str | None = None
    version: str | None = None
    started_at: AwareDatetime | None = None

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
            self._write_info(
                RunningInstance(
                    pid=os.getpid(), url=url, version=__version__, started_at=self._clock()
                )
            )

    def try_acquire(self) -> bool:
        try:
            self.acquire()
        except Conflict:
            return False
        return True

    def update(self, *, url: str | None = None, socket: str | None = None) -> None:
        """Record where the instance can be reached, once that is known. Only the holder may."""
        known = {"url": url or self._running.url, "socket": socket or self._running.socket}
        with translate_os_errors(_info_path(self._data_dir)):
            self._write_info(self._running.model_copy(update=known))

    def release(self) -> None:
        if self._lock.is_locked:
            with suppress(OSError):
                _info_path(self._data_dir).unlink()
            self._lock.release()
            self._running = RunningInstance()

    def _write_info(self, running: RunningInstance) -> None:
        info = running.model_dump(mode="json", by_alias=True)
        atomic_write(_info_path(self._data_dir), json_text.dump(info))
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
        return RunningInstance.model_validate_json(_info_path(data_dir).read_bytes())
    except (OSError, ValueError):
        return RunningInstance()
