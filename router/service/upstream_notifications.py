"""`list_changed` notifications of servers start discoveries: of one server one at a time and with a
pause in between, however many it sends.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from router.domain.errors import NotFound
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn, stop

log = logging.getLogger(__name__)

_PAUSE_S = 1.0

_LIST_CHANGED = frozenset(
    f"notifications/{kind}/list_changed" for kind in ("tools", "prompts", "resources")
)


class ListChangedHandler:
    def __init__(self, discover: Callable[[ServerRef], Awaitable[None]]) -> None:
        self._discover = discover
        self._changed: set[ServerRef] = set()
        """Servers that sent a notification since their last discovery began."""
        self._tasks: dict[ServerRef, asyncio.Task[None]] = {}

    def on_notification(self, ref: ServerRef, method: str, _: JsonObject) -> None:
        if method not in _LIST_CHANGED:
            return
        if ref not in self._tasks:
            self._tasks[ref] = spawn(self._handle(ref), name=f"list_changed of {ref.server}")
        self._changed.add(ref)

    async def close(self) -> None:
        for task in list(self._tasks.values()):
            await stop(task)

    async def _handle(self, ref: ServerRef) -> None:
        try:
            while ref in self._changed:
                self._changed.discard(ref)
                await self._discover(ref)
                await asyncio.sleep(_PAUSE_S)
        except NotFound:
            log.debug("%s was removed", ref.server)
        finally:
            del self._tasks[ref]
