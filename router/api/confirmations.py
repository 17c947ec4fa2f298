"""Confirmations: commands that approve something or loosen a permission need a person."""

from __future__ import annotations

from typing import Protocol

from router.domain.confirmations import Confirmation, ConfirmationId


class ConfirmationsPort(Protocol):
    @property
    def in_window(self) -> bool:
        """Whether there is a window that shows them."""
        ...

    def pending(self) -> tuple[Confirmation, ...]:
        """The commands that wait, oldest first."""
        ...

    async def confirm(self, command: str) -> None:
        """Return once the user has confirmed `command` in the window. Raises `Refused` if they
        decline or don't answer in time."""
        ...

    async def answer(self, confirmation: ConfirmationId, *, confirmed: bool) -> None:
        """Raises `NotFound` if the command no longer waits."""
        ...
