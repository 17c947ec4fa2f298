"""Servers that say their lists changed are asked anew: however often one says so, one refresh at a
time and a pause between.
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


class Following:
    def __init__(self, refresh: Callable[[ServerRef], Awaitable[None]]) -> None:
        self._refresh = refresh
        self._changed: set[ServerRef] = set()
        """Those that said their lists changed, and were not listed since."""
        self._following: dict[ServerRef, asyncio.Task[None]] = {}

    def notified(self, ref: ServerRef, method: str, _: JsonObject) -> None:
        if method not in _LIST_CHANGED:
            return
        if ref not in self._following:
            self._following[ref] = spawn(self._follow(ref), name=f"follow {ref.server}")
        self._changed.add(ref)

    async def close(self) -> None:
        for task in list(self._following.values()):
            await stop(task)

    async def _follow(self, ref: ServerRef) -> None:
        try:
            while ref in self._changed:
                self._changed.discard(ref)
                await self._refresh(ref)
                await asyncio.sleep(_PAUSE_S)
        except NotFound:
            log.debug("%s was removed", ref.server)
        finally:
            del self._following[ref]
