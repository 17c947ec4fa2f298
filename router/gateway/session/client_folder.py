"""The folder a client works in, as it says it itself: checked before anything is started there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import mcp_types as types
from mcp.shared.exceptions import MCPError

from router.wire.mcp import FOLDER_HEADER


async def checked_folder(said: str) -> str:
    """The folder a client says it works in. Raises `MCPError` if there is none."""
    path = folder_path(said)
    if path is None or not await is_folder(path):
        raise MCPError(
            types.INVALID_PARAMS, f"{FOLDER_HEADER} must name a folder that exists, not: {said}"
        )
    return str(path)


async def is_folder(path: Path) -> bool:
    """One whose name is too long, or that we may not look at, is none to us."""
    try:
        return await asyncio.to_thread(path.is_dir)
    except OSError:
        return False


def folder_path(said: str) -> Path | None:
    """An absolute path, or a file address, as a path; nothing else."""
    try:
        if said.startswith("file:"):
            parts = urlsplit(said)
            said = url2pathname(parts.path) if parts.netloc in ("", "localhost") else ""
        else:
            said = unquote(said)
        path = Path(said)
        return path if path.is_absolute() and "\0" not in said else None
    except ValueError:
        return None
