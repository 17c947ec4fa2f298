"""A response message as parts of bytes. That of a large result is encoded on a thread, a slice at a
time, because encoding holds the GIL; each part is released once it is sent."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from typing import TypeAlias, cast

from router.catalog.tool_definition import estimated_json_length
from router.domain.json_values import JsonObject
from router.wire.jsonrpc import RequestId, Result, encode, encode_result

MessageParts: TypeAlias = deque[bytes]

_LARGE = 1024 * 1024
_SLICE = 256 * 1024


async def result_message(request_id: RequestId, result: Result) -> MessageParts:
    if isinstance(result, bytes) or estimated_json_length(result, _LARGE) <= _LARGE:
        return deque([encode_result(request_id, result)])
    return await asyncio.to_thread(_encode_large, request_id, result)


def _encode_large(request_id: RequestId, result: JsonObject) -> MessageParts:
    parts = deque([b'{"jsonrpc":"2.0","id":%b,"result":' % encode(request_id)])
    parts.extend(_slices(result))
    parts.append(b"}")
    return parts


def _slices(value: object) -> Iterator[bytes]:
    if estimated_json_length(value, _SLICE) <= _SLICE:
        yield encode(value)
    elif isinstance(value, str):
        yield b'"'
        for start in range(0, len(value), _SLICE):
            yield encode(value[start : start + _SLICE])[1:-1]
        yield b'"'
    elif isinstance(value, dict):
        separator = b"{"
        for key, each in cast(JsonObject, value).items():
            yield separator + encode(key) + b":"
            yield from _slices(each)
            separator = b","
        yield b"}"
    else:
        separator = b"["
        for each in cast("list[object]", value):
            yield separator
            yield from _slices(each)
            separator = b","
        yield b"]"
