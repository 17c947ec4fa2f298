"""Having servers' lists looked at in a process of its own, within bounds of time and memory.

The process stays for the next list and is ended when nobody has needed it for a while; one that
takes too long or breaks is killed, and the next list gets a new one. The router itself only passes
lines of text on, on a thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import BinaryIO, cast

from router.discovery.vetting_worker import decode_prepared, encode_job, write_message
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.tool_lists import ListLimits, PreparedListing, ServerListing

WORKER = "vetting-worker"
"""The word by which a bundled program runs as this process instead."""
TIME_LIMIT_S = 20.0
IDLE_S = 30.0


def worker_command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, WORKER]
    # -P: not whatever package lies in the folder we happen to be in.
    return [sys.executable, "-P", "-m", "router.discovery.vetting_worker"]


class Vetting:
    def __init__(
        self,
        command: Sequence[str] | None = None,
        *,
        time_limit_s: float = TIME_LIMIT_S,
        idle_s: float = IDLE_S,
    ) -> None:
        self._command = list(command or worker_command())
        self._time_limit_s = time_limit_s
        self._idle_s = idle_s
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._used_at = 0.0
        self._ending: asyncio.TimerHandle | None = None

    async def prepare(self, listing: ServerListing, limits: ListLimits) -> PreparedListing:
        """What of `listing` can be shown. Raises `UpstreamFailed` if that can't be found out."""
        try:
            return await asyncio.to_thread(self._prepare, listing, limits)
        finally:
            self._end_when_idle()

    async def close(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        await asyncio.to_thread(self._end)

    @property
    def pid(self) -> int | None:
        """The process there is now, if any."""
        return self._process.pid if self._process is not None else None

    def _prepare(self, listing: ServerListing, limits: ListLimits) -> PreparedListing:
        job = encode_job(listing, asdict(limits))
        with self._turn:
            try:
                return decode_prepared(self._ask(job))
            except (OSError, ValueError, TypeError, KeyError) as error:
                self._kill()
                raise _failed(f"its list could not be checked ({error})") from error

    def _ask(self, job: bytes) -> bytes:
        process = self._running()
        late = threading.Timer(self._time_limit_s, process.kill)
        late.start()
        try:
            jobs, answers = _pipes(process)
            write_message(jobs, job)
            size = answers.readline()
            answer = answers.read(int(size or b"-1"))
            if not size or len(answer) < int(size):
                raise ValueError(f"not within {self._time_limit_s:g} s and its bounds of memory")
            return answer
        finally:
            late.cancel()
            self._used_at = time.monotonic()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._kill()
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._process

    def _end_when_idle(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        loop = asyncio.get_running_loop()
        self._ending = loop.call_later(self._idle_s, self._end_if_idle)

    def _end_if_idle(self) -> None:
        idle = time.monotonic() - self._used_at >= self._idle_s * 0.9
        if idle and self._turn.acquire(blocking=False):
            try:
                self._kill()
            finally:
                self._turn.release()

    def _end(self) -> None:
        with self._turn:
            self._kill()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in _pipes(process):
            with contextlib.suppress(OSError):
                pipe.close()
        process.wait()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    return cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout)


def _failed(reason: str) -> UpstreamFailed:
    failure = Failure(FailureKind.OTHER, detail=reason)
    return UpstreamFailed(failure, reason, "The list that was there before stays.")
