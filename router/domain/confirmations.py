"""Commands of a terminal that wait until a person confirms them in the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

ConfirmationId = NewType("ConfirmationId", str)


@dataclass(frozen=True, slots=True)
class Confirmation:
    id: ConfirmationId
    command: str
    """The command, as text for people; secrets are masked."""
