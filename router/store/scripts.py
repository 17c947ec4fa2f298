"""The saved scripts of a workspace: one Lua file each, which people may edit."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TypeAlias

from router.domain.errors import NotFound, sentence
from router.store.files import FileVersion, atomic_write, file_version, translate_os_errors
from router.store.json_file import UnusableFile, unreadable

log = logging.getLogger(__name__)

FolderVersion: TypeAlias = tuple[tuple[str, FileVersion], ...]
"""Changes whenever a file of the folder does; known without reading the files."""

_SUFFIX = ".lua"


class ScriptStore:
    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes

    def version(self) -> FolderVersion:
        return tuple((path.stem, file_version(path)) for path in self._paths())

    def read(self) -> dict[str, str]:
        """The texts by name; a file that can't be read is left out."""
        texts: dict[str, str] = {}
        for path in self._paths():
            try:
                data = path.read_bytes()
                if len(data) <= self._max_bytes:
                    texts[path.stem] = data.decode("utf-8", "replace")
                else:
                    log.warning("%s is too large for a script", path)
            except OSError as error:
                log.warning("%s can't be read: %s", path, error)
        return texts

    def write(self, name: str, text: str) -> None:
        """Raises `UnusableFile` instead of replacing a text that `read` does not return so."""
        path = self._path(name)
        with translate_os_errors(path):
            self._check(path)
            atomic_write(path, text.encode())

    def remove(self, name: str) -> None:
        path = self._path(name)
        if not path.exists():
            raise NotFound(
                sentence('There is no script "{name}".', name=name),
                "List them with: toolbooth script list",
            )
        with translate_os_errors(path):
            path.unlink(missing_ok=True)

    def _check(self, path: Path) -> None:
        try:
            data = path.read_bytes()
            data.decode()
        except FileNotFoundError:
            return
        except OSError as error:
            raise UnusableFile(path, unreadable(error)) from error
        except UnicodeDecodeError as error:
            raise UnusableFile(path, sentence("it is not UTF-8 text")) from error
        if len(data) > self._max_bytes:
            raise UnusableFile(path, sentence("it is too large for a script"))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{_SUFFIX}"

    def _paths(self) -> list[Path]:
        try:
            return sorted(p for p in self._folder.iterdir() if p.suffix == _SUFFIX and p.is_file())
        except OSError:
            return []
