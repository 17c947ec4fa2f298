"""Decodes messages from servers, within limits and without blocking the loop.

A small message is decoded at once by the standard library. A large one is decoded in a thread by a
decoder in Python, which is slower, but releases the GIL and counts values. Integers of more digits
than Python accepts (4300) are refused by both.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject, is_deeper
from router.runtime.garbage_collection import no_collection
from router.upstream.errors import bad_protocol
from router.upstream.limits import LIMITS, UpstreamLimits

SMALL_MESSAGE_BYTES = 64 * 1024
"""A message of this size is decoded in less than 30 ms, whatever its content."""

_thread = ThreadPoolExecutor(1, thread_name_prefix="decode")
_STRIDE = 500
_YIELD_S = 0.0001
"""Other threads run after every stride; Python's own switch interval is 5 ms."""
_OPENINGS = (b"{", b"[")
_decoder = json.JSONDecoder()
_leaf: Callable[[str, int], tuple[Any, int]] = cast(Any, _decoder).scan_once
_LONE_SURROGATE = re.compile(
    r"\\u[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..\\u[dD])[c-fC-F])", re.DOTALL
)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89abAB]..|u[dD][c-fC-F]..)|.)", re.DOTALL
)
_space = re.compile(r"[ \t\n\r]*").match


class InvalidMessage(ValueError):
    """Text from a server that is not a JSON object, or exceeds the limits."""

    @property
    def failure(self) -> Failure:
        return bad_protocol(f"an invalid message ({self})")


class MessageTooLarge(InvalidMessage):
    """A message that is larger than the settings allow."""

    def __init__(self, limits: UpstreamLimits, reason: str = "") -> None:
        super().__init__(reason or f"more than {limits.message_bytes:,} bytes")
        self._limits = limits

    @property
    def failure(self) -> Failure:
        return Failure(FailureKind.TOO_LARGE, self._limits.message_size, f"it has {self}")


def decode(text: bytes, limits: UpstreamLimits = LIMITS) -> list[JsonObject]:
    """The messages in `text`: one, or several where the server sends a batch."""
    if text.lstrip()[:1] not in _OPENINGS:  # other output, of which there may be a flood
        raise InvalidMessage("not a JSON object")
    try:
        value = _decoder.decode(_characters(text))
    except (ValueError, RecursionError) as error:
        raise InvalidMessage(_reason(error)) from None
    if text.count(b"[") + text.count(b"{") > limits.depth and is_deeper(value, limits.depth):
        raise InvalidMessage(_too_deep(limits))
    return _messages(value, limits)


async def decode_any(text: bytes, limits: UpstreamLimits = LIMITS) -> list[JsonObject]:
    """As `decode`, in a thread if `text` is large."""
    if len(text) <= SMALL_MESSAGE_BYTES:
        return decode(text, limits)
    return await decode_large(text, limits)


async def decode_large(text: bytes, limits: UpstreamLimits = LIMITS) -> list[JsonObject]:
    """As `decode`, in a thread. A caller that keeps no reference to `text` needs less memory."""
    taken = [text]
    del text
    run = asyncio.get_running_loop().run_in_executor
    return await run(_thread, _decode_cooperatively, taken, limits)


def _decode_cooperatively(taken: list[bytes], limits: UpstreamLimits) -> list[JsonObject]:
    """Takes the text out of `taken`, so that it is released once its characters are known."""
    try:
        with no_collection():
            value = _CooperativeDecoder(_characters(taken.pop()), limits).decode()
        return _messages(value, limits)
    except InvalidMessage:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidMessage(_reason(error)) from None


def _characters(text: bytes) -> str:
    """One invalid character must not cost the whole message: invalid UTF-8 is replaced, and so are
    lone surrogates, which can't be encoded again."""
    characters = text.decode("utf-8", "replace")
    if not _has_lone_surrogate(characters):
        return characters
    return _ESCAPE.sub(lambda found: r"\ufffd" if found[1] else found[0], characters)


def _has_lone_surrogate(characters: str) -> bool:
    """Searches in pieces, because a search holds the GIL too."""
    if r"\ud" not in characters and r"\uD" not in characters:
        return False
    pieces = range(0, len(characters), SMALL_MESSAGE_BYTES)
    return any(
        _LONE_SURROGATE.search(characters, start, start + SMALL_MESSAGE_BYTES) for start in pieces
    )


def _messages(value: object, limits: UpstreamLimits) -> list[JsonObject]:
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    if len(items) > limits.batch:
        raise InvalidMessage(f"a batch of more than {limits.batch:,} messages")
    for item in items:
        if not isinstance(item, dict):
            raise InvalidMessage("not a JSON object")
    return cast("list[JsonObject]", items)


def _reason(error: Exception) -> str:
    """The error, without quoting the text."""
    if isinstance(error, RecursionError):
        return _too_deep(LIMITS)
    return str(error).partition(";")[0]


def _too_deep(limits: UpstreamLimits) -> str:
    return f"nested more than {limits.depth} levels deep"


class _CooperativeDecoder:
    """Decodes arrays and objects in Python, all else with the scanner of the C decoder."""

    def __init__(self, text: str, limits: UpstreamLimits) -> None:
        self._text = text
        self._limits = limits
        self._values_left = limits.values
        self._keys: dict[str, str] = {}
        """Interned keys: many objects have the same ones."""

    def decode(self) -> object:
        try:
            value, end = self._value(self._skip(0), self._limits.depth)
        except StopIteration as stop:
            raise self._error(stop.value) from None
        if self._skip(end) != len(self._text):
            raise self._error(end)
        return value

    def _value(self, at: int, levels: int) -> tuple[Any, int]:
        """The value at `at`, with at most so many `levels` of nesting, and its end."""
        self._values_left -= 1
        if not self._values_left % _STRIDE:
            time.sleep(_YIELD_S)
        if self._values_left < 0:
            raise MessageTooLarge(self._limits, f"more than {self._limits.values:,} values")
        first = self._text[at : at + 1]
        if first not in ("[", "{"):
            return _leaf(self._text, at)
        if not levels:
            raise ValueError(_too_deep(self._limits))
        container = self._array if first == "[" else self._object
        return container(at + 1, levels - 1)

    def _array(self, at: int, levels: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        at = self._skip(at)
        if self._text.startswith("]", at):
            return items, at + 1
        while True:
            item, at = self._value(at, levels)
            items.append(item)
            at, ended = self._next(at, "]")
            if ended:
                return items, at

    def _object(self, at: int, levels: int) -> tuple[JsonObject, int]:
        members: JsonObject = {}
        at = self._skip(at)
        if self._text.startswith("}", at):
            return members, at + 1
        while True:
            if not self._text.startswith('"', at):
                raise self._error(at)
            key, at = _leaf(self._text, at)
            at = self._skip(at)
            if not self._text.startswith(":", at):
                raise self._error(at)
            key = self._keys.setdefault(key, key)
            members[key], at = self._value(self._skip(at + 1), levels)
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
            raise self._error(at)
        return self._skip(at + 1), False

    def _skip(self, at: int) -> int:
        """Past white space."""
        if self._text[at : at + 1] > " ":
            return at
        found = _space(self._text, at)
        return found.end() if found else at

    def _error(self, at: int) -> ValueError:
        return ValueError(f"no JSON at character {at:,}")
