"""The files of a fetched package: recorded, checked, and shared with other packages.

Equal files of all packages are one file with several names (hard links), found by their SHA-256 in
a common folder. A file that is linked was read and compared first, so that one package can't bring
its content into another; and one that is changed later is noticed by the check of each package.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

FileRecord: TypeAlias = Sequence[int | str]
"""Size, time of the last change, and SHA-256; of a link its target only."""
PackageFiles: TypeAlias = Mapping[str, FileRecord]
"""The files of a package, by their path in its folder."""

_CODE = (
    ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".node", ".wasm", ".py", ".pyc",
    ".pyd", ".pth", ".so", ".dylib", ".dll", ".exe", ".sh", ".cmd", ".bat", ".ps1", ".jar",
)  # fmt: skip
_READ_BYTES = 1 << 20


def record_files(folder: Path, shared: Path) -> PackageFiles:
    """Make all files of a package read-only, share them, and record them. Raises `OSError`."""
    files: dict[str, FileRecord] = {}
    for name, entry in _entries(folder):
        if entry.is_symlink():
            files[name] = [_link(entry.path)]
            continue
        digest = file_digest(Path(entry.path))
        mode = entry.stat(follow_symlinks=False).st_mode
        Path(entry.path).chmod(0o500 if mode & stat.S_IXUSR else 0o400)
        _share(Path(entry.path), shared / digest[:2] / f"{digest}{'-x' * bool(mode & 0o100)}")
        after = Path(entry.path).lstat()
        files[name] = [after.st_size, after.st_mtime_ns, digest]
    return files


def changed_file(folder: Path, recorded: PackageFiles, *, thoroughly: bool) -> str | None:
    """A file that is not what was recorded, or is code that was not there; None if there is none.

    A file is read only where its size or time differ, or if the check is to be thorough. Added data
    is no change: some packages keep theirs beside their code.
    """
    missing = dict(recorded)
    for name, entry in _entries(folder):
        known = missing.pop(name, None)
        if known is None:
            if _can_be_code(entry, name):
                return name
        elif entry.is_symlink():
            if known != [_link(entry.path)]:
                return name
        else:
            now = entry.stat(follow_symlinks=False)
            same = [now.st_size, now.st_mtime_ns] == known[:2]
            if (thoroughly or not same) and file_digest(Path(entry.path)) != known[-1]:
                return name
    return next(iter(missing), None)


def keep_data(old: Path, recorded: PackageFiles, new: Path) -> None:
    """Move what a server wrote beside its code into the folder of its newer package."""
    for name, entry in list(_entries(old)):
        target = new / name
        inside = target.parent.resolve().is_relative_to(new.resolve())
        data = name not in recorded and entry.is_file(follow_symlinks=False)
        if data and inside and not target.exists() and not _can_be_code(entry, name):
            target.parent.mkdir(parents=True, exist_ok=True)
            Path(entry.path).replace(target)


def remove_unused(shared: Path) -> None:
    """Remove the shared files that no package has any more."""
    for folder in shared.glob("*"):
        for file in folder.iterdir():
            with suppress(OSError):
                if file.lstat().st_nlink == 1:
                    file.unlink()


def disk_usage(folder: Path) -> int:
    """The bytes on disk of everything in `folder`; what has several names counts once."""
    seen: dict[tuple[int, int], int] = {}
    for _, entry in _entries(folder):
        with suppress(OSError):
            now = entry.stat(follow_symlinks=False)
            seen[now.st_dev, now.st_ino] = getattr(now, "st_blocks", now.st_size // 512) * 512
    return sum(seen.values())


def file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()


def _entries(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """All files and links beneath `folder`, with their path in it. A link to a folder is not
    followed."""
    waiting = [("", str(folder))]
    while waiting:
        prefix, path = waiting.pop()
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((f"{prefix}{entry.name}/", entry.path))
                else:
                    yield f"{prefix}{entry.name}", entry


def _link(path: str) -> str:
    return f"-> {os.readlink(path)}"  # noqa: PTH115 - a Path would normalize it


def _can_be_code(entry: os.DirEntry[str], name: str) -> bool:
    """Nothing is loaded from folders such as `.cache` unless a package names them."""
    if any(part.startswith(".") for part in Path(name).parts[:-1]):
        return False
    executable = entry.stat(follow_symlinks=False).st_mode & 0o111
    return bool(executable) or entry.name == "package.json" or name.lower().endswith(_CODE)


def _share(file: Path, common: Path) -> None:
    """Make `file` another name of `common`; without hard links it stays as it is."""
    common.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = file.with_name(f".{secrets.token_hex(8)}")
    try:
        if common.exists() and file_digest(common) != common.name.removesuffix("-x"):
            common.unlink()
        try:
            os.link(common, temporary)
        except FileNotFoundError:
            os.link(file, common)
            return
        temporary.replace(file)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
