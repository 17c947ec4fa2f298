"""Identifies what a server's command would run now, so that a program that was changed on disk is
noticed without starting it.

Code that the command does not name (a module of Python, a file that another one imports) is not
seen here: those lists are discovered again after a day, or when the server is started.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from router.config.server import ServerConfig
from router.store.consents import resolved_program
from router.store.files import file_version

_CODE = frozenset(
    ".bat .cjs .cmd .dll .exe .jar .js .lua .mjs .mts .php .pl .ps1 .py .pyz .rb .sh .ts".split()
)
"""Arguments with these suffixes are programs. Others may be data, which changes with each use."""


def program_version(config: ServerConfig) -> str:
    """Changes with the program, its scripts, and the folder of its package. Empty for a server that
    has an address. Reads the state of a few files, so call it in a thread."""
    if config.command is None:
        return ""
    files = [*filter(None, [resolved_program(config)]), *_scripts(config)]
    versions = [(file, _version(Path(file))) for file in files]
    text = json.dumps([config.command, config.args, versions])
    return hashlib.sha256(text.encode()).hexdigest()


def _scripts(config: ServerConfig) -> Iterator[str]:
    """The files among its arguments that are programs: absolute, or in its folder or one that the
    arguments name, like `uv --directory FOLDER run server.py`."""
    folders = [config.cwd or "", *(arg for arg in config.args if Path(arg).is_absolute())]
    for arg in config.args:
        if Path(arg).suffix.lower() in _CODE:
            yield from {str(Path(folder, arg)) for folder in folders}


def _version(path: Path) -> tuple[int, ...] | None:
    try:
        return file_version(path)
    except (OSError, ValueError):
        return None
