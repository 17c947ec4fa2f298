"""The fetched packages, one for each server, kept until the user wants a newer one.

A folder is filled before `current.json` names it, so an interrupted fetch changes nothing. The
folders of earlier fetches are removed when the next one is complete.
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
class StoredPackage:
    folder: str
    command: tuple[str, ...]
    package: Package


class PackageStore:
    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._clock = clock

    def find(self, ref: ServerRef, run: PackageRun) -> StoredPackage | None:
        """The package of a server, if it is the one that `run` names and still exists."""
        try:
            file = as_object(json.loads((self._path(ref) / _CURRENT).read_bytes()))
            if file["key"] != _key(run) or not Path(file["folder"]).is_dir():
                return None
            about = as_object(file["package"])
            fetched_at = datetime.fromisoformat(about.pop("fetched_at"))
            package = Package(**about, fetched_at=fetched_at)
            return StoredPackage(str(file["folder"]), tuple(file["command"]), package)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("Ignoring the package of %s: %s", ref.server, error)
            return None

    async def fetch(self, ref: ServerRef, run: PackageRun, search_path: str) -> StoredPackage:
        """Fetch the newest version. Raises `UpstreamFailed` or `NoInstaller`, and then keeps the
        package that was there."""
        folder = self._path(ref) / secrets.token_hex(6)
        await asyncio.to_thread(private_folder, folder)
        try:
            installed = await install(run, folder, search_path)
        except Exception:
            # A cancelled fetch does not wait for the removal of thousands of files: the next one
            # removes them.
            await asyncio.to_thread(remove_tree, folder)
            raise
        package = Package(
            run.source, run.name, installed.version, installed.integrity, self._clock()
        )
        stored = StoredPackage(str(folder), installed.command, package)
        await asyncio.to_thread(self._set_current, ref, run, stored)
        return stored

    async def remove(self, ref: ServerRef) -> None:
        await asyncio.to_thread(remove_tree, self._path(ref))

    def _set_current(self, ref: ServerRef, run: PackageRun, stored: StoredPackage) -> None:
        package = dataclasses.asdict(stored.package)
        package["fetched_at"] = stored.package.fetched_at.isoformat()
        file = {
            "key": _key(run),
            "folder": stored.folder,
            "command": stored.command,
            "package": package,
        }
        path = self._path(ref)
        atomic_write(path / _CURRENT, json.dumps(file, indent=2).encode())
        for left in path.iterdir():
            if left.is_dir() and str(left) != stored.folder:
                remove_tree(left)

    def _path(self, ref: ServerRef) -> Path:
        return self._folder / ref.workspace / ref.server


def _key(run: PackageRun) -> str:
    """Identifies the package; the server's own arguments are no part of it."""
    text = json.dumps([run.source, run.specs, run.entry])
    return hashlib.sha256(text.encode()).hexdigest()
