"""What fetching a package results in."""

from __future__ import annotations

from dataclasses import dataclass

from router.domain.receipts import Why


@dataclass(frozen=True, slots=True)
class Installed:
    """A fetched package: the command that starts it, and its exact version."""

    command: tuple[str, ...]
    version: str
    integrity: str
    interpreter: str
    """The Node.js or Python that it needs, outside its folder."""


class NoInstaller(Exception):
    """This machine has no program that fetches such packages."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why
