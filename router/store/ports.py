"""What other packages need of the store, as Protocols."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from router.domain.ids import ServerId
from router.domain.tool_lists import CachedListing


class SecretStore(Protocol):
    """Where secrets lie. Calls may block for a person to unlock a keyring: always off the loop."""

    async def get(self, name: str) -> str: ...
    async def set(self, name: str, value: str) -> None: ...
    async def delete(self, name: str) -> None: ...


class ToolCache(Protocol):
    """Tool lists on disk, one file per server. Reading never raises; what can't be written raises
    `ToolboothError` and leaves what was there."""

    def read(self, server: ServerId, config_hash: str) -> CachedListing | None: ...
    def write(self, server: ServerId, entry: CachedListing) -> None: ...
    def touch(self, server: ServerId, checked_at: datetime) -> None:
        """Note that the list still holds, without writing it again."""
        ...

    def remove(self, server: ServerId) -> None: ...
