"""The receipts of discoveries, in memory and on disk. A server's status shows its protection."""

from __future__ import annotations

import asyncio
from functools import partial

from router.catalog.server_status import ServerStatuses
from router.domain.ids import ServerRef
from router.domain.receipts import Receipt
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.store.deferred_writes import DeferredWrites
from router.store.receipts import ReceiptStore


class Receipts:
    """Changed on the router's loop; `current` may be called on any thread."""

    def __init__(
        self,
        catalogs: WorkspaceCatalogs,
        statuses: ServerStatuses,
        deferred_writes: DeferredWrites,
    ) -> None:
        self._catalogs = catalogs
        self._deferred_writes = deferred_writes
        self._statuses = statuses
        self._receipts: dict[ServerRef, Receipt] = {}

    def current(self, ref: ServerRef) -> Receipt | None:
        """The receipt of a server's last discovery with its current configuration."""
        receipt = self._receipts.get(ref)
        config_hash = self._catalogs.entry(ref).config.config_hash
        return receipt if receipt is not None and receipt.config_hash == config_hash else None

    async def load(self, ref: ServerRef) -> None:
        receipt = await asyncio.to_thread(self._store(ref).read, ref.server)
        if receipt is not None:
            self._receipts[ref] = receipt
        current = self.current(ref)
        self._statuses.update(ref, protection=current.protection if current else None)

    async def keep(self, ref: ServerRef, receipt: Receipt) -> None:
        if self._catalogs.find(ref) is None:
            return  # Removed meanwhile: nothing of it may be written any more.
        self._receipts[ref] = receipt
        self._statuses.update(ref, protection=receipt.protection)
        write = partial(self._store(ref).write, ref.server, receipt)
        await asyncio.to_thread(self._deferred_writes.write, ("receipt", ref), write)

    async def forget(self, ref: ServerRef) -> None:
        self._receipts.pop(ref, None)
        self._deferred_writes.forget(("receipt", ref))
        await asyncio.to_thread(self._store(ref).remove, ref.server)

    def _store(self, ref: ServerRef) -> ReceiptStore:
        return ReceiptStore(self._catalogs.folder(ref.workspace) / "receipts")
