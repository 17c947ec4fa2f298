"""The last discovery attempt of each server, on disk: one file per server, so that recording one
costs the same however many servers there are."""

from __future__ import annotations

import dataclasses
import json
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from router.domain.discovery_attempt import DiscoveryAttempt
from router.domain.ids import ServerId
from router.store.files import atomic_write, translate_os_errors
from router.store.json_file import FORMAT_VERSION, load_json_file, read_json_file

_ATTEMPT = TypeAdapter(DiscoveryAttempt)


class AttemptStore:
    """The attempts of one workspace, in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, server: ServerId) -> DiscoveryAttempt | None:
        return read_json_file(self._path(server), _ATTEMPT.validate_python, missing=None)

    def write(self, server: ServerId, attempt: DiscoveryAttempt) -> None:
        """Raises `ToolboothError`."""
        path = self._path(server)
        file = {"formatVersion": FORMAT_VERSION, **dataclasses.asdict(attempt)}
        load_json_file(path, _ATTEMPT.validate_python, missing=None)
        with translate_os_errors(path):
            atomic_write(path, json.dumps(file, default=datetime.isoformat).encode())

    def remove(self, server: ServerId) -> None:
        with suppress(OSError):
            self._path(server).unlink(missing_ok=True)

    def _path(self, server: ServerId) -> Path:
        return self._folder / f"{server}.json"
