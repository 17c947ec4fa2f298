"""Results too long for a conversation: the first part is shown, the rest is kept and read in pages.

Kept in memory, for a while, and only for the principal who made the call. Images and audio pass as
they are: clients don't show them as text, and a page of one would be useless.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import resources
from router.catalog.tool_definition import compact_json, estimated_json_length, read_tool
from router.domain.clients import Principal
from router.domain.errors import InvalidInput, NotFound
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject, as_array, as_integer, as_object
from router.domain.result import Ok, ToolResult, failed
from router.domain.tools import Tool
from router.gateway.tools.tool_results import text_block

READ_RESULT: Tool = read_tool(
    ServerId("toolbooth"), "Toolbooth", json.loads(resources.read_text("tools", "read_result.json"))
)
_MEDIA = ("image", "audio")
_DEFAULT_PAGE_KB = 64
_KB = 1024
_FRAME = 128
"""How many characters around a block's text don't count."""
_KEPT_S = 600.0
_MAX_KEPT = 64
_MAX_KEPT_BYTES = 32 * 1024 * 1024
_LARGE = 256 * 1024
_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class _Kept:
    owner: object
    """The identity of the principal who made the call."""
    text: str
    until: float

    @property
    def size(self) -> int:
        return sys.getsizeof(self.text)


@dataclass(slots=True)
class _Selection:
    """The parts of a result's content that are shown, and those that are kept for later."""

    room: int
    shown: list[object] = field(default_factory=list[object])
    left: list[str] = field(default_factory=list[str])
    offset: int = 0
    """Where to read on in `left`."""

    def take(self, block: object) -> None:
        content = as_object(block)
        if content.get("type") in _MEDIA:
            self.shown.append(block)
            return
        size = estimated_json_length(block, self.room + _FRAME)
        if size <= self.room + _FRAME:
            self.shown.append(block)
            self.room -= size
        else:
            self._leave(block, content.get("text"))

    def _leave(self, block: object, text: object) -> None:
        if not isinstance(text, str):
            self.left.append(compact_json(block))
            return
        if self.room > 0:
            self.shown.append(text_block(text[: self.room]))
            self.offset = 0 if self.left else self.room
        self.left.append(text)
        self.room = -_FRAME  # what comes after it is not shown before it


@dataclass(slots=True)
class ResultPages:
    """Cuts results, and returns the rest in pages."""

    _limit_kb: Callable[[], int]
    """0: never cut."""
    _clock: Callable[[], float] = time.monotonic
    _kept: dict[str, _Kept] = field(default_factory=dict[str, _Kept])

    async def shorten(self, principal: Principal, result: JsonObject) -> JsonObject:
        """`result` itself if it is short enough, else its first part and how to read on."""
        limit = self._limit_kb() * _KB
        if not limit:
            return result
        selection = _Selection(limit)
        for block in _blocks(result.get("content")):
            selection.take(block)
        structured = result.get("structuredContent")
        leave_out = estimated_json_length(structured, limit) > limit
        if not selection.left and not leave_out:
            return result
        shortened = {**result, "content": selection.shown}
        if selection.left:
            text = "\n".join(selection.left)
            selection.shown.append(self._keep(principal, text, "", selection.offset))
        if leave_out:
            del shortened["structuredContent"]
            text = await _as_json(structured)
            selection.shown.append(self._keep(principal, text, "structured content, "))
        return shortened

    def read_page(self, principal: Principal, arguments: JsonObject) -> ToolResult[JsonObject]:
        """The result of the tool `READ_RESULT`."""
        try:
            return Ok(self.read(principal, arguments))
        except InvalidInput as error:
            return failed(error)

    def read(self, principal: Principal, arguments: JsonObject) -> JsonObject:
        """The page of a kept text at an offset. Raises `InvalidInput`."""
        handle, offset = arguments.get("handle"), as_integer(arguments.get("offset", 0))
        kept = self._find(principal, handle)
        if offset is None or offset < 0:
            raise InvalidInput('"offset" must be a whole number from 0.')
        if offset >= len(kept.text):
            raise InvalidInput(f"The result ends after {len(kept.text):,} characters.")
        end = offset + (self._limit_kb() or _DEFAULT_PAGE_KB) * _KB
        blocks = [text_block(kept.text[offset:end])]
        if end < len(kept.text):
            blocks.append(_note(str(handle), end, len(kept.text)))
        return {"content": blocks}

    def _find(self, principal: Principal, handle: object) -> _Kept:
        self._drop_old()
        kept = self._kept.get(handle) if isinstance(handle, str) else None
        if kept is None or kept.owner != principal.identity:
            raise NotFound(
                "There is no result with this handle, or it is no longer kept.",
                "Run the tool again to get a new one.",
            )
        return kept

    def _keep(self, principal: Principal, text: str, what: str, offset: int = 0) -> JsonObject:
        """Keep `text`, of which the first `offset` characters are shown; returns the note on it."""
        handle = secrets.token_urlsafe(12)
        self._kept[handle] = _Kept(principal.identity, text, self._clock() + _KEPT_S)
        self._drop_old()
        return _note(handle, offset, len(text), what)

    def _drop_old(self) -> None:
        """Drop those whose time is over, then the oldest while there are too many; the last one
        stays, whatever its size."""
        now = self._clock()
        size = sum(kept.size for kept in self._kept.values())
        for handle, kept in list(self._kept.items()):
            too_many = len(self._kept) > _MAX_KEPT or size > _MAX_KEPT_BYTES
            if kept.until > now and (not too_many or len(self._kept) == 1):
                return
            size -= kept.size
            del self._kept[handle]


def _blocks(content: object) -> list[object]:
    """The content's blocks; some servers send a text, or one block, instead of a list."""
    if isinstance(content, str):
        return [text_block(content)]
    return [content] if isinstance(content, dict) else as_array(content)


async def _as_json(value: object) -> str:
    """Large values are encoded on a thread and in pieces, because encoding holds the GIL."""
    if estimated_json_length(value, _LARGE) <= _LARGE:
        return compact_json(value)
    return await asyncio.to_thread(lambda: "".join(_encoder.iterencode(value)))


def _note(handle: str, offset: int, length: int, what: str = "") -> JsonObject:
    arguments = compact_json({"handle": handle, "offset": offset})
    return text_block(
        f"[Cut by Toolbooth: {what}{offset:,} of {length:,} characters shown. Read on with "
        f'tool_execute, toolKey "{READ_RESULT.key}", arguments {arguments}.]'
    )
