"""Replaces a file that belongs to another application, atomically and with a backup."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from router.domain.errors import ConfigError, Conflict, sentence
from router.store.files import (
    create_durably,
    remove_stale_files_of,
    replace_durably,
    translate_os_errors,
)

_MAX_BYTES = 64_000_000
"""Some applications keep their history in the file too."""
_READ_AT_ONCE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opening a pipe that was put in the file's place does not block."""
_ACCESS_CONTROL_LIST = "system.posix_acl_access"


def fingerprint(data: bytes | None) -> str:
    """Identifies the content of a file; None is a file that does not exist."""
    return "none" if data is None else hashlib.sha256(data).hexdigest()


def read_or_none(path: Path) -> bytes | None:
    """None if the file does not exist. Raises `ConfigError`, also for what is not a file."""
    try:
        _refuse_irregular(path, path.stat())
        with os.fdopen(os.open(path, _READ_AT_ONCE), "rb") as file:
            _refuse_irregular(path, os.fstat(file.fileno()))
            data = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(
            path, None, sentence("it can't be read: {reason}", reason=error.strerror)
        ) from None
    if len(data) > _MAX_BYTES:
        raise ConfigError(
            path, None, sentence("it is larger than {size} MB", size=_MAX_BYTES // 1_000_000)
        )
    return data


def _refuse_irregular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ConfigError(path, None, "it is not a file")


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
    """Replace the content that has the fingerprint `expected`.

    Owner, group, mode, access control list and symbolic links stay. A hard link is separated: the
    other name keeps the old content, as with every atomic write.
    """
    target = path.resolve()
    refuse_protected(path)

    def check() -> None:
        if fingerprint(read_or_none(target)) != expected:
            raise changed_meanwhile(path, "Review the preview again.")

    with translate_os_errors(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_stale_files_of(target)
        replace_durably(target, data, FileAttributes.of(target).apply, check)


def refuse_protected(path: Path) -> None:
    """A rename could replace a read-only file, or one of another user, but its owner protected it,
    and another user's would become ours."""
    if not path.exists():
        return
    status = path.stat()
    if not status.st_mode & stat.S_IWUSR:
        raise Conflict(
            sentence("{path} is read-only.", path=path), "Make it writable, then try again."
        )
    if sys.platform != "win32" and os.geteuid() not in (0, status.st_uid):
        raise Conflict(
            sentence("{path} belongs to another user.", path=path),
            "Edit it as that user, or copy it to a file of your own.",
        )


def remove(path: Path, *, expected: str) -> None:
    """Remove the file, or a link's target, if its fingerprint is still `expected`."""
    target = path.resolve()  # once: the link could be changed after the comparison
    if fingerprint(read_or_none(target)) != expected:
        raise changed_meanwhile(path, "Edit it manually.")
    with translate_os_errors(path):
        target.unlink()


def changed_meanwhile(path: Path, hint: str) -> Conflict:
    return Conflict(sentence("{path} has changed in the meantime.", path=path), hint)


@dataclass(frozen=True, slots=True)
class FileAttributes:
    """What a file keeps when its content is replaced; of none, those of a private file."""

    mode: int = 0o600
    owner: int = -1
    group: int = -1
    extended: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    @classmethod
    def of(cls, path: Path) -> FileAttributes:
        try:
            status = path.stat()
        except FileNotFoundError:
            return cls()
        mode = stat.S_IMODE(status.st_mode) & 0o777
        return cls(mode, status.st_uid, status.st_gid, _extended_attributes(path))

    def apply(self, descriptor: int) -> None:
        """By descriptor: in a folder that others may write to, a path could lead elsewhere."""
        if sys.platform == "win32":
            return  # There a file has the permissions of its folder.
        mode = self.mode
        try:
            os.fchown(descriptor, self.owner, self.group)
        except OSError:
            mode &= ~stat.S_IRWXG  # of another group now
        if sys.platform == "linux":
            with suppress(OSError):  # It may have one from its folder.
                os.removexattr(descriptor, _ACCESS_CONTROL_LIST)
        os.fchmod(descriptor, mode)
        if sys.platform == "linux":
            for name, value in self.extended.items():
                with suppress(OSError):
                    os.setxattr(descriptor, name, value)


def _extended_attributes(path: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    if sys.platform == "linux":
        with suppress(OSError):
            for name in os.listxattr(path):
                with suppress(OSError):
                    found[name] = os.getxattr(path, name)
    return found
