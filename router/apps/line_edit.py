"""Edits of a text by its lines, shared by the editors of JSON, TOML and YAML."""

from __future__ import annotations

from collections.abc import Sequence

MAX_DEPTH = 200
TOO_DEEP = "it is nested too deeply"
UNSAFE_EDIT = "Toolbooth can't edit this format safely; edit it manually"


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def replace_lines(text: str, first: int, end: int, new: Sequence[str]) -> str:
    """`text` with the lines from `first` up to `end` replaced by `new`, which have no line ends."""
    newline, lines = newline_of(text), text.splitlines(keepends=True)
    before = "".join(lines[:first])
    if new and before and not before.endswith("\n"):
        before += newline
    return before + "".join(f"{line}{newline}" for line in new) + "".join(lines[end:])
