"""The fetched packages, one for each server, kept until the user wants a newer one.

A folder is filled before `current.json` names it, so an interrupted fetch changes nothing. The
folders of earlier fetches are removed when the next one is complete; data that a server wrote there
moves along. `current.json`, which names the record of the files by its hash, is signed: a planted
one is not used.
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
from enum import Enum
from pathlib import Path

from pydantic import TypeAdapter

from router.discovery.packages.installer import install
from router.discovery.packages.installer_process import Fetch
from router.discovery.packages.package_files import (
    changed_file,
    disk_usage,
    keep_data,
    record_files,
    remove_unused,
)
from router.discovery.packages.runners import PackageRun
from router.discovery.sandbox.sandbox import remove_tree
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject, as_object
from router.domain.receipts import Package
from router.store.consent_key import ConsentKey
from router.store.files import atomic_write, private_folder
from router.store.json_file import UnusableFile, load_json_file
from router.upstream.errors import failed

log = logging.getLogger(__name__)

_CURRENT, _SHARED = "current.json", ".shared"


@dataclass(frozen=True, slots=True)
class StoredPackage:
    """What `current.json` says."""

    key: str
    """Identifies the package that was fetched."""
    folder: str
    command: tuple[str, ...]
    interpreter: str
    package: Package
    files_digest: str
    """SHA-256 of the record of its files, beside its folder."""


class Check(Enum):
    """How closely the files of a package are compared with those that were fetched."""

    QUICK = "quick"
    """By size and time; read where these differ."""
    THOROUGH = "thorough"
    """Each file is read."""


_STORED = TypeAdapter(StoredPackage)


class PackageStore:
    def __init__(self, folder: Path, key: ConsentKey, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._key = key
        self._clock = clock

    def find(
        self, ref: ServerRef, run: PackageRun, check: Check | None = None
    ) -> StoredPackage | None:
        """The package of a server, if it is the one that `run` names and still exists. With `check`
        raises `UpstreamFailed` if its files are not those that were fetched."""
        try:
            stored = self._read(ref)
        except UnusableFile as error:
            log.warning("%s", error.message)
            return None
        if stored is None or stored.key != _key(run) or not Path(stored.folder).is_dir():
            return None
        if not Path(stored.interpreter).exists():  # it was removed or upgraded
            return None
        if check and (changed := _changed(stored, check)) is not None:
            raise failed(Failure(FailureKind.PACKAGE_CHANGED, stored.package.name, changed))
        return stored

    async def fetch(self, ref: ServerRef, fetch: Callable[[Path], Fetch]) -> StoredPackage:
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
            installing = fetch(folder)
            installed = await install(installing)
            files = await asyncio.to_thread(record_files, folder, self._folder / _SHARED)
            record = json.dumps(files).encode()
            await asyncio.to_thread(atomic_write, _record_of(str(folder)), record)
        except Exception:
            # A cancelled fetch does not wait for the removal of thousands of files: the next one
            # removes them.
            await asyncio.to_thread(remove_tree, folder)
            raise
        run = installing.run
        package = Package(
            run.source,
            run.name,
            installed.version,
            installed.integrity,
            self._clock(),
            sum(int(size) for size, *rest in files.values() if rest),
        )
        stored = StoredPackage(
            _key(run),
            str(folder),
            installed.command,
            installed.interpreter,
            package,
            hashlib.sha256(record).hexdigest(),
        )
        await asyncio.to_thread(self._set_current, ref, stored)
        return stored

    async def remove(self, ref: ServerRef) -> None:
        await asyncio.to_thread(self._remove, ref)

    def disk_usage(self) -> int:
        """The bytes on disk of all packages together."""
        return disk_usage(self._folder) if self._folder.is_dir() else 0

    def _remove(self, ref: ServerRef) -> None:
        if self._path(ref).exists():
            remove_tree(self._path(ref))
            remove_unused(self._folder / _SHARED)

    def _read(self, ref: ServerRef) -> StoredPackage | None:
        """None also for a record that was not signed here. Raises `UnusableFile`."""
        # Not with pydantic's own parser, which refuses paths that are not UTF-8.
        path, as_is = self._path(ref) / _CURRENT, as_object
        if (file := load_json_file(path, as_is, missing=None, version=None)) is None:
            return None
        signature = str(file.pop("signature", ""))
        if not self._key.is_signature(signature, *_signed(ref, file)):
            log.warning("%s was not written here, so it is not used", path)
            return None
        return _STORED.validate_python(file)

    def _set_current(self, ref: ServerRef, stored: StoredPackage) -> None:
        path = self._path(ref)
        before = self._read(ref)
        file = json.loads(json.dumps(asdict(stored), default=datetime.isoformat))
        file["signature"] = self._key.sign(*_signed(ref, file))
        atomic_write(path / _CURRENT, json.dumps(file).encode())
        if before is not None:
            _keep_data(before, Path(stored.folder))
        for left in path.iterdir():
            if left.is_dir() and str(left) != stored.folder:
                remove_tree(left)
                _record_of(str(left)).unlink(missing_ok=True)
        remove_unused(self._folder / _SHARED)

    def _path(self, ref: ServerRef) -> Path:
        return self._folder / ref.workspace / ref.server


def _signed(ref: ServerRef, file: JsonObject) -> tuple[str, ...]:
    return "fetched package", ref.workspace, ref.server, json.dumps(file, sort_keys=True)


def _changed(stored: StoredPackage, check: Check) -> str | None:
    record = _record_of(stored.folder)
    try:
        content = record.read_bytes()
    except OSError:
        return record.name
    if hashlib.sha256(content).hexdigest() != stored.files_digest:
        return record.name
    thoroughly = check is Check.THOROUGH
    return changed_file(Path(stored.folder), json.loads(content), thoroughly=thoroughly)


def _keep_data(before: StoredPackage, folder: Path) -> None:
    try:
        recorded = json.loads(_record_of(before.folder).read_bytes())
        keep_data(Path(before.folder), recorded, folder)
    except (OSError, ValueError) as error:
        log.warning("The data beside %s could not be kept: %s", before.package.name, error)


def _record_of(folder: str) -> Path:
    """Beside the folder, so that it is no part of it."""
    return Path(f"{folder}.json")


def _key(run: PackageRun) -> str:
    """Identifies the package; the server's own arguments are no part of it."""
    parts = [run.source, run.specs, run.entry, run.python, run.options]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
