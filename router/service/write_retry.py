"""Tries again what could not be written to disk, until it can."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from router.runtime.tasks import log_and_continue, spawn, stop
from router.store.deferred_writes import DeferredWrites

log = logging.getLogger(__name__)

RETRY_S = 5.0


@dataclass(slots=True)
class WriteRetry:
    _writes: DeferredWrites
    _retry_s: float = RETRY_S
    _retrying: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._retrying = spawn(self._retry_forever(), name="retry writes")

    async def close(self) -> None:
        """Try a last time."""
        await stop(self._retrying)
        await asyncio.to_thread(self._writes.retry)
        if reason := self._writes.reason:
            log.error("Not everything could be written before the end: %s", reason)

    async def _retry_forever(self) -> None:
        while True:
            await asyncio.sleep(self._retry_s)
            if self._writes.reason:
                with log_and_continue("write what could not be written before"):
                    await asyncio.to_thread(self._writes.retry)
