"""What to run for a server that is a package: what was fetched, else its command as written."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from router.config.server import ServerConfig
from router.discovery.packages.installer import NoInstaller
from router.discovery.packages.package_store import Shelf, Shelved
from router.discovery.packages.runners import AsWritten, PackageRun, recognise
from router.domain.errors import UpstreamFailed
from router.domain.ids import ServerRef
from router.domain.receipts import Package, Reason

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Choice:
    config: ServerConfig
    readable: Sequence[str] = ()
    package: Package | None = None
    as_written: Reason | None = None
    """Why nothing was fetched, if it is a package."""
    container: bool = False


class Packages:
    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def on_shelf(self, ref: ServerRef, config: ServerConfig) -> ServerConfig:
        """The configuration to start a server with; nothing is fetched. Blocks: for a thread."""
        run = recognise(config.command or "", config.args)
        shelved = self._shelf.find(ref, run) if isinstance(run, PackageRun) else None
        return _with(config, run, shelved) if shelved and isinstance(run, PackageRun) else config

    async def choose(
        self, ref: ServerRef, config: ServerConfig, search_path: str, *, renew: bool
    ) -> Choice:
        """What to learn a server's lists from, fetched if need be. Raises `UpstreamFailed`."""
        run = recognise(config.command or "", config.args)
        if run is None:
            return Choice(config)
        if isinstance(run, AsWritten):
            return Choice(config, as_written=run.reason, container=run.container)
        shelved = self._shelf.find(ref, run)
        if shelved is None or renew:
            try:
                shelved = await self._shelf.fetch(ref, run, search_path)
            except NoInstaller as error:
                return Choice(config, as_written=Reason(error.why))
            except UpstreamFailed:
                if shelved is None:
                    raise
                log.warning(
                    "No newer package of %s could be fetched; the old one stays", ref.server
                )
        return Choice(_with(config, run, shelved), (shelved.folder,), shelved.package)

    async def forget(self, ref: ServerRef) -> None:
        await self._shelf.forget(ref)


def _with(config: ServerConfig, run: PackageRun, shelved: Shelved) -> ServerConfig:
    command, *before = shelved.command
    return config.model_copy(update={"command": command, "args": (*before, *run.args)})
