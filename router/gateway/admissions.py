"""What is under way for clients, each ended soon after the token that let it in stops to hold.

Tokens are revoked by other processes and expire by themselves, so while anything is open we look.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from router.gateway.callers import Refusal
from router.model import TokenId
from router.tasks import Stoppable

_LOOK_EVERY_S = 0.8


@dataclass(eq=False, slots=True)
class Admission:
    token: TokenId | None
    block: Stoppable = field(default_factory=Stoppable)
    refusal: Refusal | None = None
    """Why it was ended, once it was."""

    def end(self, refusal: Refusal) -> None:
        self.refusal = refusal
        self.block.stop()


class Admissions:
    def __init__(self, holds: Callable[[TokenId | None], bool]) -> None:
        self._holds = holds
        self._open: set[Admission] = set()
        self._next_look: asyncio.TimerHandle | None = None

    @contextmanager
    def admitted(self, token: TokenId | None) -> Generator[Admission]:
        """What runs inside is cancelled, and the block left, once its admission is ended."""
        admission = Admission(token)
        with admission.block:
            self._open.add(admission)
            self._look_later()
            try:
                yield admission
            finally:
                self._open.remove(admission)

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
