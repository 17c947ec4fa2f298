"""A text as lines that together are the text again, and new lines put among them."""

from __future__ import annotations

from collections.abc import Sequence


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def spliced(text: str, first: int, last: int, new: Sequence[str]) -> str:
    """`text` with `new` lines, without their ends, in place of those from `first` up to `last`."""
    newline, lines = newline_of(text), text.splitlines(keepends=True)
    before = "".join(lines[:first])
    if new and before and not before.endswith("\n"):
        before += newline
    return before + "".join(f"{line}{newline}" for line in new) + "".join(lines[last:])
