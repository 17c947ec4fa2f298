"""The key that consents are signed with: `consent.key`, 32 random bytes for the data directory.

A consents file from elsewhere (a repository, an archive, another computer, another workspace) is
not believed, because its author did not have the key. The key is a private file and not in the
keyring: it is needed at every start, also where there is no keyring or a locked one. So a program
that runs as the user and reads the data directory can still sign.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
from pathlib import Path

from router.domain.errors import sentence
from router.store.files import atomic_write, locked, translate_os_errors
from router.store.json_file import UnusableFile, unreadable

log = logging.getLogger(__name__)

FILE_NAME = "consent.key"
_BYTES = 32


class ConsentKey:
    """Read when it is first needed, and made for the first consent. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key: bytes | None = None

    def sign(self, *values: str) -> str:
        """The signature of `values`. Raises `UnusableFile`."""
        if self._key is None:
            with translate_os_errors(self._path), locked(self._path):
                self._key = self._read() or self._create()
        return _signature(self._key, values)

    def is_signature(self, signature: str, *values: str) -> bool:
        """Whether `sign` made `signature` of `values`. Without a usable key nothing is signed."""
        if self._key is None:
            try:
                self._key = self._read()
            except UnusableFile as error:
                log.warning("%s", error.message)
        if self._key is None:
            return False
        expected = _signature(self._key, values).encode()
        return hmac.compare_digest(signature.encode("utf-8", "replace"), expected)

    def _create(self) -> bytes:
        key = secrets.token_bytes(_BYTES)
        atomic_write(self._path, key)
        return key

    def _read(self) -> bytes | None:
        """None if there is none yet."""
        try:
            key = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnusableFile(self._path, unreadable(error)) from error
        if len(key) != _BYTES:
            raise UnusableFile(self._path, sentence("it is not a key"))
        return key


def _signature(key: bytes, values: tuple[str, ...]) -> str:
    return hmac.new(key, json.dumps(values).encode(), hashlib.sha256).hexdigest()
