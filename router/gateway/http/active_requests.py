"""What is under way for clients, each ended soon after the token that let it in stops to hold.

Tokens are revoked by other processes and expire by themselves, so while anything is open we look.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from router.domain.ids import TokenId
from router.gateway.http.authentication import Refusal
from router.runtime.tasks import Stoppable

T = TypeVar("T")
_LOOK_EVERY_S = 0.8


@dataclass(eq=False, slots=True)
class _Admission:
    token: TokenId | None
    block: Stoppable = field(default_factory=Stoppable)
    refusal: Refusal | None = None

    def end(self, refusal: Refusal) -> None:
        self.refusal = refusal
        self.block.stop()


class Admissions:
    def __init__(self, holds: Callable[[TokenId | None], bool]) -> None:
        self._holds = holds
        self._open: set[_Admission] = set()
        self._next_look: asyncio.TimerHandle | None = None

    async def run(self, token: TokenId | None, work: Awaitable[T]) -> T:
        """What `work` brings. It is cancelled once `token` stops to hold, or we stop; that raises
        the `Refusal` which says so."""
        admission = _Admission(token)
        with admission.block:
            self._open.add(admission)
            self._look_later()
            try:
                return await work
            finally:
                self._open.remove(admission)
        raise admission.refusal or Refusal(503, "Toolbooth is stopping.")

    def end_all(self, refusal: Refusal) -> None:
        for admission in tuple(self._open):
            admission.end(refusal)

    def _look_later(self) -> None:
        if self._next_look is None:
            loop = asyncio.get_running_loop()
            self._next_look = loop.call_later(_LOOK_EVERY_S, self._look)

    def _look(self) -> None:
        self._next_look = None
        for admission in tuple(self._open):
            if not self._holds(admission.token):
                admission.end(Refusal(401, "The token has been revoked or has expired."))
        if self._open:
            self._look_later()
