"""The request of a second start of the window, which `router.cli.window` sends."""

from __future__ import annotations

from router.commands.command import Handler
from router.commands.context import Context
from router.domain.json_values import JsonObject, as_array


async def _open(context: Context) -> JsonObject:
    """`opened` is false if the running instance has no window."""
    words = [str(word) for word in as_array(context.get("words"))]
    return {"opened": context.router.request_window(words)}


HANDLERS: dict[str, Handler] = {"window open": _open}
