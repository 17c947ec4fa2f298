"""The settings, and the configuration files they are read from."""

from __future__ import annotations

from typing import Protocol

from router.api.events import ConfigRejected
from router.config.settings import Settings


class SettingsPort(Protocol):
    def current(self) -> Settings: ...
    def rejected_files(self) -> tuple[ConfigRejected, ...]:
        """The configuration files that can't be used as they are now."""
        ...

    async def apply(self, settings: Settings) -> None:
        """Write what differs from the current settings, and apply it."""
        ...
