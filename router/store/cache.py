"""Tool lists on disk: one JSON file per server, so that tools are known before any server starts.

A cache may always be missing. Reading never raises: what can't be used is ignored and logged.
Writing never raises either, and leaves the old file whole when it fails.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from router.model import JsonObject, ServerId
from router.ports import CachedListing, ServerListing
from router.store.files import atomic_write, sweep

log = logging.getLogger(__name__)

FORMAT_VERSION = 1


class _Unusable(ValueError):
    """Why an entry is ignored."""


class DiskToolCache:
    """The tool lists of one workspace, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        sweep(folder)

    def read(self, server: ServerId, config_hash: str) -> CachedListing | None:
        """The entry of `server`, if it is whole and was made with this configuration."""
        path = self._path(server)
        try:
            return _decode(json.loads(path.read_bytes()), config_hash)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            log.warning("Ignoring the cached tools in %s: %s", path, error)
            return None

    def write(self, server: ServerId, entry: CachedListing) -> None:
        path = self._path(server)
        try:
            atomic_write(path, json.dumps(_encode(entry), separators=(",", ":")).encode())
        except (OSError, ValueError, RecursionError) as error:
            log.warning("The tools of %s could not be cached in %s: %s", server, path, error)

    def remove(self, server: ServerId) -> None:
        path = self._path(server)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            log.warning("%s could not be removed: %s", path, error)

    def _path(self, server: ServerId) -> Path:
        return self._folder / f"{server}.json"


def _encode(entry: CachedListing) -> JsonObject:
    listing = entry.listing
    return {
        "formatVersion": FORMAT_VERSION,
        "serverVersion": str(listing.server_info.get("version", "")),
        "configHash": entry.config_hash,
        "cachedAt": entry.cached_at.astimezone(UTC).isoformat(),
        "protocolVersion": listing.protocol_version,
        "serverInfo": listing.server_info,
        "capabilities": listing.capabilities,
        "instructions": listing.instructions,
        "tools": listing.tools,
        "prompts": listing.prompts,
        "resources": listing.resources,
        "resourceTemplates": listing.resource_templates,
    }


def _decode(value: object, config_hash: str) -> CachedListing:
    """Checked by hand: a model for each of thousands of tools would cost the start its speed."""
    file = _object(value, "the file")
    if file.get("formatVersion") != FORMAT_VERSION:
        raise _Unusable("it has another format version")
    if file.get("configHash") != config_hash:
        raise _Unusable("the server's configuration has changed since")
    return CachedListing(_listing(file), config_hash, _time(file.get("cachedAt")))


def _listing(file: JsonObject) -> ServerListing:
    return ServerListing(
        tools=_named(file, "tools"),
        prompts=_objects(file, "prompts"),
        resources=_objects(file, "resources"),
        resource_templates=_objects(file, "resourceTemplates"),
        capabilities=_object(file.get("capabilities"), "capabilities"),
        server_info=_object(file.get("serverInfo"), "serverInfo"),
        instructions=_text(file, "instructions"),
        protocol_version=_text(file, "protocolVersion"),
    )


def _named(file: JsonObject, key: str) -> tuple[JsonObject, ...]:
    entries = _objects(file, key)
    for entry in entries:
        name: object = entry.get("name")
        if not isinstance(name, str) or not name:
            raise _Unusable(f"an entry of {key} has no name")
    return entries


def _objects(file: JsonObject, key: str) -> tuple[JsonObject, ...]:
    entries: object = file.get(key)
    if not isinstance(entries, list):
        raise _Unusable(f"{key} is not a list")
    return tuple(_object(entry, f"an entry of {key}") for entry in cast(list[object], entries))


def _object(value: object, what: str) -> JsonObject:
    if not isinstance(value, dict):
        raise _Unusable(f"{what} is not an object")
    return cast(JsonObject, value)


def _text(file: JsonObject, key: str) -> str:
    value: object = file.get(key)
    if not isinstance(value, str):
        raise _Unusable(f"{key} is not text")
    return value


def _time(value: object) -> datetime:
    if not isinstance(value, str):
        raise _Unusable("cachedAt is not text")
    time = datetime.fromisoformat(value)
    if time.tzinfo is None:
        raise _Unusable("cachedAt has no time zone")
    return time
