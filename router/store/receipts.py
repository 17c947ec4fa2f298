"""Receipts on disk: of each server, what it tried during its last discovery."""

from __future__ import annotations

import dataclasses
import json
import logging
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from router.domain.ids import ServerId
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.receipts import IsolationLevel, Package, Protection, Reason, Receipt, Why
from router.store.files import atomic_write
from router.store.json_file import FORMAT_VERSION, read_json_file

log = logging.getLogger(__name__)


class ReceiptStore:
    """The receipts of one workspace, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, server: ServerId) -> Receipt | None:
        return read_json_file(self._path(server), _decoded, missing=None)

    def write(self, server: ServerId, receipt: Receipt) -> None:
        file = {"formatVersion": FORMAT_VERSION, **dataclasses.asdict(receipt)}
        try:
            atomic_write(self._path(server), json.dumps(file, default=_plain).encode())
        except OSError as error:
            log.warning("The receipt of %s could not be written: %s", server, error)

    def remove(self, server: ServerId) -> None:
        with suppress(OSError):
            self._path(server).unlink(missing_ok=True)

    def _path(self, server: ServerId) -> Path:
        return self._folder / f"{server}.json"


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a receipt can't contain {value!r}")


def _decoded(file: JsonObject) -> Receipt:
    protection = _protection(as_object(file.pop("protection")))
    package, at = file.pop("package"), datetime.fromisoformat(file.pop("at"))
    as_written = file.pop("as_written")
    return Receipt(
        **_with_tuples(file, "files", "hosts", "programs", "unseen"),
        at=at,
        protection=protection,
        package=_package(as_object(package)) if package else None,
        as_written=_reason(as_written) if as_written else None,
    )


def _protection(file: JsonObject) -> Protection:
    level = IsolationLevel(file.pop("level"))
    missing = tuple(_reason(each) for each in as_array(file.pop("missing")))
    return Protection(level=level, missing=missing, **file)


def _reason(file: object) -> Reason:
    """Files of an earlier version have them in words."""
    if isinstance(file, str):
        return Reason(Why.OTHER, (file,))
    known = as_object(file)
    return Reason(Why(known["why"]), tuple(map(str, as_array(known["parts"]))))


def _package(file: JsonObject) -> Package:
    fetched_at = datetime.fromisoformat(file.pop("fetched_at"))
    return Package(**file, fetched_at=fetched_at)


def _with_tuples(file: JsonObject, *names: str) -> dict[str, Any]:
    return {**file, **{name: tuple(map(str, file[name])) for name in names}}
