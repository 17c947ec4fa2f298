"""The Python interpreters of this computer, also those that version managers keep beside the PATH,
and which of them suits a request such as `3.12`, `>=3.11,<3.14` or a path."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from router.upstream.process.environment import server_environment
from router.upstream.process.spawn import start_program

_ANSWER_TIMEOUT_S = 10.0
_MAX_INTERPRETERS = 24
_PROGRAM = re.compile(r"python3(\.\d+)?(\.exe)?|python\.exe")
_KEPT_BY_MANAGERS = (
    ".pyenv/versions/*/bin/python3", ".asdf/installs/python/*/bin/python3",
    ".local/share/mise/installs/python/*/bin/python3",
    ".local/share/uv/python/*/bin/python3", ".local/share/rye/py/*/bin/python3",
    ".rye/py/*/bin/python3", "miniconda3/envs/*/bin/python3", "miniforge3/envs/*/bin/python3",
    "anaconda3/envs/*/bin/python3",
)  # fmt: skip
_KEPT_BY_SYSTEM = (
    "opt/homebrew/opt/python@3*/bin/python3*", "usr/local/opt/python@3*/bin/python3*",
    "home/linuxbrew/.linuxbrew/opt/python@3*/bin/python3*",
    "Library/Frameworks/Python.framework/Versions/3*/bin/python3",
)  # fmt: skip
BUNDLED_PIP = """\
import ensurepip, glob, os, sys, sysconfig, venv
folders = (
    os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"),
    sysconfig.get_config_var("WHEEL_PKG_DIR") or "",
    "/usr/share/python-wheels",
)
[pip, *_] = [file for folder in folders for file in glob.glob(os.path.join(folder, "pip-*.whl"))]
"""
"""A program that finds the pip which Python would put into a virtual environment."""
_ASK = f"""\
{BUNDLED_PIP}
print(".".join(map(str, sys.version_info[:3])))
print(getattr(sys, "_base_executable", "") or sys.executable)
"""
_CONDITION = re.compile(r"(~=|==|!=|<=|>=|<|>)\s*(\d+(?:\.\d+)*)(\.\*)?")
_PLAIN = re.compile(r"(?:c?python@?)?(\d+(?:\.\d+)*)")


@dataclass(frozen=True, slots=True)
class Interpreter:
    path: str
    version: str

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(map(int, self.version.split(".")))


async def find_interpreters(search_path: str) -> AsyncIterator[Interpreter]:
    """Those that can make a virtual environment: the default one, then the others, newest first."""
    programs = list(dict.fromkeys(map(str, _candidates(search_path))))[:_MAX_INTERPRETERS]
    default: Interpreter | None = None
    while programs and default is None:
        default = await _ask(programs.pop(0))
    if default is not None:
        yield default
        others = {*filter(None, await asyncio.gather(*map(_ask, programs)))} - {default}
        for each in sorted(others, key=lambda each: each.numbers, reverse=True):
            yield each


def satisfies(interpreter: Interpreter, wanted: str) -> bool:
    """Whether it is the Python `wanted`, in uv's spelling."""
    if os.path.dirname(wanted):  # noqa: PTH120 - "./x" has a folder, pathlib drops it
        return os.path.realpath(wanted) == os.path.realpath(interpreter.path)
    if plain := _PLAIN.fullmatch(wanted.strip()):
        wanted = f"=={plain[1]}.*"
    conditions = [_CONDITION.fullmatch(part.strip()) for part in wanted.split(",") if part.strip()]
    return bool(conditions) and all(
        each is not None and _holds(interpreter.numbers, each[1], _numbers(each[2]), bool(each[3]))
        for each in conditions
    )


def _holds(version: tuple[int, ...], operator: str, bound: tuple[int, ...], prefix: bool) -> bool:
    if operator == "~=":
        return version >= bound and version[: len(bound) - 1] == bound[:-1]
    if operator in ("==", "!="):
        padded = bound if prefix else (*bound, *[0] * (len(version) - len(bound)))
        return (version[: len(padded)] == padded) == (operator == "==")
    padded = (*bound, *[0] * (len(version) - len(bound)))
    return {
        "<": version < padded,
        ">": version > padded,
        "<=": version <= padded,
        ">=": version >= padded,
    }[operator]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def _candidates(search_path: str) -> Iterator[Path]:
    for name in ("python3", "python"):
        if found := shutil.which(name, path=search_path):
            yield Path(found)
    for folder in search_path.split(os.pathsep):
        yield from _programs_in(Path(folder))
    for pattern in _KEPT_BY_MANAGERS:
        yield from sorted(Path.home().glob(pattern), reverse=True)
    for pattern in _KEPT_BY_SYSTEM:
        yield from sorted(Path("/").glob(pattern), reverse=True)


def _programs_in(folder: Path) -> Iterable[Path]:
    """Not a version manager's shims, which fail unless a version is chosen."""
    try:
        if folder.name == "shims":
            return ()
        return sorted(each for each in folder.iterdir() if _PROGRAM.fullmatch(each.name))
    except OSError:
        return ()


async def _ask(program: str) -> Interpreter | None:
    """What a program says about itself; None if it is no usable Python."""
    try:
        process = await start_program(
            program,
            "-I",
            "-c",
            _ASK,
            cwd=None,
            env=server_environment(os.environ, {}),
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except (OSError, ValueError):
        return None
    try:
        async with asyncio.timeout(_ANSWER_TIMEOUT_S):
            output, _ = await process.communicate()
    except TimeoutError:
        return None
    finally:
        await process.end()
    version, _, path = output.decode("utf-8", "replace").strip().partition("\n")
    return Interpreter(path, version) if re.fullmatch(r"3(\.\d+){2}", version) and path else None
