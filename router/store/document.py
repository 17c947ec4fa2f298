"""One JSON file that people may edit while we run: its last good value, and updates to it.

An update is applied to the current content of the file, so no edit is lost. A malformed file is
rejected: the last good value stays, and the file is not overwritten until it is valid again.
`refresh` reports changes by others; our own writes are not reported.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Flag, auto
from pathlib import Path
from typing import Generic, TypeVar

from router.domain.errors import ConfigError, sentence
from router.domain.json_values import JsonObject
from router.store import json_text
from router.store.files import FileVersion, atomic_write, file_version, locked, translate_os_errors

T = TypeVar("T")


class FileChange(Flag):
    """What happened to the file; several may apply at once."""

    NONE = 0
    CHANGED = auto()
    """Its value has changed."""
    REJECTED = auto()
    """It became malformed, or is malformed in another way."""
    ACCEPTED = auto()
    """It was rejected before and is valid again."""
    MISSING = auto()


class Document(Generic[T]):
    """`value` is `initial` until a valid file was read; `read` raises `ConfigError`. If the file
    disappears, the last good value stays, or becomes `if_missing` if that is given."""

    def __init__(
        self,
        path: Path,
        initial: T,
        *,
        read: Callable[[Path, str], T],
        write: Callable[[T], JsonObject],
        if_missing: T | None = None,
    ) -> None:
        self.path = path
        self.value = initial
        self.rejection: ConfigError | None = None
        self._read = read
        self._write = write
        self._if_missing = if_missing
        self._version: FileVersion | None = None
        self._unreported = FileChange.NONE

    def refresh(self) -> FileChange:
        """Reload the file if it changed; what has changed since the last call."""
        changes = self._unreported | self._reload()
        self._unreported = FileChange.NONE
        return changes

    def update(self, change: Callable[[T], T]) -> T:
        """Apply `change` to the value now in the file, write it and return it."""
        with translate_os_errors(self.path), locked(self.path):
            self._unreported |= self._reload() & ~FileChange.MISSING  # It is about to exist again.
            if self.rejection is not None:
                raise ConfigError(self.path, self.rejection.line, self.rejection.reason)
            self._replace(change(self.value))
        return self.value

    def create(self) -> bool:
        """Write the value unless the file exists; whether it was written."""
        with translate_os_errors(self.path):
            if self.path.exists():  # Then nothing is written, not even the lock.
                return False
            with locked(self.path):
                if self.path.exists():
                    return False
                self._replace(self.value)
        return True

    def _replace(self, value: T) -> None:
        atomic_write(self.path, self._bytes(value))
        self.value = value
        self._version = file_version(self.path)

    def _reload(self) -> FileChange:
        version = None
        try:
            version = file_version(self.path)  # Before reading, so that a later write is noticed.
            if version == self._version:
                return FileChange.NONE
            value = self._read(self.path, json_text.decode(self.path, self.path.read_bytes()))
        except FileNotFoundError:
            self._version = None
            value = self.value if self._if_missing is None else self._if_missing
            return FileChange.MISSING | self._accept(value)
        except ConfigError as error:
            return self._reject(version, error)
        except OSError as error:
            return self._reject(
                None,
                ConfigError(self.path, None, sentence("it can't be read: {reason}", reason=error)),
            )
        self._version = version
        return self._accept(value)

    def _reject(self, version: FileVersion | None, error: ConfigError) -> FileChange:
        known = self.rejection is not None and self.rejection.message == error.message
        self._version, self.rejection = version, error
        return FileChange.NONE if known else FileChange.REJECTED

    def _accept(self, value: T) -> FileChange:
        """Compared as written, because the order of servers matters and dicts ignore it."""
        changes = FileChange.NONE if self.rejection is None else FileChange.ACCEPTED
        if self._bytes(value) != self._bytes(self.value):
            changes |= FileChange.CHANGED
        self.value, self.rejection = value, None
        return changes

    def _bytes(self, value: T) -> bytes:
        return json_text.dump(self._write(value))
