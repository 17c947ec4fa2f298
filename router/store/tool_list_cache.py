"""Tool lists on disk: one JSON file per server, so that tools are known before any server starts.

Reading never raises: a damaged file is ignored and logged, and the last good one (`.bak`) is used.
The next write keeps it beside the new one (`.damaged`), but does not replace a file that can't be
read. A failed write leaves the old file intact. The modification time is when discovery last
confirmed the list, so that a confirmation writes nothing.

The file is one JSON document with one tool per line, because `json.loads` holds the GIL: thousands
of tools are decoded some lines at a time, and other threads run in between.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from router.domain.ids import ServerId
from router.domain.json_values import JsonObject, as_object
from router.domain.tool_lists import (
    CachedListing,
    head_to_json,
    listing_from_json,
    tool_from_json,
    tool_to_json,
)
from router.store.files import atomic_write, locked, translate_os_errors
from router.store.json_file import UnusableFile, unreadable

log = logging.getLogger(__name__)

FORMAT_VERSION = 2
_FIRST_LINE = re.compile(rb'\{"formatVersion":(\d{1,9}),"checksum":"([0-9a-f]{64})",')
_BEFORE_TOOLS = b',"tools":['
_CHUNK_TOOLS = 64
"""Tools decoded at once: far faster than one by one, and done in a millisecond."""
_UNUSABLE = (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError)


class ToolListCache:
    """The tool lists of one workspace, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, server: ServerId, config_hash: str) -> CachedListing | None:
        """The entry of `server`, if it is intact and belongs to this configuration."""
        path = self._path(server)
        with suppress(FileNotFoundError):
            return _read(path, config_hash) or self._last_good(path, config_hash)
        return None

    def write(self, server: ServerId, entry: CachedListing) -> None:
        path, data = self._path(server), _encode(entry)
        with translate_os_errors(path), locked(self._folder):
            if (before := _intact(path)) is not None:
                atomic_write(_backup(path), before)
            elif path.exists():
                path.replace(_damaged(path))
            atomic_write(path, data)
            _set_modified(path, entry.seen_at)

    def touch(self, server: ServerId, checked_at: datetime) -> None:
        path = self._path(server)
        try:
            _set_modified(path, checked_at)
        except OSError as error:
            log.info("The time of %s could not be set: %s", path, error)

    def remove(self, server: ServerId) -> None:
        entry = self._path(server)
        for path in (entry, _backup(entry), _damaged(entry)):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                log.warning("%s could not be removed: %s", path, error)

    def _last_good(self, path: Path, config_hash: str) -> CachedListing | None:
        with suppress(FileNotFoundError):
            if (entry := _read(_backup(path), config_hash)) is not None:
                log.warning("Using the previous list, from %s", entry.cached_at.isoformat())
                return entry
        return None

    def _path(self, server: ServerId) -> Path:
        return self._folder / f"{server}.json"


def _backup(path: Path) -> Path:
    return path.with_suffix(".json.bak")


def _damaged(path: Path) -> Path:
    return path.with_suffix(".json.damaged")


def _set_modified(path: Path, moment: datetime) -> None:
    os.utime(path, (moment.timestamp(), moment.timestamp()))


def _read(path: Path, config_hash: str) -> CachedListing | None:
    """Raises only `FileNotFoundError`."""
    try:
        with path.open("rb") as file:
            modified = os.fstat(file.fileno()).st_mtime
            return _decode(file.read(), config_hash, datetime.fromtimestamp(modified, UTC))
    except FileNotFoundError:
        raise
    except _UNUSABLE as error:
        log.warning("Ignoring the cached tools in %s: %s", path, error or type(error).__name__)
        return None


def _intact(path: Path) -> bytes | None:
    """The file's bytes, if they are a complete entry. Raises `UnusableFile`."""
    try:
        data = path.read_bytes()
        _body(data)
    except (FileNotFoundError, ValueError):
        return None
    except OSError as error:
        raise UnusableFile(path, unreadable(error)) from error
    return data


def _encode(entry: CachedListing) -> bytes:
    head: JsonObject = {
        "configHash": entry.config_hash,
        "cachedAt": entry.cached_at.astimezone(UTC).isoformat(),
        **head_to_json(entry.listing),
    }
    tools = ",\n".join(_dump(tool_to_json(tool)) for tool in entry.listing.tools)
    body = b"%s%s\n%s\n]}\n" % (_dump(head)[1:-1].encode(), _BEFORE_TOOLS, tools.encode())
    checksum = hashlib.sha256(body).hexdigest()
    return f'{{"formatVersion":{FORMAT_VERSION},"checksum":"{checksum}",\n'.encode() + body


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _body(data: bytes) -> bytes:
    """The part the checksum covers, once that is checked."""
    first, _, body = data.partition(b"\n")
    match = _FIRST_LINE.fullmatch(first)
    if match is None:
        raise ValueError("it is not a cached tool list")
    if int(match.group(1)) != FORMAT_VERSION:
        raise ValueError("it has another format version")
    if hashlib.sha256(body).hexdigest().encode() != match.group(2):
        raise ValueError("its checksum is wrong")
    return body


def _decode(data: bytes, config_hash: str, modified: datetime) -> CachedListing:
    lines = _body(data).split(b"\n")
    head = as_object(json.loads(b"{%s}" % lines[0].removesuffix(_BEFORE_TOOLS)))
    if head.get("configHash") != config_hash:
        raise ValueError("the server's configuration has changed since")
    cached_at = datetime.fromisoformat(head["cachedAt"])
    if cached_at.tzinfo is None:
        raise ValueError("its time has no zone")
    tools = tuple(tool_from_json(tool) for tool in _tools(lines[1:-2]))
    # Not the later of both: a list that a wrong clock dated ahead may have been confirmed since.
    return CachedListing(listing_from_json(head, tools), config_hash, cached_at, modified)


def _tools(lines: list[bytes]) -> Iterator[JsonObject]:
    for start in range(0, len(lines), _CHUNK_TOOLS):
        chunk = b"".join(lines[start : start + _CHUNK_TOOLS])
        yield from json.loads(b"[%s]" % chunk.removesuffix(b","))
