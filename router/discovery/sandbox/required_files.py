"""Which files a command requires: its program, the program's interpreter, and the files it names.

A sandbox shows only these of the user's files. A home folder or its parents are never among them,
even if named: that would be no sandbox.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path

_PROJECT_FILES = (
    "package.json", "pyproject.toml", "setup.py", "requirements.txt", "node_modules", ".venv",
    ".git", "go.mod", "Cargo.toml", "deno.json",
)  # fmt: skip
_SHARED_BY_PROGRAMS = (
    ".local", ".local/share", ".local/state", ".config", ".cache", "Library", "Library/Caches",
    "Library/Application Support", "AppData", "AppData/Local", "AppData/Roaming",
)  # fmt: skip
_BIN_NAMES = ("bin", "sbin", "Scripts", "shims", ".bin")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_MAX_LINKS = 16
_FIRST_LINE = 256


def files_needed(
    program: str,
    args: Sequence[str],
    *,
    cwd: str | None,
    search_path: str,
    home: Path,
    known: Iterable[str] = (),
) -> set[str]:
    """What must be readable for `program` with `args` to start, including `known`."""
    known = tuple(known)
    needed = {*_program_files(Path(program), search_path, home), *known}
    base = Path(cwd) if cwd else None
    if base is not None and base.is_dir() and not is_broad(base, home):
        needed.add(str(base))
    for path in _named_paths(args, base):
        if not any(path.is_relative_to(each) for each in known):
            needed |= _argument_files(path, home)
    return outermost(needed)


def without(paths: Iterable[str], hidden: Collection[Path], *, but: Iterable[str]) -> set[str]:
    """`paths` without what is `hidden`, except what `but` names; a folder that has something hidden
    becomes what else is in it."""
    kept: set[str] = set()
    but = tuple(but)
    real_hidden = {Path(os.path.realpath(path)) for path in hidden}
    for path in paths:
        real = Path(os.path.realpath(path))
        if any(real.is_relative_to(each) for each in real_hidden):
            kept |= {path} if any(Path(path).is_relative_to(each) for each in but) else set()
        elif any(each.is_relative_to(real) for each in real_hidden):
            kept |= without(map(str, Path(path).iterdir()), hidden, but=but)
        else:
            kept.add(path)
    return kept


def outermost(paths: Iterable[str]) -> set[str]:
    """Without those beneath another one, or in a system folder that every sandbox shows."""
    found: set[str] = set()
    for path in sorted(paths, key=len):
        if not any(path == each or path.startswith(f"{each}/") for each in (*found, *_SYSTEM)):
            found.add(path)
    return found


def folders_named(args: Sequence[str], cwd: str | None, home: Path) -> set[str]:
    """Folders a command names that are too broad to show: they exist inside, but empty."""
    named = _named_paths(args, Path(cwd) if cwd else None)
    return {str(path) for path in named if path.is_dir() and is_broad(path, home)} - {"/"}


def is_broad(path: Path, home: Path) -> bool:
    """Whether `path` contains more than one program or project."""
    path = Path(os.path.realpath(path))
    return (
        len(path.parts) <= 2
        or path == home
        or (path.is_relative_to(home) and str(path.relative_to(home)) in _SHARED_BY_PROGRAMS)
        or home.is_relative_to(path)
    )


def may_share(path: Path, home: Path, private: Iterable[str]) -> bool:
    """Whether a person may share `path` with a server: it is narrow enough and neither contains nor
    is within one of the `private` folders."""
    real = Path(os.path.realpath(path))
    overlaps = (real.is_relative_to(each) or Path(each).is_relative_to(real) for each in private)
    return not is_broad(real, home) and not any(overlaps)


def _named_paths(args: Iterable[str], base: Path | None) -> Iterable[Path]:
    for argument in args:
        text = argument.partition("=")[2] if argument.startswith("-") else argument
        if not text:
            continue
        path = Path(text).expanduser() if text.startswith("~") else Path(text)
        if not path.is_absolute():
            if base is None or ("/" not in text and not (base / text).is_file()):
                continue
            path = base / path
        if _exists(path):
            yield path


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or no name at all
        return False


def _argument_files(path: Path, home: Path) -> set[str]:
    """A file with its project; a folder as it is."""
    if is_broad(path, home):
        return set()
    if path.is_dir():
        return {str(path)}
    real = Path(os.path.realpath(path))
    return {str(path), str(_project_of(real, home))}


def _project_of(file: Path, home: Path) -> Path:
    """The outermost folder that looks like a project, because modules are searched upwards;
    otherwise the file's own folder."""
    folders = [folder for folder in file.parents if not is_broad(folder, home)]
    marked = [f for f in folders if any((f / name).exists() for name in _PROJECT_FILES)]
    return marked[-1] if marked else folders[0] if folders else file


def _program_files(program: Path, search_path: str, home: Path) -> Iterable[str]:
    """The program, all links that lead to it, the installation of each, and its interpreter."""
    for _ in range(_MAX_LINKS):
        yield str(program)
        yield from _installation(program, home)
        if not program.is_symlink():
            break
        program = Path(os.path.normpath(program.parent / program.readlink()))
    if interpreter := interpreter_of(program, search_path):
        yield from _program_files(interpreter, search_path, home)


def _installation(program: Path, home: Path) -> Iterable[str]:
    """The folder a program is installed in; for a virtual environment also that of its Python."""
    folder = Path(os.path.realpath(program.parent))
    prefix = folder.parent if folder.name in _BIN_NAMES else folder
    if is_broad(prefix, home):
        yield from (str(prefix / name) for name in ("lib", "lib64") if (prefix / name).is_dir())
        return
    yield str(prefix)
    if (settings := prefix / "pyvenv.cfg").is_file():
        for line in settings.read_text(errors="replace").splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "home" and value.strip():
                yield from _installation(Path(value.strip(), "python3"), home)


def interpreter_of(script: Path, search_path: str) -> Path | None:
    """The interpreter of a script, from its first line."""
    try:
        with script.open("rb") as file:
            first = file.readline(_FIRST_LINE)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    words = os.fsdecode(first[2:]).split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        words = [found] if words and (found := shutil.which(words[0], path=search_path)) else []
    return Path(words[0]) if words else None


@cache
def interpreter_files() -> tuple[str, ...]:
    """What Toolbooth itself requires to run inside."""
    needed = {*_program_files(Path(sys.executable), os.defpath, Path.home())}
    if not getattr(sys, "frozen", False):
        needed.add(str(Path(__file__).parents[3]))
    return tuple(sorted(outermost(needed)))
