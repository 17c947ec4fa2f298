"""`toolbooth://` links, as the command line knows them: loads nothing."""

from __future__ import annotations

SCHEME = "toolbooth"


def is_own_link(word: str) -> bool:
    return word.lower().startswith(f"{SCHEME}:")
