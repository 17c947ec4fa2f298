"""The settings, and the configuration files they are read from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from router.api.events import ConfigRejected
from router.config.settings import Settings


class SettingsPort(Protocol):
    def current(self) -> Settings: ...
    def rejected_files(self) -> tuple[ConfigRejected, ...]:
        """The configuration files that can't be used as they are now."""
        ...

    def unwritten_reason(self) -> str:
        """Why something could not be written to disk and is only in memory; empty if nothing is."""
        ...

    async def update(self, changes: Mapping[str, object]) -> None:
        """Change these settings and no others, whatever else was changed meanwhile. A dot leads to
        a field inside: `isolation.strict`."""
        ...
