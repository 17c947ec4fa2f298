"""The folder a client says it works in, checked before anything is started there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from router.wire.mcp import FOLDER_HEADER, INVALID_PARAMS, MCPError


async def checked_folder(value: str) -> str:
    """The folder that the header `value` names. Raises `MCPError` if there is none."""
    path = folder_path(value)
    if path is None or not await is_folder(path):
        raise MCPError(
            INVALID_PARAMS, f"{FOLDER_HEADER} must name a folder that exists, not: {value}"
        )
    return str(path)


async def is_folder(path: Path) -> bool:
    """False also for a path that is too long, or that we may not read."""
    try:
        return await asyncio.to_thread(path.is_dir)
    except OSError:
        return False


def folder_path(value: str) -> Path | None:
    """The path that `value`, an absolute path or a file URI, names; `None` for anything else."""
    try:
        if value.startswith("file:"):
            parts = urlsplit(value)
            value = url2pathname(parts.path) if parts.netloc in ("", "localhost") else ""
        else:
            value = unquote(value)
        path = Path(value)
        return path if path.is_absolute() and "\0" not in value else None
    except ValueError:
        return None
