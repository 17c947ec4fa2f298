"""Text from a server to messages, within limits and without holding up the loop.

A small message is decoded at once, by the standard library. A large one is decoded on a thread by a
decoder in Python, which takes longer but, unlike the one in C, lets the loop run meanwhile, and
counts as it goes. Integers of more digits than Python reads by itself (4300) are refused in both.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from router.domain.json_values import JsonObject
from router.runtime.gc import no_collection
from router.upstream.limits import LIMITS, Limits

LIGHT_BYTES = 64 * 1024
"""Up to here a message is decoded in less than 30 ms, whatever is in it."""

_thread = ThreadPoolExecutor(1, thread_name_prefix="decode")
_STRIDE = 500
_BREATH_S = 0.0001
"""After every stride others may go on: left to itself Python lets them wait 5 ms each time."""
_OPENINGS = (b"{", b"[")
_decoder = json.JSONDecoder()
_leaf: Callable[[str, int], tuple[Any, int]] = cast(Any, _decoder).scan_once
_HALF_A_PAIR = re.compile(
    r"\\u[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..\\u[dD])[c-fC-F])", re.DOTALL
)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89abAB]..|u[dD][c-fC-F]..)|.)", re.DOTALL
)
_space = re.compile(r"[ \t\n\r]*").match


class NotAMessage(ValueError):
    """Text from a server that is no JSON object, or more of one than we take."""


def decode(text: bytes, limits: Limits = LIMITS) -> list[JsonObject]:
    """The messages in `text`: one, or several where the server sends a batch."""
    if text.lstrip()[:1] not in _OPENINGS:  # noise, of which there may be a flood
        raise NotAMessage("not a JSON object")
    try:
        value = _decoder.decode(_characters(text))
    except (ValueError, RecursionError) as error:
        raise NotAMessage(_words(error)) from None
    if text.count(b"[") + text.count(b"{") > limits.depth and _is_deeper(value, limits.depth):
        raise NotAMessage(_too_deep(limits))
    return _messages(value, limits)


async def decode_large(text: bytes, limits: Limits = LIMITS) -> list[JsonObject]:
    """As `decode`, on a thread."""
    run = asyncio.get_running_loop().run_in_executor
    return await run(_thread, _decode_patiently, text, limits)


def _decode_patiently(text: bytes, limits: Limits) -> list[JsonObject]:
    try:
        with no_collection():
            value = _PatientDecoder(_characters(text), limits).decode()
        return _messages(value, limits)
    except (ValueError, RecursionError) as error:
        raise NotAMessage(_words(error)) from None


def _characters(text: bytes) -> str:
    """One broken character must not cost the whole message: bad UTF-8 is replaced, and so is half
    of a surrogate pair, which nobody could write out again."""
    characters = text.decode("utf-8", "replace")
    if not _has_half_a_pair(characters):
        return characters
    return _ESCAPE.sub(lambda found: r"\ufffd" if found[1] else found[0], characters)


def _has_half_a_pair(characters: str) -> bool:
    """Looks in pieces, because a search keeps the interpreter to itself too."""
    if r"\ud" not in characters and r"\uD" not in characters:
        return False
    pieces = range(0, len(characters), LIGHT_BYTES)
    return any(_HALF_A_PAIR.search(characters, start, start + LIGHT_BYTES) for start in pieces)


def _messages(value: object, limits: Limits) -> list[JsonObject]:
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    if len(items) > limits.batch:
        raise NotAMessage(f"a batch of more than {limits.batch:,} messages")
    for item in items:
        if not isinstance(item, dict):
            raise NotAMessage("not a JSON object")
    return cast("list[JsonObject]", items)


def _words(error: Exception) -> str:
    """What is wrong, never with the text itself."""
    if isinstance(error, RecursionError):
        return _too_deep(LIMITS)
    return str(error).partition(";")[0]


def _too_deep(limits: Limits) -> str:
    return f"nested more than {limits.depth} levels deep"


def _is_deeper(value: object, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [child for parent in level for child in _containers(parent)]
        if not level:
            return False
    return True


def _containers(value: object) -> list[object]:
    items = cast("dict[str, object] | list[object]", value)
    children = items.values() if isinstance(items, dict) else items
    return [child for child in children if isinstance(child, dict | list)]


class _PatientDecoder:
    """Arrays and objects in Python, all else by the C decoder's scanner."""

    def __init__(self, text: str, limits: Limits) -> None:
        self._text = text
        self._limits = limits
        self._left = limits.values
        self._keys: dict[str, str] = {}
        """Each key once, however many objects have it."""

    def decode(self) -> object:
        try:
            value, end = self._value(self._skip(0), self._limits.depth)
        except StopIteration as stop:
            raise self._wrong(stop.value) from None
        if self._skip(end) != len(self._text):
            raise self._wrong(end)
        return value

    def _value(self, at: int, room: int) -> tuple[Any, int]:
        self._left -= 1
        if not self._left % _STRIDE:
            time.sleep(_BREATH_S)
        if self._left < 0:
            raise ValueError(f"more than {self._limits.values:,} values")
        first = self._text[at : at + 1]
        if first not in ("[", "{"):
            return _leaf(self._text, at)
        if not room:
            raise ValueError(_too_deep(self._limits))
        return self._array(at + 1, room - 1) if first == "[" else self._object(at + 1, room - 1)

    def _array(self, at: int, room: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        at = self._skip(at)
        if self._text.startswith("]", at):
            return items, at + 1
        while True:
            item, at = self._value(at, room)
            items.append(item)
            at, ended = self._next(at, "]")
            if ended:
                return items, at

    def _object(self, at: int, room: int) -> tuple[JsonObject, int]:
        members: JsonObject = {}
        at = self._skip(at)
        if self._text.startswith("}", at):
            return members, at + 1
        while True:
            if not self._text.startswith('"', at):
                raise self._wrong(at)
            key, at = _leaf(self._text, at)
            at = self._skip(at)
            if not self._text.startswith(":", at):
                raise self._wrong(at)
            key = self._keys.setdefault(key, key)
            members[key], at = self._value(self._skip(at + 1), room)
            at, ended = self._next(at, "}")
            if ended:
                return members, at

    def _next(self, at: int, end: str) -> tuple[int, bool]:
        """Past the comma, or past the end."""
        at = self._skip(at)
        found = self._text[at : at + 1]
        if found == end:
            return at + 1, True
        if found != ",":
            raise self._wrong(at)
        return self._skip(at + 1), False

    def _skip(self, at: int) -> int:
        """Past white space."""
        if self._text[at : at + 1] > " ":
            return at
        found = _space(self._text, at)
        return found.end() if found else at

    def _wrong(self, at: int) -> ValueError:
        return ValueError(f"no JSON at character {at:,}")
