"""Which file or folder of the user a sandboxed server lacked, from its last words and from what it
tried to open.

A path that exists for the user but not inside was hidden by the sandbox; one that it may not write
was protected by it. What is missing for the user too is not the sandbox's doing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from router.discovery.sandbox.required_files import is_broad, may_share
from router.domain.receipts import SharedPath

_QUOTED = re.compile(r"""(['"`])((?:~|/)[^'"`\n]{1,1000})\1""")
_BARE = re.compile(r"""(?<![\w:/.~'"`])(~?/[\w.@+~%/-]{1,1000})""")
_DENIED = r"\bE(?:ACCES|PERM)\b|(?:permission|access) (?:is )?denied|not permitted|os error 13"
_WRITING = re.compile(
    rf"\bEROFS\b|read-only file ?system|os error 30|not writable|(?:{_DENIED}).*"
    r"\b(?:mkdir|writ(?:e|ing)|creat(?:e|ing)|unlink|rename|save)\b"
    r"|(?:can(?:no|')t|could not|failed to|unable to) (?:write|create|save)",
    re.IGNORECASE,
)
_REFUSED = re.compile(_DENIED, re.IGNORECASE)
_COMPLAINING = re.compile(
    rf"{_DENIED}|\bE(?:NOENT|ROFS|NOTDIR)\b|os error|errno|error|no such|not? (?:be )?found"
    r"|not exist|doesn't|can(?:no|')t|could not|couldn't|unable|fail|missing|invalid"
    r"|not (?:a |accessible|readable|writable)|read-only",
    re.IGNORECASE,
)
_SYSTEM = tuple(
    f"/{name}/" for name in "usr bin sbin lib lib32 lib64 proc sys dev run nix gnu".split()
)


@dataclass(frozen=True, slots=True)
class SandboxView:
    """What a run could see of the user's files."""

    home: Path
    """The user's."""
    home_inside: str
    files_blocked: bool
    """Whether only `readable` could be read."""
    readable: tuple[str, ...] = ()
    shared: tuple[SharedPath, ...] = ()
    private: tuple[str, ...] = ()
    """Folders that are never shared: Toolbooth's own."""


@dataclass(frozen=True, slots=True)
class LackedFiles:
    words: str
    """The server's line about them; empty if it said nothing."""
    path: str
    share: SharedPath | None
    """What would help; None if that must not be shared."""


def lacked_files(words: str, tried: Iterable[str], view: SandboxView) -> LackedFiles | None:
    """The first file or folder that `words` complain about, or that it tried to open in vain."""
    for line in filter(_COMPLAINING.search, words.splitlines()):
        for path in _paths(line):
            if lacked := _lacked(path, view, line.strip()):
                return lacked
    in_home = (path for path in tried if Path(path).is_relative_to(view.home))
    return next(filter(None, (_lacked(path, view) for path in in_home)), None)


def _paths(line: str) -> Iterator[str]:
    yield from (match[2] for match in _QUOTED.finditer(line))
    yield from (match[1].rstrip(".") for match in _BARE.finditer(line))


def _lacked(written: str, view: SandboxView, words: str = "") -> LackedFiles | None:
    path, in_home = _outside(written, view)
    shared = next((each for each in view.shared if path.is_relative_to(each.path)), None)
    visible = not view.files_blocked or any(path.is_relative_to(each) for each in view.readable)
    # What it may read can only be refused for writing.
    writing = _WRITING.search(words) or (visible and _REFUSED.search(words))
    if writing and (shared is not None or not in_home):
        target = _existing(path)
        if (shared is not None and shared.writable) or not os.access(target, os.W_OK):
            return None
        return _lacking(words, path, target, view, writable=True)
    if shared is not None or (visible and not in_home) or path == view.home:
        return None
    if not (path.is_dir() or path.is_file()):
        return None  # it does not exist for the user either, or is a socket or device
    folder = path if path.is_dir() else path.parent
    target = path if is_broad(folder, view.home) else folder
    return _lacking(words, path, target, view, writable=False)


def _lacking(
    words: str, path: Path, target: Path, view: SandboxView, *, writable: bool
) -> LackedFiles | None:
    if target == Path("/") or str(path).startswith(_SYSTEM):
        return None
    allowed = may_share(target, view.home, view.private)
    share = SharedPath(str(target), writable) if allowed else None
    return LackedFiles(words, str(path), share)


def _outside(written: str, view: SandboxView) -> tuple[Path, bool]:
    """A path inside as the user has it, and whether it is in the home that is replaced."""
    written = os.path.normpath(written)
    for home in (view.home_inside, "~"):
        if written == home or written.startswith(f"{home}/"):
            return Path(f"{view.home}{written.removeprefix(home)}"), True
    return Path(written), False


def _existing(path: Path) -> Path:
    """`path`, or the nearest folder above it that exists."""
    return next(each for each in (path, *path.parents) if _exists(each))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
