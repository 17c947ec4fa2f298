"""What to run for a server that is a package: the fetched one, otherwise its command as written."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from router.config.server import ServerConfig
from router.discovery.packages.installer import NoInstaller
from router.discovery.packages.package_store import PackageStore, StoredPackage
from router.discovery.packages.runners import AsWritten, PackageRun, recognise
from router.domain.errors import UpstreamFailed
from router.domain.ids import ServerRef
from router.domain.receipts import Package, Reason

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ResolvedCommand:
    config: ServerConfig
    readable: Sequence[str] = ()
    """Folders it needs besides those its command names."""
    package: Package | None = None
    as_written: Reason | None = None
    """Why a command that runs a package is run as written."""
    is_container: bool = False


class PackageResolver:
    def __init__(self, store: PackageStore) -> None:
        self._store = store
        self._outdated: set[ServerRef] = set()
        """Servers whose package is fetched again at the next `resolve`."""

    async def installed(self, ref: ServerRef, config: ServerConfig) -> ServerConfig:
        """The configuration to start a server with. Nothing is fetched."""
        run = recognise(config.command or "", config.args)
        if not isinstance(run, PackageRun):
            return config
        stored = await asyncio.to_thread(self._store.find, ref, run)
        return _with_package(config, run, stored) if stored else config

    async def resolve(
        self, ref: ServerRef, config: ServerConfig, search_path: str
    ) -> ResolvedCommand:
        """What to run for discovery, fetched if necessary. Raises `UpstreamFailed`."""
        run = recognise(config.command or "", config.args)
        if run is None:
            return ResolvedCommand(config)
        if isinstance(run, AsWritten):
            return ResolvedCommand(config, as_written=run.reason, is_container=run.container)
        try:
            stored = await self._stored(ref, run, search_path)
        except NoInstaller as error:
            return ResolvedCommand(config, as_written=Reason(error.why))
        config = _with_package(config, run, stored)
        return ResolvedCommand(config, (stored.folder,), stored.package)

    def renew(self, ref: ServerRef) -> None:
        """Fetch the newest version of a server's package at its next discovery."""
        self._outdated.add(ref)

    async def forget(self, ref: ServerRef) -> None:
        self._outdated.discard(ref)
        await self._store.remove(ref)

    async def _stored(self, ref: ServerRef, run: PackageRun, search_path: str) -> StoredPackage:
        stored = await asyncio.to_thread(self._store.find, ref, run)
        if stored is None or ref in self._outdated:
            try:
                stored = await self._store.fetch(ref, run, search_path)
            except UpstreamFailed:
                if stored is None:
                    raise
                log.warning(
                    "No newer package of %s could be fetched; the old one stays", ref.server
                )
        self._outdated.discard(ref)
        return stored


def _with_package(config: ServerConfig, run: PackageRun, stored: StoredPackage) -> ServerConfig:
    command, *before = stored.command
    return config.model_copy(update={"command": command, "args": (*before, *run.args)})
