"""Requests of a fuzzer: sometimes malformed JSON, sometimes nearly valid."""

from __future__ import annotations

import json
import random
from typing import Any

import httpx2

from tests.support.running_router import MODERN, Client

LIST: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
WORDS: list[Any] = ["tools/call", "initialize", "", None, True, -1, 1e308, "\ud800", "a" * 5000]
KEYS = ("jsonrpc", "id", "method", "params", "Method", "_meta", "name", "arguments", "result")
HEADERS = (
    *("MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"),
    *("Accept", "Toolbooth-Folder", "Toolbooth-Project"),
)
VALUES = ("", MODERN, "x", "2025-06-18", "tools/call", "\x80")
PATHS = ("", "", "/w/personal", "/w/%00", "/p/x", "/../etc", "?a=b", "/w/personal/p/x")
ODD: list[Any] = [*WORDS, [], {}, [{}], "tool_execute", "tool_discovery", "test:echo"]
REQUESTS = (
    *("initialize", "ping", "tools/list", "tools/call", "prompts/list", "prompts/get"),
    *("resources/list", "resources/templates/list", "resources/read", "resources/subscribe"),
    *("resources/unsubscribe", "completion/complete", "logging/setLevel", "server/discover"),
    *("notifications/cancelled", "notifications/progress", "notifications/roots/list_changed"),
)
PARAMS = (
    *("name", "arguments", "uri", "ref", "argument", "level", "cursor", "requestId", "reason"),
    *("_meta", "progressToken", "capabilities", "clientInfo", "protocolVersion", "requestState"),
    *("inputResponses", "query", "toolKey", "maxResults", "context", "toolbooth/token"),
)
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


def nearly_valid(chance: random.Random) -> dict[str, Any]:
    """A message of the protocol whose parameters have wrong types."""

    def value(depth: int) -> Any:
        if depth and chance.random() < 0.5:
            return {chance.choice(PARAMS): value(depth - 1) for _ in range(chance.randrange(5))}
        return chance.choice(ODD)

    method = chance.choice(REQUESTS)
    params = {chance.choice(PARAMS): value(3) for _ in range(chance.randrange(5))}
    if chance.random() < 0.5:
        params = {**params, "name": chance.choice(["tool_execute", "tool_discovery"])}
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return message if method.startswith("notifications/") else {**message, "id": 1}


async def fuzz(client: Client, requests: int, seed: int) -> list[int]:
    """The statuses of the responses; 0 for a request without one."""
    chance = random.Random(seed)
    _, session = await client.open_session("2025-11-25")
    headers = client.headers(**{name.replace("_", "-"): session[name] for name in session})
    return [
        await (
            _status(client, "POST", "", headers, json.dumps(nearly_valid(chance)).encode())
            if chance.random() < 0.5
            else _odd(client, chance)
        )
        for _ in range(requests)
    ]


async def _odd(client: Client, chance: random.Random) -> int:
    method = chance.choice(METHODS)
    headers: dict[str, Any] = {**client.headers(), **odd_headers(chance)}
    content = malformed(chance) if method == "POST" else None
    return await _status(client, method, chance.choice(PATHS), headers, content)


async def _status(
    client: Client, method: str, path: str, headers: dict[str, Any], content: bytes | None
) -> int:
    address = client.url + path
    try:
        async with client.http.stream(
            method, address, headers=headers, content=content
        ) as response:
            return response.status_code
    except httpx2.TransportError:
        return 0
