"""The HTTP client for authorization servers: safe addresses only, bounded in size and time.

A host name is resolved once, and the connection uses the address that was checked, so that DNS
rebinding can't lead elsewhere. Redirects are followed within the same origin only. Behind a proxy,
the proxy resolves names; then only IP literals can be checked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import httpx2

from router.domain.errors import UpstreamFailed, sentence
from router.domain.json_values import JsonObject, parse_object
from router.upstream.errors import NoConnection
from router.upstream.http.http_client import (
    OUR_HEADERS,
    HttpResponse,
    origin_of,
    proxy_for,
    tls_context,
    translate_http_errors,
)
from router.upstream.limits import UpstreamLimits
from router.upstream.oauth.address_policy import (
    Address,
    Reach,
    Resolve,
    checked_url,
    ip_literal,
    limit_for,
    reach_of,
    resolve_host,
)
from router.upstream.oauth.errors import SignInFailed

_LIMITS = UpstreamLimits(message_bytes=256 * 1024)
_TIMEOUT_S = 10.0
_CONNECT_TIMEOUT_S = 4.0
_MAX_REDIRECTS = 3
_JSON = {"accept": "application/json"}
_FORM = {**_JSON, "content-type": "application/x-www-form-urlencoded"}
_JSON_BODY = {**_JSON, "content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class JsonResponse:
    """A response; `content` is empty if it is not a JSON object."""

    status: int
    content: JsonObject
    challenge: str = ""
    """The `WWW-Authenticate` header."""

    @property
    def ok(self) -> bool:
        return self.status in (HTTPStatus.OK, HTTPStatus.CREATED)


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    url: httpx2.URL
    headers: Mapping[str, str]
    content: bytes | None


class GuardedHttpClient:
    """Requests on behalf of one server, to addresses that are no more local than its own."""

    def __init__(
        self,
        server_url: str,
        *,
        resolve_host: Resolve = resolve_host,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        self._server_host = httpx2.URL(server_url).host
        self._resolve_host = resolve_host
        self._timeout_s = timeout_s
        self._limit: Reach | None = None

    async def check_address(self, url: str) -> None:
        """Raise `SignInFailed` if `url` must not be opened."""
        target = checked_url(url)
        if ip_literal(target.host) is not None or not await asyncio.to_thread(proxy_for, target):
            await self._allowed_addresses(target.host)

    async def get(self, url: str) -> JsonResponse:
        return await self._request("GET", url, _JSON)

    async def challenge(self, url: str) -> str:
        """The `WWW-Authenticate` header of the server at `url`, if it requires a sign-in."""
        return (await self._request("GET", url, {"accept": "text/event-stream"})).challenge

    async def post_form(
        self, url: str, form: Mapping[str, str], headers: Mapping[str, str]
    ) -> JsonResponse:
        return await self._request("POST", url, {**_FORM, **headers}, urlencode(form).encode())

    async def post_json(self, url: str, value: JsonObject) -> JsonResponse:
        return await self._request("POST", url, _JSON_BODY, json.dumps(value).encode())

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None = None
    ) -> JsonResponse:
        request = _Request(method, checked_url(url), headers, content)
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._follow(request)
        except TimeoutError:
            host, seconds = request.url.host, f"{self._timeout_s:g}"
            raise SignInFailed(
                sentence(
                    "{host} did not respond within {seconds} seconds.", host=host, seconds=seconds
                )
            ) from None
        except UpstreamFailed as error:
            raise SignInFailed(error.message, error.hint) from None

    async def _follow(self, request: _Request) -> JsonResponse:
        for _ in range(_MAX_REDIRECTS):
            async with await self._send(request) as response:
                target, origin = response.redirect, origin_of(request.url)
                if target is None or request.method != "GET" or origin_of(target) != origin:
                    return await _json_response(response)
            request = replace(request, url=checked_url(str(target)))
        raise SignInFailed(sentence("{host} redirected too many times.", host=request.url.host))

    async def _send(self, request: _Request) -> HttpResponse:
        host = request.url.host
        proxy = await asyncio.to_thread(proxy_for, request.url)
        if proxy is not None and ip_literal(host) is None:
            return await _send_to(host, request, proxy)
        unreachable: NoConnection | None = None
        for address in await self._allowed_addresses(host):
            try:
                return await _send_to(str(address), request, proxy)
            except NoConnection as error:
                unreachable = error
        raise unreachable or SignInFailed(sentence("{host} has no IP address.", host=host))

    async def _allowed_addresses(self, host: str) -> list[Address]:
        """The addresses of `host`, if all of them are allowed."""
        if self._limit is None:
            self._limit = limit_for(self._server_host, await self._addresses(self._server_host))
        addresses = await self._addresses(host)
        if any(reach_of(address) > self._limit for address in addresses):
            raise SignInFailed(
                sentence(
                    "The server redirects to {host}, which is on your own network or computer.",
                    host=host,
                ),
                "Toolbooth blocked this because the server itself is elsewhere. Report it to "
                "the server's author.",
            )
        return addresses

    async def _addresses(self, host: str) -> list[Address]:
        try:
            return await self._resolve_host(host)
        except (OSError, UnicodeError):  # Also for a name that DNS does not allow.
            raise SignInFailed(
                sentence("{host} can't be found.", host=host), "Check your network connection."
            ) from None


async def _send_to(address: str, request: _Request, proxy: str | None) -> HttpResponse:
    """Send `request` to `address`, in the name of the host in its URL."""
    url = request.url
    transport = httpx2.AsyncHTTPTransport(verify=await asyncio.to_thread(tls_context), proxy=proxy)
    extensions: dict[str, Any] = {"timeout": {"connect": _CONNECT_TIMEOUT_S}}
    if ip_literal(url.host) is None:
        extensions["sni_hostname"] = url.host
    sent = httpx2.Request(
        request.method,
        url.copy_with(host=address),
        headers={**OUR_HEADERS, "host": url.netloc.decode("ascii"), **request.headers},
        content=request.content,
        extensions=extensions,
    )
    try:
        with translate_http_errors(url.host):
            response = await transport.handle_async_request(sent)
    except BaseException:
        await transport.aclose()
        raise
    return _SingleResponse(response, url, transport)


class _SingleResponse(HttpResponse):
    """A response that closes its connection."""

    def __init__(
        self, response: httpx2.Response, url: httpx2.URL, transport: httpx2.AsyncHTTPTransport
    ) -> None:
        super().__init__(response, url, _LIMITS)
        self._transport = transport

    async def __aexit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        try:
            await super().__aexit__(kind, *rest)
        finally:
            await self._transport.aclose()


async def _json_response(response: HttpResponse) -> JsonResponse:
    is_json = response.media_type == "application/json" or response.media_type.endswith("+json")
    content = parse_object(await response.body()) if is_json else {}
    return JsonResponse(response.status, content, response.challenge)
