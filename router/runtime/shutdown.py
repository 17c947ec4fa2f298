"""Shutdown in the reverse order of start-up, on one `AsyncExitStack`.

Each step of a start-up registers its own undo. A step that raises or takes too long is logged, and
the others run all the same.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial

log = logging.getLogger(__name__)

STEP_TIMEOUT_S = 15.0
"""Longer than the bounds the steps have themselves: this one is for the unexpected."""


class Shutdown:
    def __init__(self, step_timeout_s: float = STEP_TIMEOUT_S) -> None:
        self._step_timeout_s = step_timeout_s
        self._stack = AsyncExitStack()

    def add(self, what: str, undo: Callable[[], Awaitable[object] | None]) -> None:
        """Call `undo` at the end, before everything that was added earlier. It must be safe after
        a start that did not succeed; `what` names it in the log."""
        self._stack.push_async_callback(partial(self._run, what, undo))

    async def run(self) -> None:
        """Undo everything, the latest first. Safe to call again, and never raises an `Exception`.
        A cancellation is raised when all steps are done."""
        await self._stack.pop_all().aclose()

    async def _run(self, what: str, undo: Callable[[], Awaitable[object] | None]) -> None:
        try:
            async with asyncio.timeout(self._step_timeout_s):
                if (ended := undo()) is not None:
                    await ended
        except TimeoutError:
            log.exception("Shutdown: it took too long to %s", what)
        except Exception:
            # The other steps must run: they close servers, write files and release the lock.
            log.exception("Shutdown: failed to %s", what)
