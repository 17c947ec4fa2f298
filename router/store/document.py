"""One file that people edit while we run: its last good value, and how to change it.

A change is made to what the file says at that moment, so nobody's edit is lost. A malformed file
is refused: the last good value stays, and the file is not overwritten until it is good again.
`refresh` tells what someone else did to the file; our own writes are no news.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Flag, auto
from pathlib import Path
from typing import Generic, TypeVar

from router.domain.errors import ConfigError, said
from router.domain.json_values import JsonObject
from router.store import json_text
from router.store.files import Stamp, atomic_write, explained, locked, stamp_of

T = TypeVar("T")


class Seen(Flag):
    """What a look at the file found; several may hold at once."""

    NOTHING = 0
    CHANGED = auto()
    """It has another value than before."""
    REJECTED = auto()
    """It became malformed, or is malformed in another way."""
    ACCEPTED = auto()
    """It had been rejected and no longer is."""
    MISSING = auto()


class Document(Generic[T]):
    """`value` is `initial` until a good file was seen; `read` raises `ConfigError`. A file that
    vanishes leaves its last good value, or `if_missing` where that is given."""

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
        self._stamp: Stamp | None = None
        self._unreported = Seen.NOTHING

    def refresh(self) -> Seen:
        """Take over what someone else wrote, and say what is new since the last time."""
        seen = self._unreported | self._look()
        self._unreported = Seen.NOTHING
        return seen

    def update(self, change: Callable[[T], T]) -> T:
        """Write what `change` makes of the value now in the file, and return it."""
        with explained(self.path), locked(self.path):
            self._unreported |= self._look() & ~Seen.MISSING  # It is about to be there again.
            if self.rejection is not None:
                raise ConfigError(self.path, self.rejection.line, self.rejection.reason)
            self._replace(change(self.value))
        return self.value

    def create(self) -> bool:
        """Write the value unless there is a file already; says whether it did."""
        with explained(self.path), locked(self.path):
            if self.path.exists():
                return False
            self._replace(self.value)
        return True

    def _replace(self, value: T) -> None:
        atomic_write(self.path, self._bytes(value))
        self.value = value
        self._stamp = stamp_of(self.path)

    def _look(self) -> Seen:
        stamp = None
        try:
            stamp = stamp_of(self.path)  # Before reading, so that a later write is seen next time.
            if stamp == self._stamp:
                return Seen.NOTHING
            value = self._read(self.path, json_text.decode(self.path, self.path.read_bytes()))
        except FileNotFoundError:
            self._stamp = None
            value = self.value if self._if_missing is None else self._if_missing
            return Seen.MISSING | self._accept(value)
        except ConfigError as error:
            return self._reject(stamp, error)
        except OSError as error:
            return self._reject(
                None, ConfigError(self.path, None, said("it can't be read: {reason}", reason=error))
            )
        self._stamp = stamp
        return self._accept(value)

    def _reject(self, stamp: Stamp | None, error: ConfigError) -> Seen:
        known = self.rejection is not None and self.rejection.message == error.message
        self._stamp, self.rejection = stamp, error
        return Seen.NOTHING if known else Seen.REJECTED

    def _accept(self, value: T) -> Seen:
        """Compared as written, because the order of servers matters and equality ignores it."""
        seen = Seen.NOTHING if self.rejection is None else Seen.ACCEPTED
        if self._bytes(value) != self._bytes(self.value):
            seen |= Seen.CHANGED
        self.value, self.rejection = value, None
        return seen

    def _bytes(self, value: T) -> bytes:
        return json_text.dump(self._write(value))
