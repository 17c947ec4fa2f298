"""The part of a fake router that is about how lists are learnt."""

from __future__ import annotations

from collections.abc import Callable

from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.receipts import DiscoveryAccess, IsolationLevel, Protection, Receipt


class FakeDiscovery:
    """Answers `receipt` from `receipts`, `isolation` with `protection`."""

    def __init__(self, record: Callable[..., None]) -> None:
        self.receipts: dict[ServerRef, Receipt] = {}
        self.protection = Protection(IsolationLevel.FULL, network=False, memory_mb=512)
        self.__record = record

    def receipt(self, ref: ServerRef) -> Receipt | None:
        return self.receipts.get(ref)

    async def isolation(self) -> Protection:
        return self.protection

    async def allow_discovery(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        self.__record("allow_discovery", ref, access)

    async def cancel_refresh(self, workspace: WorkspaceId, server: ServerId | None = None) -> None:
        self.__record("cancel_refresh", workspace, server)
