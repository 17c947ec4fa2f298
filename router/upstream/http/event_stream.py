"""The events in a reply, a little at a time and within limits, and the messages in their data."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from http import HTTPStatus

from router.domain.json_values import JsonObject
from router.upstream.errors import bad_protocol, failed
from router.upstream.http.http_client import Reply
from router.upstream.limits import Limits
from router.upstream.message_decoder import LIGHT_BYTES, decode, decode_large
from router.wire.sse import ServerSentEvent, SseParser

EVENTS = "text/event-stream"
JSON = "application/json"
_PIECE_BYTES = 16 * 1024


def is_stream(reply: Reply) -> bool:
    return reply.status == HTTPStatus.OK and reply.media_type == EVENTS


async def events_of(
    reply: Reply, parser: SseParser, limits: Limits
) -> AsyncGenerator[ServerSentEvent]:
    async for chunk in reply:
        for start in range(0, len(chunk), _PIECE_BYTES):
            if start:
                await asyncio.sleep(0)  # there may be thousands of events in it
            for event in parser.feed(chunk[start : start + _PIECE_BYTES]):
                yield event
        if parser.pending > limits.message_bytes:
            raise failed(bad_protocol(f"an event of more than {limits.message_bytes:,} bytes"))


async def decoded(data: bytes, limits: Limits) -> list[JsonObject]:
    """The messages in `data`. Raises `NotAMessage`."""
    if len(data) <= LIGHT_BYTES:
        return decode(data, limits)
    return await decode_large(data, limits)
