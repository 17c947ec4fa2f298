"""The one place background tasks are born: `spawn` keeps the reference and logs the failure."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
log = logging.getLogger(__name__)
_running: set[asyncio.Task[Any]] = set()


def spawn(coro: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
    """Start `coro` on the running loop; whoever wants its end holds the task."""
    task = asyncio.get_running_loop().create_task(coro, name=name)
    _running.add(task)
    task.add_done_callback(_finished)
    return task


async def stop(task: asyncio.Task[Any] | None) -> None:
    """Cancel `task` and wait for its end; its own failure was logged when it happened."""
    if task is None or task.done():
        return
    task.cancel()
    await asyncio.wait([task])


def _finished(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("Task %s failed", task.get_name(), exc_info=error)
