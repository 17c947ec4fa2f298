"""The `cloud` strategy: a service the person chose ranks the tools.

Sends the queries and the names and descriptions of the tools that the caller may use, nothing
else: no schemas, no arguments, nothing of what tools returned. A service that fails is left alone
for a while, so that searches don't wait for it each time.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from router.domain.errors import SecretUnavailable, ToolboothError, said
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.search import SearchHit, SearchRequest
from router.domain.tools import Tool
from router.store.ports import SecretStore

SCHEMA_VERSION = 1
TOKEN_NAME = "cloud-search"  # noqa: S105 - where the keyring has it
TIMEOUT_S = 5.0
MAX_ANSWER_BYTES = 1 << 20
_FAILURES_TO_OPEN = 3
_REST_S = 60.0
_MAX_EXPLANATION = 200


class CloudFailed(ToolboothError):
    """The service did not answer, or not in a way that can be used."""


@dataclass(slots=True)
class Breaker:
    """Open after some failures in a row, for a while; then one try decides."""

    clock: Callable[[], float] = time.monotonic
    failures: int = 0
    until: float = 0.0

    def check(self) -> None:
        if self.failures >= _FAILURES_TO_OPEN and self.clock() < self.until:
            raise CloudFailed("it failed several times and is left alone for a minute")

    def note(self, *, failed: bool) -> None:
        self.failures = self.failures + 1 if failed else 0
        self.until = self.clock() + _REST_S


class CloudSearch:
    def __init__(
        self,
        address: Callable[[], str],
        secrets: SecretStore,
        breaker: Breaker | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """`address` says where the service is now; empty if none is set up."""
        self._address = address
        self._secrets = secrets
        self._breaker = breaker or Breaker()
        self._timeout_s = timeout_s
        self._known = ""

    async def search(self, tools: Sequence[Tool], request: SearchRequest) -> list[SearchHit]:
        """Raises `CloudFailed`, whatever goes wrong."""
        base = self._address().rstrip("/")
        if not base:
            raise CloudFailed("no address is set; toolbooth cloud set URL")
        check_address(base)
        if base != self._known:  # What another one did says nothing about this one.
            self._known = base
            self._breaker.note(failed=False)
        self._breaker.check()
        try:
            answer = await self._post(f"{base}/catalog/search", question(tools, request))
            hits = read_answer(answer, {str(tool.key): tool for tool in tools}, request.limit)
        except CloudFailed:
            self._breaker.note(failed=True)
            raise
        self._breaker.note(failed=False)
        return hits

    async def _post(self, url: str, body: JsonObject) -> JsonObject:
        import httpx2  # takes a moment to import, and few use this

        # Reading the system's certificates blocks.
        client = await asyncio.to_thread(httpx2.AsyncClient, timeout=None)
        headers = await self._headers()
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                client,
                client.stream("POST", url, json=body, headers=headers) as response,
            ):
                return await _read(response)
        except (TimeoutError, httpx2.TimeoutException):
            raise CloudFailed(
                said("no answer within {seconds} seconds", seconds=f"{self._timeout_s:g}")
            ) from None
        except (httpx2.HTTPError, OSError) as error:
            raise CloudFailed(type(error).__name__) from error

    async def _headers(self) -> dict[str, str]:
        try:
            token = await self._secrets.get(TOKEN_NAME)
        except SecretUnavailable:
            return {}  # a service on one's own computer may want none
        return {"Authorization": f"Bearer {token}"}


def check_address(base: str) -> None:
    """What is sent is the person's business: in the clear only within this computer."""
    parts = urlsplit(base)
    local = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if not parts.hostname or parts.scheme not in ("http", "https"):
        raise CloudFailed("its address must start with https://")
    if parts.scheme == "http" and not local:
        raise CloudFailed("its address must start with https:// unless it is on this computer")


def question(tools: Sequence[Tool], request: SearchRequest) -> JsonObject:
    body: JsonObject = {
        "schemaVersion": SCHEMA_VERSION,
        "query": list(request.queries),
        "tools": [_described(tool) for tool in tools],
        "maxResults": request.limit,
    }
    return {**body, "context": request.context} if request.context else body


def _described(tool: Tool) -> JsonObject:
    info: JsonObject = {
        "toolKey": str(tool.key),
        "toolName": tool.key.tool,
        "serverName": tool.server_name,
    }
    return {**info, "description": tool.description} if tool.description else info


async def _read(response: object) -> JsonObject:
    import httpx2

    answer = cast(httpx2.Response, response)
    if answer.status_code in (401, 403):
        raise CloudFailed("it refused the token")
    if answer.status_code != 200:
        raise CloudFailed(said("it answered {status}", status=answer.status_code))
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > MAX_ANSWER_BYTES:
            raise CloudFailed("its answer is too long")
    try:
        return as_object(json.loads(bytes(body)))
    except (ValueError, RecursionError):
        raise CloudFailed("its answer is not JSON") from None


def read_answer(answer: JsonObject, tools: Mapping[str, Tool], limit: int) -> list[SearchHit]:
    """The hits of an answer: only tools that were offered, each once, with a relevance in 0..1."""
    if answer.get("schemaVersion", SCHEMA_VERSION) != SCHEMA_VERSION:
        raise CloudFailed(
            said("it speaks version {version} of the protocol", version=answer["schemaVersion"])
        )
    if not isinstance(answer.get("results"), list):
        raise CloudFailed('its answer has no "results"')
    hits: dict[str, SearchHit] = {}
    for item in map(as_object, as_array(answer["results"])):
        key = item.get("toolKey")
        if not isinstance(key, str) or key not in tools or key in hits:
            continue
        relevance = round(_share(item.get("relevance")), 3)
        hits[key] = SearchHit(tools[key], relevance, _reason(item.get("explanation")))
    return sorted(hits.values(), key=lambda hit: -hit.relevance)[:limit]


def _share(value: object) -> float:
    """A relevance in 0..1, whatever was sent; what is no number is none."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
        return min(1.0, max(0.0, float(value)))
    return 0.0


def _reason(explanation: object) -> str:
    if not isinstance(explanation, str) or not explanation.strip():
        return "chosen by the cloud service"
    return " ".join(explanation.split())[:_MAX_EXPLANATION]
