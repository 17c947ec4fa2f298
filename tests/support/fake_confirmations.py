"""A typed fake of the facet about confirmations."""

from __future__ import annotations

from router.domain.confirmations import Confirmation, ConfirmationId
from tests.support.fake_state import FakeContext


class FakeConfirmations:
    """`ConfirmationsPort` with the confirmations of the state; answers are recorded."""

    def __init__(self, context: FakeContext) -> None:
        self._record = context.record
        self.waiting: tuple[Confirmation, ...] = ()
        self.in_window = True

    def pending(self) -> tuple[Confirmation, ...]:
        return self.waiting

    async def confirm(self, command: str) -> None:
        self._record("confirmations.confirm", command)

    async def answer(self, confirmation: ConfirmationId, *, confirmed: bool) -> None:
        self._record("confirmations.answer", confirmation, confirmed)
