"""The packages that were fetched, one for each server, until a person wants a newer one.

A folder is filled first and then named in `current.json`, so a fetch that is cut off changes
nothing. What an earlier fetch left is removed when the next one is done.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from router.discovery.packages.installer import install
from router.discovery.packages.runners import PackageRun
from router.discovery.sandbox.sandbox import remove_tree
from router.domain.ids import ServerRef
from router.domain.json_values import as_object
from router.domain.receipts import Package
from router.store.files import atomic_write, private_folder

log = logging.getLogger(__name__)

_CURRENT = "current.json"


@dataclass(frozen=True, slots=True)
class Shelved:
    """A package that lies ready."""

    folder: str
    command: tuple[str, ...]
    package: Package


class Shelf:
    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._clock = clock

    def find(self, ref: ServerRef, run: PackageRun) -> Shelved | None:
        """The server's package, if it is the one that `run` means and is still there."""
        try:
            file = as_object(json.loads((self._place(ref) / _CURRENT).read_bytes()))
            if file["key"] != _key(run) or not Path(file["folder"]).is_dir():
                return None
            about = as_object(file["package"])
            fetched_at = datetime.fromisoformat(about.pop("fetched_at"))
            package = Package(**about, fetched_at=fetched_at)
            return Shelved(str(file["folder"]), tuple(file["command"]), package)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("Ignoring the package of %s: %s", ref.server, error)
            return None

    async def fetch(self, ref: ServerRef, run: PackageRun, search_path: str) -> Shelved:
        """Fetch the package anew. Raises `UpstreamFailed` or `NoInstaller`; then the one that was
        there stays."""
        folder = self._place(ref) / secrets.token_hex(6)
        await asyncio.to_thread(private_folder, folder)
        try:
            installed = await install(run, folder, search_path)
        except Exception:
            # Who is cancelled has no time for thousands of files: the next fetch removes them.
            await asyncio.to_thread(remove_tree, folder)
            raise
        package = Package(
            run.source, run.name, installed.version, installed.integrity, self._clock()
        )
        shelved = Shelved(str(folder), installed.command, package)
        await asyncio.to_thread(self._name_current, ref, run, shelved)
        return shelved

    async def forget(self, ref: ServerRef) -> None:
        await asyncio.to_thread(remove_tree, self._place(ref))

    def _name_current(self, ref: ServerRef, run: PackageRun, shelved: Shelved) -> None:
        place = self._place(ref)
        package = dataclasses.asdict(shelved.package)
        package["fetched_at"] = shelved.package.fetched_at.isoformat()
        file = {
            "key": _key(run),
            "folder": shelved.folder,
            "command": shelved.command,
            "package": package,
        }
        atomic_write(place / _CURRENT, json.dumps(file, indent=2).encode())
        for left in place.iterdir():
            if left.is_dir() and str(left) != shelved.folder:
                remove_tree(left)

    def _place(self, ref: ServerRef) -> Path:
        return self._folder / ref.workspace / ref.server


def _key(run: PackageRun) -> str:
    """What decides which package it is; the server's own arguments do not."""
    text = json.dumps([run.source, run.specs, run.entry])
    return hashlib.sha256(text.encode()).hexdigest()
