"""The two fixed tools: their definitions (`resources/tools/`), and the arguments they take.

The definitions are the same bytes on every call, so that a client's prompt cache holds, and as
short as they can be: they are part of every conversation. So there is no output schema either.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import resources
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject, as_integer
from router.domain.servers import ServerState, ServerStatus
from router.gateway.tools.arguments import decoded_text, own_arguments
from router.gateway.tools.progressive import EXECUTE_TOOL

DISCOVERY = "tool_discovery"
EXECUTE = "tool_execute"
MAX_RESULTS = 100
MAX_QUERIES = 20
MAX_QUERY = 1000
MAX_CONTEXT = 4000
BRIEF = "brief"
DETAILS = (BRIEF, "full")
_ALWAYS_LOAD = {"anthropic/alwaysLoad": True}

TOOLS: tuple[JsonObject, ...] = tuple(json.loads(resources.read_text("tools", "meta_tools.json")))
LISTING: JsonObject = {"tools": list(TOOLS)}
SCRIPT_SEARCH: JsonObject = json.loads(resources.read_text("tools", "script_search.json"))
"""`tool_discovery` beside the five tools of progressive discovery, where scripts call tools."""
LISTING_WITH_EXECUTE: JsonObject = {"tools": [*TOOLS, {**EXECUTE_TOOL, "_meta": _ALWAYS_LOAD}]}


@dataclass(frozen=True, slots=True)
class DiscoveryArguments:
    """The checked arguments of a `tool_discovery` call."""

    queries: tuple[str, ...]
    max_results: int
    context: str = ""
    full: bool = False
    """Whether results have the tools' whole definitions."""

    @classmethod
    def read(cls, arguments: JsonObject, default_results: int) -> DiscoveryArguments:
        given = arguments.get("maxResults")
        limit = default_results if given is None else as_integer(given)
        if limit is None or not 1 <= limit <= MAX_RESULTS:
            raise InvalidInput(f'"maxResults" must be a whole number from 1 to {MAX_RESULTS}.')
        context = arguments.get("context") or ""
        if not isinstance(context, str):
            raise InvalidInput('"context" must be a string.')
        detail = arguments.get("detail") or BRIEF
        if detail not in DETAILS:
            raise InvalidInput(f'"detail" must be one of: {", ".join(DETAILS)}.')
        queries = _queries(arguments.get("query"))
        return cls(queries, limit, context[:MAX_CONTEXT], full=detail != BRIEF)


def _queries(value: object) -> tuple[str, ...]:
    # Models often send one string where a list is expected; the meaning is clear.
    texts = decoded_text(value)
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not texts:
        raise InvalidInput('"query" must be a list of strings.', 'For example ["create an issue"].')
    items = cast(list[object], texts)
    if len(items) > MAX_QUERIES or not all(isinstance(text, str) for text in items):
        raise InvalidInput(f'"query" must be a list of at most {MAX_QUERIES} strings.')
    queries = tuple(str(text) for text in items)
    if any(len(query) > MAX_QUERY for query in queries):
        raise InvalidInput(f"A query may have at most {MAX_QUERY} characters.")
    return queries


def readiness(status: ServerStatus, now: datetime) -> str:
    """Whether a call would work at once: `ready`, `cached 3 d ago`, `needs sign-in`, ..."""
    match status.state:
        case ServerState.READY:
            return "ready"
        case ServerState.NEEDS_SIGN_IN:
            return "needs sign-in"
        case ServerState.NEEDS_CONSENT:
            return "needs approval by the user"
        case _:
            cached = f"cached {_age(now, status.listed_at)}" if status.listed_at else "not listed"
            return f"{cached}, last start failed" if status.failure else cached


def _age(now: datetime, then: datetime) -> str:
    seconds = max(0, int((now - then).total_seconds()))
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return "just now"


def execute_arguments(arguments: JsonObject) -> tuple[str, JsonObject]:
    """What names the tool, and the tool's own arguments, in a `tool_execute` call. Raises
    `InvalidInput`."""
    key = arguments.get("toolKey")
    if not isinstance(key, str) or not key.strip():
        raise InvalidInput('"toolKey" is required.', "A tool key looks like serverId:toolName.")
    return key, own_arguments(arguments, "arguments")
