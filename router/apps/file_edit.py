"""Replaces a file that belongs to another application, atomically and with a backup."""

from __future__ import annotations

import hashlib
import secrets
import stat
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from router.domain.errors import ConfigError, Conflict, sentence
from router.store.files import create_durably, translate_os_errors

_PRIVATE = 0o600


def fingerprint(data: bytes | None) -> str:
    """Identifies the content of a file; None is a file that does not exist."""
    return "none" if data is None else hashlib.sha256(data).hexdigest()


def read_or_none(path: Path) -> bytes | None:
    """None if the file does not exist. Raises `ConfigError`, also for what is not a file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ConfigError(path, None, "it is not a file")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(
            path, None, sentence("it can't be read: {reason}", reason=error.strerror)
        ) from None


def decoded(path: Path, data: bytes) -> str:
    """The text of a file; a byte order mark is kept."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ConfigError(path, None, "it is not UTF-8 text") from None


def is_open_to_others(path: Path) -> bool:
    """Whether other users of this computer can read the file."""
    if sys.platform == "win32":
        return False  # There the user's folders are private.
    try:
        target = path.resolve()
        readable = bool(target.stat().st_mode & stat.S_IROTH)
        return readable and all(up.stat().st_mode & stat.S_IXOTH for up in target.parents)
    except OSError:
        return False


def back_up(path: Path, data: bytes, now: datetime) -> Path:
    """Write `data` beside `path`; a backup never replaces another. It may contain a token, so only
    its owner can read it, whatever the mode of the file itself."""
    stem = f"{path.name}.bak.{now:%Y%m%d-%H%M%S}"
    for attempt in range(100):
        backup = path.with_name(stem if attempt == 0 else f"{stem}-{attempt}")
        with translate_os_errors(backup), suppress(FileExistsError):
            create_durably(backup, data)
            return backup
    raise Conflict(
        sentence("There are too many backups named {stem}.", stem=stem), "Delete some of them."
    )


def replace(path: Path, data: bytes, *, expected: str) -> None:
    """Replace the content that has the fingerprint `expected`; mode and links stay."""
    target = path.resolve()
    refuse_read_only(path)
    with translate_os_errors(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        try:
            create_durably(temporary, data)
            temporary.chmod(_mode_of(target))
            if fingerprint(read_or_none(target)) != expected:
                raise changed_meanwhile(path, "Review the preview again.")
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def refuse_read_only(path: Path) -> None:
    """A rename could replace a read-only file, but its owner protected it."""
    if not _mode_of(path) & stat.S_IWUSR:
        raise Conflict(
            sentence("{path} is read-only.", path=path), "Make it writable, then try again."
        )


def remove(path: Path, *, expected: str) -> None:
    """Remove the file, or a link's target, if its fingerprint is still `expected`."""
    if fingerprint(read_or_none(path)) != expected:
        raise changed_meanwhile(path, "Edit it manually.")
    with translate_os_errors(path):
        path.resolve().unlink()


def changed_meanwhile(path: Path, hint: str) -> Conflict:
    return Conflict(sentence("{path} has changed in the meantime.", path=path), hint)


def _mode_of(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return _PRIVATE
