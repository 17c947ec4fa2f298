"""Discovery: reading the tool lists of servers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.receipts import DiscoveryAccess, Protection, Receipt, SharedPath


class DiscoveryPort(Protocol):
    def receipt(self, ref: ServerRef) -> Receipt | None:
        """What a server tried to access during its last discovery in the sandbox."""
        ...

    async def protection(self) -> Protection:
        """What the sandbox would enforce now, as proved by a self-test. The first call runs the
        test, which takes some tenths of a second."""
        ...

    async def allow(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        """Set what a server may access during discovery, and discover its tools with that. Holds
        for its present configuration. `ISOLATED` also ends the sharing of files."""
        ...

    async def share(self, ref: ServerRef, paths: Sequence[SharedPath]) -> None:
        """Share files or folders with a server during discovery, beside those shared before, and
        discover its tools with them. Holds for its present configuration."""
        ...

    async def refresh(
        self, workspace: WorkspaceId, server: ServerId | None = None, *, packages: bool = False
    ) -> None:
        """Discover the tools of a server, or of all; returns when every discovery has ended. With
        `packages`, fetch the newest version of servers that are packages first."""
        ...

    async def package_bytes(self) -> int:
        """The disk space that all fetched packages take together."""
        ...

    async def cancel(self, workspace: WorkspaceId, server: ServerId | None = None) -> None:
        """Cancel queued and running discoveries; the tool lists known so far stay."""
        ...
