"""The fetched packages, one for each server, kept until the user wants a newer one.

A folder is filled before `current.json` names it, so an interrupted fetch changes nothing. The
folders of earlier fetches are removed when the next one is complete.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from router.discovery.packages.installer import install
from router.discovery.packages.runners import PackageRun
from router.discovery.sandbox.sandbox import remove_tree
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.receipts import Package
from router.store.files import atomic_write, private_folder
from router.store.json_file import UnusableFile, load_json_file

log = logging.getLogger(__name__)

_CURRENT = "current.json"


@dataclass(frozen=True, slots=True)
class StoredPackage:
    """What `current.json` says."""

    key: str
    """Identifies the package that was fetched."""
    folder: str
    command: tuple[str, ...]
    package: Package


_STORED = TypeAdapter(StoredPackage)


class PackageStore:
    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._clock = clock

    def find(self, ref: ServerRef, run: PackageRun) -> StoredPackage | None:
        """The package of a server, if it is the one that `run` names and still exists."""
        try:
            stored = self._read(ref)
        except UnusableFile as error:
            log.warning("%s", error.message)
            return None
        fits = stored is not None and stored.key == _key(run) and Path(stored.folder).is_dir()
        return stored if fits else None

    async def fetch(self, ref: ServerRef, run: PackageRun, search_path: str) -> StoredPackage:
        """Fetch the newest version. Raises `UpstreamFailed` or `NoInstaller`, and then keeps the
        package that was there."""
        try:
            await asyncio.to_thread(self._read, ref)
        except UnusableFile as error:
            failure = Failure(FailureKind.OTHER, detail=error.message)
            raise UpstreamFailed(failure, error.message, error.hint) from error
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
        stored = StoredPackage(_key(run), str(folder), installed.command, package)
        await asyncio.to_thread(self._set_current, ref, stored)
        return stored

    async def remove(self, ref: ServerRef) -> None:
        await asyncio.to_thread(remove_tree, self._path(ref))

    def _read(self, ref: ServerRef) -> StoredPackage | None:
        """Raises `UnusableFile`."""
        # Not with pydantic's own parser, which refuses paths that are not UTF-8.
        decode = _STORED.validate_python
        return load_json_file(self._path(ref) / _CURRENT, decode, missing=None, version=None)

    def _set_current(self, ref: ServerRef, stored: StoredPackage) -> None:
        path = self._path(ref)
        file = json.dumps(asdict(stored), indent=2, default=datetime.isoformat)
        atomic_write(path / _CURRENT, file.encode())
        for left in path.iterdir():
            if left.is_dir() and str(left) != stored.folder:
                remove_tree(left)

    def _path(self, ref: ServerRef) -> Path:
        return self._folder / ref.workspace / ref.server


def _key(run: PackageRun) -> str:
    """Identifies the package; the server's own arguments are no part of it."""
    text = json.dumps([run.source, run.specs, run.entry])
    return hashlib.sha256(text.encode()).hexdigest()
