"""Background tasks: `spawn` starts them, keeps the reference and logs the failure; `stop` cancels
them once, so that their own cleanup is not interrupted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
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


@contextmanager
def log_and_continue(what: str) -> Generator[None]:
    """One step of a loop that must go on: a failure to do `what` is logged."""
    try:
        yield
    except Exception:
        log.exception("Failed to %s", what)


class Stoppable:
    """A `with` block that another task can stop: what it waits for is cancelled, and it is left.

    Cancelled once, unlike in a cancel scope of anyio, which cancels whatever waits, over and over,
    and so also the clearing up of a process.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None
        self._stopping = False
        self._before = 0
        self.stopped = False
        """Whether the block was left because of it."""

    def __enter__(self) -> Stoppable:
        self._task = asyncio.current_task()
        if self._task is None:
            raise RuntimeError("only a task can be stopped")
        self._before = self._task.cancelling()
        return self

    def stop(self) -> None:
        """Does nothing before or after the block, or again."""
        if self._task is not None and not self._stopping:
            self._stopping = True
            self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> bool:
        task, self._task = self._task, None
        if task is None or not self._stopping:
            return False
        nobody_else = task.uncancel() <= self._before
        self.stopped = nobody_else and kind is asyncio.CancelledError
        return self.stopped


async def undisturbed(task: asyncio.Task[None]) -> None:
    """Wait for `task`, which ends soon by itself, even if we are told to stop meanwhile: whoever
    closes the loop after us must not find a process half wound down."""
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _finished(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("Task %s failed", task.get_name(), exc_info=error)
