"""The start of a window: one for each data directory, which the instance lock decides.

A later start sends its words to the running window, over the socket that commands use, and ends.
It loads nothing of Qt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from router.domain.errors import Conflict, ToolboothError
from router.runtime.local_ipc import (
    AnswerLost,
    NotListening,
    NotResponding,
    send,
    socket_address,
)
from router.store.instance_lock import InstanceLock, describe

_ANSWER_TIMEOUT_S = 30.0
"""The running instance may still be loading, or about to end."""
_RETRY_S = 0.05


def claim(data_dir: Path, words: Sequence[str]) -> InstanceLock | None:
    """The lock for a window of our own; None if a running window has taken `words`.

    The lock is held if we are the first. It is not held if an instance without a window has the
    data directory, or if the lock can't be used: the router's start then says so in the window.
    """
    lock = InstanceLock(data_dir)
    try:
        return None if asyncio.run(_is_taken(data_dir, lock, words)) else lock
    except (TimeoutError, NotResponding):
        raise Conflict(
            "Toolbooth is running but not responding.", "Quit it, then try again."
        ) from None
    except (ToolboothError, OSError):
        return lock


async def _is_taken(data_dir: Path, lock: InstanceLock, words: Sequence[str]) -> bool:
    async with asyncio.timeout(_ANSWER_TIMEOUT_S):
        while describe(data_dir) is not None or not lock.try_acquire():
            with suppress(NotListening, AnswerLost):
                request = {"words": list(words)}
                reply = await send(socket_address(data_dir), "window open", request)
                return bool(reply["opened"])
            await asyncio.sleep(_RETRY_S)
    return False
