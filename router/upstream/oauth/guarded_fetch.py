"""Guarded requests to authorization servers: safe addresses only, bounded in size and time.

A host name is looked up once and the connection goes to the address that was judged, so that a
second answer of the name server can't lead elsewhere. Redirects are followed inside their origin
only. Behind a proxy it is the proxy that looks names up; then only addresses given as numbers can
be judged.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlencode

import httpx2

from router.domain.errors import UpstreamFailed, said
from router.domain.json_values import JsonObject, as_object
from router.upstream.errors import NoConnection
from router.upstream.http.http_client import OUR_HEADERS, Reply, explaining, proxy_for, tls_context
from router.upstream.oauth.address_policy import (
    Address,
    LookUp,
    Reach,
    checked_url,
    limit_for,
    literal,
    look_up,
    reach_of,
)
from router.upstream.oauth.errors import SignInFailed

_MAX_BODY_BYTES = 256 * 1024
_TIMEOUT_S = 10.0
_CONNECT_TIMEOUT_S = 4.0
_MAX_HOPS = 3
_JSON = {"accept": "application/json"}
_FORM = {**_JSON, "content-type": "application/x-www-form-urlencoded"}
_JSON_BODY = {**_JSON, "content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer; `content` is empty if it is no JSON object."""

    status: int
    content: JsonObject
    challenge: str = ""
    """The `WWW-Authenticate` header."""

    @property
    def ok(self) -> bool:
        return self.status in (HTTPStatus.OK, HTTPStatus.CREATED)


class Fetch:
    """Requests on behalf of one server, to addresses no more local than its own."""

    def __init__(
        self, server_url: str, *, look_up: LookUp = look_up, timeout_s: float = _TIMEOUT_S
    ) -> None:
        self._server_host = httpx2.URL(server_url).host
        self._look_up = look_up
        self._timeout_s = timeout_s
        self._limit: Reach | None = None

    async def judge(self, url: str) -> None:
        """Raise `SignInFailed` if nobody should be sent to `url`."""
        target = checked_url(url)
        if literal(target.host) is not None or not await asyncio.to_thread(proxy_for, target):
            await self._allowed(target.host)

    async def get(self, url: str) -> Fetched:
        return await self._fetch("GET", url, _JSON, None)

    async def challenge(self, url: str) -> str:
        """How the server at `url` says that it wants a sign-in, if it does."""
        return (await self._fetch("GET", url, {"accept": "text/event-stream"}, None)).challenge

    async def post_form(
        self, url: str, form: Mapping[str, str], headers: Mapping[str, str]
    ) -> Fetched:
        return await self._fetch("POST", url, {**_FORM, **headers}, urlencode(form).encode())

    async def post_json(self, url: str, content: JsonObject) -> Fetched:
        return await self._fetch("POST", url, _JSON_BODY, json.dumps(content).encode())

    async def _fetch(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None
    ) -> Fetched:
        target = checked_url(url)
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._follow(method, target, headers, content)
        except TimeoutError:
            seconds = f"{self._timeout_s:g}"
            raise SignInFailed(
                said(
                    "{host} did not respond within {seconds} seconds.",
                    host=target.host,
                    seconds=seconds,
                )
            ) from None
        except UpstreamFailed as error:
            raise SignInFailed(error.message, error.hint) from None

    async def _follow(
        self, method: str, url: httpx2.URL, headers: Mapping[str, str], content: bytes | None
    ) -> Fetched:
        for _ in range(_MAX_HOPS):
            async with await self._send(method, url, headers, content) as reply:
                target = reply.redirect
                if target is None or method != "GET" or _origin(target) != _origin(url):
                    return await _taken(reply)
            url = checked_url(str(target))
        raise SignInFailed(said("{host} redirected too many times.", host=url.host))

    async def _send(
        self, method: str, url: httpx2.URL, headers: Mapping[str, str], content: bytes | None
    ) -> Reply:
        proxy = await asyncio.to_thread(proxy_for, url)
        if proxy is not None and literal(url.host) is None:
            return await _request(method, url, url.host, headers, content, proxy)
        unreachable: NoConnection | None = None
        for address in await self._allowed(url.host):
            try:
                return await _request(method, url, str(address), headers, content, proxy)
            except NoConnection as error:
                unreachable = error
        raise unreachable or SignInFailed(said("{host} has no IP address.", host=url.host))

    async def _allowed(self, host: str) -> list[Address]:
        """The addresses of `host`, if all of them may be asked."""
        if self._limit is None:
            self._limit = limit_for(self._server_host, await self._addresses(self._server_host))
        addresses = await self._addresses(host)
        if any(reach_of(address) > self._limit for address in addresses):
            raise SignInFailed(
                said(
                    "The server redirects to {host}, which is on your own network or computer.",
                    host=host,
                ),
                "Toolbooth blocked this because the server itself is elsewhere. Report it to "
                "the server's author.",
            )
        return addresses

    async def _addresses(self, host: str) -> list[Address]:
        try:
            return await self._look_up(host)
        except OSError:
            raise SignInFailed(
                said("{host} can't be found.", host=host), "Check your network connection."
            ) from None


async def _request(
    method: str,
    url: httpx2.URL,
    address: str,
    headers: Mapping[str, str],
    content: bytes | None,
    proxy: str | None,
) -> Reply:
    """One request to `address`, as the host that `url` names."""
    transport = httpx2.AsyncHTTPTransport(verify=await asyncio.to_thread(tls_context), proxy=proxy)
    extensions: dict[str, Any] = {"timeout": {"connect": _CONNECT_TIMEOUT_S}}
    if literal(url.host) is None:
        extensions["sni_hostname"] = url.host
    named = {**OUR_HEADERS, "host": url.netloc.decode("ascii"), **headers}
    request = httpx2.Request(
        method,
        url.copy_with(host=address),
        headers=named,
        content=content,
        extensions=extensions,
    )
    try:
        with explaining(url.host):
            response = await transport.handle_async_request(request)
    except BaseException:
        await transport.aclose()
        raise
    return _Reply(response, url, transport)


class _Reply(Reply):
    """A reply that takes its connection with it."""

    def __init__(
        self, response: httpx2.Response, url: httpx2.URL, transport: httpx2.AsyncHTTPTransport
    ) -> None:
        super().__init__(response, url, _MAX_BODY_BYTES)
        self._transport = transport

    async def __aexit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        try:
            await super().__aexit__(kind, *rest)
        finally:
            await self._transport.aclose()


async def _taken(reply: Reply) -> Fetched:
    challenge = reply.headers.get("www-authenticate", "")
    is_json = reply.media_type == "application/json" or reply.media_type.endswith("+json")
    return Fetched(reply.status, _object_in(await reply.body()) if is_json else {}, challenge)


def _object_in(body: bytes) -> JsonObject:
    try:
        return as_object(cast(object, json.loads(body)))
    except (ValueError, RecursionError):
        return {}


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
