"""What other packages need of the store, as Protocols."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from router.domain.ids import ServerId
from router.domain.tool_lists import CachedListing


class SecretStore(Protocol):
    """Stores secrets. A call may take as long as the user needs to unlock a keyring."""

    async def get(self, name: str) -> str: ...
    async def set(self, name: str, value: str) -> None: ...
    async def delete(self, name: str) -> None: ...


class ToolListCache(Protocol):
    """Tool lists on disk, one file per server. Reading never raises; a failed write raises
    `ToolboothError` and leaves the old file."""

    def read(self, server: ServerId, config_hash: str) -> CachedListing | None: ...
    def write(self, server: ServerId, entry: CachedListing) -> None: ...
    def touch(self, server: ServerId, checked_at: datetime) -> None:
        """Record that the list is still valid, without writing it again."""
        ...

    def remove(self, server: ServerId) -> None: ...
