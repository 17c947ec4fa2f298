"""Servers from a file another application wrote."""

from __future__ import annotations

from pathlib import Path

from gui.server.pasting import parse_pasted
from gui.translating import tr
from router.errors import InvalidInput
from router.settings import ServerConfig

MAX_BYTES = 4_000_000


def read_servers(path: Path) -> dict[str, ServerConfig]:
    """The servers the JSON file at `path` describes, by name; raises InvalidInput."""
    try:
        text = _read(path)
        if not text.lstrip().startswith("{"):
            raise InvalidInput(tr("This is not a JSON object with servers in it."))
        return parse_pasted(text)
    except (InvalidInput, OSError, UnicodeDecodeError) as error:
        place = tr("{path} can’t be imported").format(path=path)
        raise InvalidInput(f"{place}: {error}") from error


def _read(path: Path) -> str:
    if path.stat().st_size > MAX_BYTES:
        raise InvalidInput(tr("It is too large to be a list of servers."))
    return path.read_text(encoding="utf-8-sig")
