"""The `cloud` strategy: a service that the user chose ranks the tools.

Sends the queries and the names and descriptions of the tools that the client may use, nothing else:
no schemas, no arguments, no results of tools. A circuit breaker skips a service that fails for a
while, so that searches don't wait for it each time.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard
from urllib.parse import SplitResult, urlsplit

from router.domain.errors import SecretUnavailable, ToolboothError, sentence
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.search import SearchHit, SearchRequest
from router.domain.tools import Tool
from router.domain.visible_text import is_visible
from router.store.secrets import SecretStore

# Slow to import, and few use this strategy.
if TYPE_CHECKING:
    import httpx2

SCHEMA_VERSION = 1
TOKEN_NAME = "cloud-search"  # noqa: S105 - its name in the keyring
TIMEOUT_S = 5.0
MAX_RESPONSE_BYTES = 1 << 20
_FAILURES_TO_OPEN = 3
_OPEN_S = 60.0
_MAX_EXPLANATION = 200
_MAX_READ = 2_000


class CloudFailed(ToolboothError):
    """The service did not answer, or its response can't be used."""


@dataclass(slots=True)
class CircuitBreaker:
    """Opens after several consecutive failures, for a minute; then one attempt decides."""

    clock: Callable[[], float] = time.monotonic
    failures: int = 0
    until: float = 0.0

    def check(self) -> None:
        if self.failures >= _FAILURES_TO_OPEN and self.clock() < self.until:
            raise CloudFailed("it failed several times and is paused for one minute")

    def record(self, *, failed: bool) -> None:
        self.failures = self.failures + 1 if failed else 0
        self.until = self.clock() + _OPEN_S


class CloudSearch:
    def __init__(
        self,
        address: Callable[[], str],
        secrets: SecretStore,
        breaker: CircuitBreaker | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """`address` returns the current URL of the service; empty if there is none."""
        self._address = address
        self._secrets = secrets
        self._breaker = breaker or CircuitBreaker()
        self._timeout_s = timeout_s
        self._last_address = ""

    async def search(self, tools: Sequence[Tool], request: SearchRequest) -> list[SearchHit]:
        """Raises `CloudFailed` and nothing else."""
        base = self._address().rstrip("/")
        if not base:
            raise CloudFailed("no address is set; toolbooth cloud set URL")
        check_address(base)
        if base != self._last_address:  # Failures of another service don't count.
            self._last_address = base
            self._breaker.record(failed=False)
        self._breaker.check()
        try:
            response = await self._post(f"{base}/catalog/search", request_body(tools, request))
            hits = parse_response(response, {str(tool.key): tool for tool in tools}, request.limit)
        except CloudFailed:
            self._breaker.record(failed=True)
            raise
        self._breaker.record(failed=False)
        return hits

    async def _post(self, url: str, body: JsonObject) -> JsonObject:
        import httpx2

        # Loading the system's certificates blocks. A proxy is for other computers: one in the
        # environment would receive what is sent to this one, unencrypted.
        proxied = not _is_local(urlsplit(url))
        client = await asyncio.to_thread(httpx2.AsyncClient, timeout=None, trust_env=proxied)
        headers = await self._headers()
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                client,
                client.stream("POST", url, json=body, headers=headers) as response,
            ):
                return await _read_body(response)
        except (TimeoutError, httpx2.TimeoutException):
            raise CloudFailed(
                sentence("no response within {seconds} seconds", seconds=f"{self._timeout_s:g}")
            ) from None
        except httpx2.ConnectError:
            raise CloudFailed("it can't be reached") from None
        except (httpx2.HTTPError, OSError) as error:
            raise CloudFailed(type(error).__name__) from error

    async def _headers(self) -> dict[str, str]:
        try:
            token = await self._secrets.get(TOKEN_NAME)
        except SecretUnavailable:
            return {}  # a service on this computer may need none
        if not (token.isascii() and token.isprintable()):
            raise CloudFailed("its key contains invalid characters")
        return {"Authorization": f"Bearer {token}"}


def check_address(base: str) -> None:
    """Queries are private: plain HTTP only to this computer. The key is no part of an address,
    which is shown and stored in the settings."""
    parts = _parts(base)
    if not parts.hostname or parts.scheme not in ("http", "https"):
        raise CloudFailed("its address must start with https://")
    if parts.scheme == "http" and not _is_local(parts):
        raise CloudFailed("its address must start with https:// unless it is a local address")
    if "@" in parts.netloc:
        raise CloudFailed("its address contains a user name; enter only a key")
    if parts.query or parts.fragment:
        raise CloudFailed('its address must end before "?" and "#"')


def _parts(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        valid = address.isprintable() and " " not in address and parts.port != 0
        (parts.hostname or "").encode("idna")  # as it will be resolved
    except ValueError:
        valid = False
    if not valid:
        raise CloudFailed("its address is not a valid URL")
    return urlsplit(address)


def _is_local(parts: SplitResult) -> bool:
    return parts.hostname in ("127.0.0.1", "::1", "localhost")


def request_body(tools: Sequence[Tool], request: SearchRequest) -> JsonObject:
    body: JsonObject = {
        "schemaVersion": SCHEMA_VERSION,
        "query": list(request.queries),
        "tools": [_tool_info(tool) for tool in tools],
        "maxResults": request.limit,
    }
    return {**body, "context": request.context} if request.context else body


def _tool_info(tool: Tool) -> JsonObject:
    info: JsonObject = {
        "toolKey": str(tool.key),
        "toolName": tool.key.tool,
        "serverName": tool.server_name,
    }
    return {**info, "description": tool.description} if tool.description else info


async def _read_body(response: httpx2.Response) -> JsonObject:
    if response.status_code in (401, 403):
        raise CloudFailed("it rejected the token")
    if response.status_code != 200:
        raise CloudFailed(sentence("it returned {status}", status=response.status_code))
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_RESPONSE_BYTES:
            raise CloudFailed("its response is too large")
        await asyncio.sleep(0)  # there may be thousands of parts, and the time is limited
    try:
        return as_object(json.loads(bytes(body)))
    except (ValueError, RecursionError):
        raise CloudFailed("its response is not JSON") from None


def parse_response(response: JsonObject, tools: Mapping[str, Tool], limit: int) -> list[SearchHit]:
    """The hits: only tools that were sent, each once, with a relevance in 0..1. Other results are
    refused; a response with nothing else can't be told from a broken service."""
    if response.get("schemaVersion", SCHEMA_VERSION) != SCHEMA_VERSION:
        raise CloudFailed("it uses another version of the protocol")
    if not isinstance(response.get("results"), list):
        raise CloudFailed('its response has no "results"')
    results = as_array(response["results"])
    hits: dict[str, SearchHit] = {}
    for item in map(as_object, results):
        key, relevance = item.get("toolKey"), item.get("relevance")
        if isinstance(key, str) and key in tools and key not in hits and _is_relevance(relevance):
            explanation = _explanation(item.get("explanation"))
            # Adding 0.0 turns -0.0 into 0.0.
            hits[key] = SearchHit(tools[key], round(relevance + 0.0, 3), explanation)
    if results and not hits:
        raise CloudFailed("none of its results can be used")
    return sorted(hits.values(), key=lambda hit: -hit.relevance)[:limit]


def _is_relevance(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _explanation(explanation: object) -> str:
    """The service's words on one line, without control and hidden characters."""
    text = explanation if isinstance(explanation, str) else ""
    shown = "".join(each for each in text[:_MAX_READ] if each.isspace() or is_visible(each))
    return " ".join(shown.split())[:_MAX_EXPLANATION] or "chosen by the cloud service"
