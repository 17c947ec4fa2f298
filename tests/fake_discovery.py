"""The part of a fake router that is about how lists are learnt."""

from __future__ import annotations

from collections.abc import Callable

from router.model import ServerId, ServerRef, WorkspaceId
from router.receipts import DiscoveryAccess, Receipt


class FakeDiscovery:
    """Answers `receipt` from `receipts`."""

    def __init__(self, record: Callable[..., None]) -> None:
        self.receipts: dict[ServerRef, Receipt] = {}
        self.__record = record

    def receipt(self, ref: ServerRef) -> Receipt | None:
        return self.receipts.get(ref)

    async def allow_discovery(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        self.__record("allow_discovery", ref, access)

    async def cancel_refresh(self, workspace: WorkspaceId, server: ServerId | None = None) -> None:
        self.__record("cancel_refresh", workspace, server)
