"""What to run for a server that is a package: the fetched one, otherwise its command as written."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from router.config.server import ServerConfig
from router.discovery.packages.installed import NoInstaller
from router.discovery.packages.installer_process import Fetch
from router.discovery.packages.package_store import Check, PackageStore, StoredPackage
from router.discovery.packages.runner_settings import as_written_because
from router.discovery.packages.runners import PYPI, AsWritten, PackageRun, recognise
from router.domain.errors import UpstreamFailed
from router.domain.ids import ServerRef
from router.domain.receipts import Package, Reason
from router.upstream.process.environment import server_environment

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
        """The configuration that starts a server. Nothing is fetched or checked."""
        return await asyncio.to_thread(self._installed, ref, config, None)

    async def checked(self, ref: ServerRef, config: ServerConfig) -> ServerConfig:
        """The configuration to start a server with now. Raises `UpstreamFailed` for a package that
        was changed on disk."""
        return await asyncio.to_thread(self._installed, ref, config, Check.QUICK)

    async def resolve(
        self, ref: ServerRef, config: ServerConfig, search_path: str
    ) -> ResolvedCommand:
        """What to run for discovery, fetched if necessary. Raises `UpstreamFailed`."""
        run = await asyncio.to_thread(_recognise, config, search_path)
        if run is None:
            return ResolvedCommand(config)
        if isinstance(run, AsWritten):
            return ResolvedCommand(config, as_written=run.reason, is_container=run.container)
        fetch = partial(_fetch, run, config, search_path)
        try:
            stored = await self._stored(ref, run, fetch)
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

    async def disk_usage(self) -> int:
        """The bytes on disk of all packages."""
        return await asyncio.to_thread(self._store.disk_usage)

    def _installed(self, ref: ServerRef, config: ServerConfig, check: Check | None) -> ServerConfig:
        path = server_environment(os.environ, config.env).get("PATH", os.defpath)
        run = _recognise(config, path)
        if not isinstance(run, PackageRun):
            return config
        stored = self._store.find(ref, run, check)
        return _with_package(config, run, stored) if stored else config

    async def _stored(
        self, ref: ServerRef, run: PackageRun, fetch: Callable[[Path], Fetch]
    ) -> StoredPackage:
        outdated = ref in self._outdated
        try:
            stored = await asyncio.to_thread(self._store.find, ref, run, Check.THOROUGH)
        except UpstreamFailed:
            if not outdated:
                raise
            stored = None
        if stored is None or outdated:
            try:
                stored = await self._store.fetch(ref, fetch)
            except UpstreamFailed:
                if stored is None:
                    raise
                log.warning(
                    "No newer package of %s could be fetched; the old one stays", ref.server
                )
        self._outdated.discard(ref)
        return stored


def _recognise(config: ServerConfig, search_path: str) -> PackageRun | AsWritten | None:
    run = recognise(config.command or "", config.args)
    if not isinstance(run, PackageRun):
        return run
    has_uv = shutil.which("uv", path=search_path) is not None
    return as_written_because(run, config, has_uv=has_uv) or run


def _fetch(run: PackageRun, config: ServerConfig, search_path: str, folder: Path) -> Fetch:
    return Fetch(run, folder, search_path, config.env)


def _with_package(config: ServerConfig, run: PackageRun, stored: StoredPackage) -> ServerConfig:
    command, *before = stored.command
    env = dict(config.env)
    if run.source == PYPI:  # which would write compiled files beside those that were recorded
        env.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    update = {"command": command, "args": (*before, *run.args), "env": env}
    return config.model_copy(update=update)
