"""Pictures, texts and rules that ship with the application, installed or frozen."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
"""PyInstaller sets `__file__` too. `importlib.resources` takes longer to import than to use."""


def read_text(*path: str) -> str:
    """The text of the file at `path` inside this package."""
    return _HERE.joinpath(*path).read_text(encoding="utf-8")


def folder(name: str) -> Path:
    """Where the files of the folder `name` of this package are."""
    return _HERE / name
