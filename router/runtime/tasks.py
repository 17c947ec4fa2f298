"""Background tasks: `spawn` is the only place that creates one, keeps the reference and logs its
failure. Tasks are cancelled once, so that their cleanup completes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
log = logging.getLogger(__name__)
_running: set[asyncio.Task[Any]] = set()


def spawn(
    coro: Coroutine[Any, Any, T],
    *,
    name: str,
    group: set[asyncio.Task[T]] | None = None,
    log_failure: bool = True,
) -> asyncio.Task[T]:
    """Start `coro` on the running loop. The task is in `group` while it runs. Its failure is logged
    unless someone awaits the task for it."""
    task = asyncio.get_running_loop().create_task(coro, name=name)
    _running.add(task)
    task.add_done_callback(_running.discard)
    if group is not None:
        group.add(task)
        task.add_done_callback(group.discard)
    if log_failure:
        task.add_done_callback(_log_failure)
    return task


async def stop(task: asyncio.Task[Any] | None) -> None:
    """Cancel `task` and wait until it has ended; a failure of its own is logged by `spawn`."""
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
    """A `with` block that another task can stop: its await is cancelled and the block is left.

    Cancelled once, unlike anyio's cancel scope, which cancels every further await too, including
    those of the cleanup of a process.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None
        self._stopping = False
        self._before = 0
        self.stopped = False
        """Whether the block was left because of `stop`."""

    def __enter__(self) -> Stoppable:
        self._task = asyncio.current_task()
        if self._task is None:
            raise RuntimeError("only a task can be stopped")
        self._before = self._task.cancelling()
        return self

    def stop(self) -> None:
        """Has no effect outside the block, or the second time."""
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


async def wait_shielded(task: asyncio.Task[None]) -> None:
    """Wait for `task`, which ends soon by itself, even if the waiting task is cancelled: the loop
    must not be closed while a process is being cleaned up."""
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _log_failure(task: asyncio.Task[Any]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("Task %s failed", task.get_name(), exc_info=error)
