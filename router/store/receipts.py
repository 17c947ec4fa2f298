"""Receipts on disk: of each server, what it tried during its last discovery."""

from __future__ import annotations

import dataclasses
import json
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from router.domain.ids import ServerId
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.receipts import Reason, Receipt, Why
from router.store.files import atomic_write, translate_os_errors
from router.store.json_file import FORMAT_VERSION, load_json_file, read_json_file

_RECEIPT = TypeAdapter(Receipt)


class ReceiptStore:
    """The receipts of one workspace, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, server: ServerId) -> Receipt | None:
        return read_json_file(self._path(server), _decoded, missing=None)

    def write(self, server: ServerId, receipt: Receipt) -> None:
        """Raises `ToolboothError`."""
        path = self._path(server)
        file = {"formatVersion": FORMAT_VERSION, **dataclasses.asdict(receipt)}
        load_json_file(path, _decoded, missing=None)
        with translate_os_errors(path):
            atomic_write(path, json.dumps(file, default=datetime.isoformat).encode())

    def remove(self, server: ServerId) -> None:
        with suppress(OSError):
            self._path(server).unlink(missing_ok=True)

    def _path(self, server: ServerId) -> Path:
        return self._folder / f"{server}.json"


def _decoded(file: JsonObject) -> Receipt:
    protection = as_object(file["protection"])
    protection["missing"] = [_reason(each) for each in as_array(protection["missing"])]
    file["as_written"] = _reason(file["as_written"]) if file["as_written"] else None
    return _RECEIPT.validate_python(file)


def _reason(file: object) -> object:
    """Files of an earlier version have a text here."""
    return Reason(Why.OTHER, (file,)) if isinstance(file, str) else file
