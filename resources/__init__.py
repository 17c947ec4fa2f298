"""Pictures and texts that ship with the application, read wherever it is installed or frozen."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def read_text(*path: str) -> str:
    """The text of the file at `path` inside this package."""
    return files(__name__).joinpath(*path).read_text(encoding="utf-8")


def read_bytes(*path: str) -> bytes:
    """The content of the file at `path` inside this package."""
    return files(__name__).joinpath(*path).read_bytes()


def folder(name: str) -> Path:
    """Where the files of the folder `name` of this package are."""
    return Path(str(files(__name__).joinpath(name)))
