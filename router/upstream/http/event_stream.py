"""Reads the events of a response, a little at a time and within limits, and decodes their
messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from http import HTTPStatus

from router.domain.json_values import JsonObject
from router.upstream.errors import bad_protocol, failed
from router.upstream.http.http_client import HttpResponse
from router.upstream.limits import Limits
from router.upstream.message_decoder import SMALL_MESSAGE_BYTES, decode, decode_large
from router.wire.sse import ServerSentEvent, SseParser

EVENT_STREAM = "text/event-stream"
JSON = "application/json"
_CHUNK_BYTES = 16 * 1024


def is_stream(response: HttpResponse) -> bool:
    return response.status == HTTPStatus.OK and response.media_type == EVENT_STREAM


async def read_events(
    response: HttpResponse, parser: SseParser, limits: Limits
) -> AsyncGenerator[ServerSentEvent]:
    async for chunk in response:
        for start in range(0, len(chunk), _CHUNK_BYTES):
            if start:
                await asyncio.sleep(0)  # there may be thousands of events in it
            for event in parser.feed(chunk[start : start + _CHUNK_BYTES]):
                yield event
        if parser.pending > limits.message_bytes:
            raise failed(bad_protocol(f"an event of more than {limits.message_bytes:,} bytes"))


async def decode_messages(data: bytes, limits: Limits) -> list[JsonObject]:
    """The messages in `data`. Raises `InvalidMessage`."""
    if len(data) <= SMALL_MESSAGE_BYTES:
        return decode(data, limits)
    return await decode_large(data, limits)
