"""Requests as a fuzzer makes them: sometimes no JSON at all, sometimes nearly right."""

from __future__ import annotations

import json
import random
from typing import Any

import httpx2

from tests.running import MODERN, Client

LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
WORDS: list[Any] = ["tools/call", "initialize", "", None, True, -1, 1e308, "\ud800", "a" * 5000]
KEYS = ("jsonrpc", "id", "method", "params", "Method", "_meta", "name", "arguments", "result")
HEADERS = (
    *("MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"),
    *("Accept", "Toolbooth-Folder", "Toolbooth-Project"),
)
VALUES = ("", MODERN, "x", "2025-06-18", "tools/call", "\x80")
PATHS = ("", "", "/w/personal", "/w/%00", "/p/x", "/../etc", "?a=b", "/w/personal/p/x")
METHODS = ("POST", "POST", "POST", "GET", "DELETE", "PUT", "OPTIONS")


def malformed(chance: random.Random) -> bytes:
    def value(depth: int) -> Any:
        if depth and chance.random() < 0.4:
            return {chance.choice(KEYS): value(depth - 1) for _ in range(chance.randrange(5))}
        return chance.choice(WORDS)

    if chance.random() < 0.3:
        return chance.randbytes(chance.randrange(200))
    message = {**LIST, **{chance.choice(KEYS): value(3) for _ in range(chance.randrange(4))}}
    body = json.dumps(message).encode()
    return body[: chance.randrange(len(body))] if chance.random() < 0.2 else body


def odd_headers(chance: random.Random) -> dict[str, bytes]:
    named = [name for name in HEADERS if chance.random() < 0.3]
    return {name: chance.choice(VALUES).encode("latin-1") for name in named}


async def fuzz(client: Client, requests: int, seed: int) -> list[int]:
    """The statuses of the answers; 0 for a request that got none."""
    chance = random.Random(seed)
    return [await _status(client, chance) for _ in range(requests)]


async def _status(client: Client, chance: random.Random) -> int:
    method = chance.choice(METHODS)
    headers: dict[str, Any] = {**client.headers(), **odd_headers(chance)}
    content = malformed(chance) if method == "POST" else None
    address = client.url + chance.choice(PATHS)
    try:
        async with client.http.stream(
            method, address, headers=headers, content=content
        ) as response:
            return response.status_code
    except httpx2.TransportError:
        return 0
