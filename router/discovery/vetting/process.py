"""The router's side of the vetting worker: runs it within limits of time and memory.

The worker serves one list after another and is stopped when idle. One that fails or exceeds its
time is killed; the next list starts another. The router itself only passes bytes, on a thread.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, cast

from router.discovery.vetting.messages import (
    decode_prepared,
    encode_job,
    read_message,
    write_message,
)
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.tool_lists import ListLimits, PreparedListing, ServerListing

WORKER_COMMAND = "vetting-worker"
"""The argument that makes a bundled program run as the worker."""


def worker_command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, WORKER_COMMAND]
    # -P: a package in the current directory must not take the place of ours.
    return [sys.executable, "-P", "-m", "router.discovery.vetting.worker"]


@dataclass(slots=True)
class VettingProcess:
    command: Sequence[str] = field(default_factory=worker_command)
    time_limit_s: float = 20.0
    idle_s: float = 30.0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while the process is used or ended."""
    _process: subprocess.Popen[bytes] | None = None
    _closed: bool = False
    _idle_timer: asyncio.TimerHandle | None = None

    async def prepare(self, listing: ServerListing, limits: ListLimits) -> PreparedListing:
        """`listing` as it may be shown. Raises `UpstreamFailed` if the worker fails."""
        try:
            return await asyncio.to_thread(self._prepare, listing, limits)
        finally:
            self._restart_idle_timer()

    async def close(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        await asyncio.to_thread(self._end)

    @property
    def pid(self) -> int | None:
        """Of the worker that runs now, if any."""
        return self._process.pid if self._process is not None else None

    def _prepare(self, listing: ServerListing, limits: ListLimits) -> PreparedListing:
        job = encode_job(listing, limits)
        with self._lock:
            try:
                return decode_prepared(self._request(job))
            except (OSError, ValueError, TypeError, KeyError) as error:
                self._kill()
                reason = f"its list could not be checked ({error})"
                failure = Failure(FailureKind.OTHER, detail=reason)
                hint = "The previous tool list stays in use."
                raise UpstreamFailed(failure, reason, hint) from error

    def _request(self, job: bytes) -> bytes:
        process = self._running()
        timeout = threading.Timer(self.time_limit_s, process.kill)
        timeout.start()
        try:
            write_message(cast(BinaryIO, process.stdin), job)
            if (answer := read_message(cast(BinaryIO, process.stdout))) is None:
                raise ValueError(f"no answer within {self.time_limit_s:g} s and the memory limit")
            return answer
        finally:
            timeout.cancel()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._closed:  # before the thread of a cancelled job began
            raise ValueError("Toolbooth is stopping")
        if self._process is None or self._process.poll() is not None:
            self._kill()
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._process

    def _restart_idle_timer(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        loop = asyncio.get_running_loop()
        self._idle_timer = loop.call_later(self.idle_s, self._end_if_idle)

    def _end_if_idle(self) -> None:
        if self._lock.acquire(blocking=False):  # otherwise it is not idle
            try:
                self._kill()
            finally:
                self._lock.release()

    def _end(self) -> None:
        with self._lock:
            self._closed = True
            self._kill()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.communicate()  # closes the pipes and waits for the end
