"""What the router and its vetting worker write to each other.

A message is a line with the size of its body, then the body: a head in one line of JSON, and one
line for each tool.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any, BinaryIO

from router.domain.tool_lists import (
    ListLimits,
    PreparedListing,
    ServerListing,
    cuts_from_json,
    cuts_to_json,
    head_to_json,
    listing_from_json,
    tool_from_json,
    tool_to_json,
)

_TOOLS_AT_ONCE = 64


def write_message(stream: BinaryIO, body: bytes) -> None:
    stream.write(b"%d\n" % len(body))
    stream.write(body)
    stream.flush()


def read_message(stream: BinaryIO) -> bytes | None:
    """The next body, or None if the stream ends before a whole one. Raises `ValueError` for what
    is not a message."""
    if not (line := stream.readline()):
        return None
    body = stream.read(size := int(line))
    return body if len(body) == size else None


def encode_job(listing: ServerListing, limits: ListLimits) -> bytes:
    rest = {each.name: getattr(listing, each.name) for each in fields(listing)}
    tools, rest["cuts"] = rest.pop("tools"), cuts_to_json(listing.cuts)
    return _lines({"limits": asdict(limits), "listing": rest}, tools)


def decode_job(body: bytes) -> tuple[ServerListing, ListLimits]:
    head, tools = _parsed(body)
    rest: dict[str, Any] = head["listing"]
    rest["cuts"] = cuts_from_json(rest["cuts"])
    return ServerListing(tuple(tools), **rest), ListLimits(**head["limits"])


def encode_prepared(listing: PreparedListing) -> bytes:
    return _lines(head_to_json(listing), map(tool_to_json, listing.tools))


def decode_prepared(body: bytes) -> PreparedListing:
    """Raises `ValueError`, `TypeError` or `KeyError` for what is not a listing."""
    head, tools = _parsed(body)
    return listing_from_json(head, tuple(map(tool_from_json, tools)))


def _lines(head: Any, tools: Iterable[Any]) -> bytes:
    return "\n".join(json.dumps(each) for each in (head, *tools)).encode()


def _parsed(body: bytes) -> tuple[Any, list[Any]]:
    head, *lines = body.split(b"\n")
    tools: list[Any] = []
    # Some at a time, because equal keys in one text are one string, and decoding holds the GIL.
    for start in range(0, len(lines), _TOOLS_AT_ONCE):
        tools += json.loads(b"[%b]" % b",".join(lines[start : start + _TOOLS_AT_ONCE]))
    return json.loads(head), tools
