"""HTTP without MCP: requests to one address, replies of bounded size, errors as `UpstreamFailed`.

Our headers were given for one origin and never leave it: a redirect is followed only inside it. All
limits count bytes after decompression.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import copy
import functools
import logging
import ssl
import urllib.request
from collections.abc import Generator, Mapping
from http import HTTPStatus
from typing import Self

import httpx2

from router import __version__
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.upstream.errors import NoConnection, bad_protocol, failed
from router.upstream.http.direct_transport import CONNECT_TIMEOUT_S, IDLE_S, DirectTransport
from router.upstream.limits import LIMITS

log = logging.getLogger(__name__)

_END_OF_STREAM_S = 0.05
_MAX_REDIRECTS = 5
_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=32, keepalive_expiry=IDLE_S)
# Neither quoted nor chained: what httpx says of it repeats the header, which may be a secret.
_BAD_HEADER = "a header of its settings can't be sent"
_BAD_ADDRESS = "its address makes no sense"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_METHOD_KEEPING = (HTTPStatus.TEMPORARY_REDIRECT, HTTPStatus.PERMANENT_REDIRECT)
_EXTENSIONS = {"timeout": {"connect": CONNECT_TIMEOUT_S}}
OUR_HEADERS = {"user-agent": f"toolbooth/{__version__}", "accept-encoding": "gzip, deflate"}


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Made once, because reading the certificates takes up to 0.2 s."""
    return httpx2.create_ssl_context()


class Reply:
    """A response whose body comes in as it is iterated. Leaving its context is the end of it."""

    def __init__(self, response: httpx2.Response, url: httpx2.URL, max_bytes: int) -> None:
        self._response = response
        self._url = url
        self._max_bytes = max_bytes
        self._chunks = response.aiter_bytes()
        self.status = response.status_code
        self.headers = response.headers
        self.media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()

    def __str__(self) -> str:
        """The status in words, and where to if it is a redirect we don't follow."""
        words = f"HTTP {self.status} {self._response.reason_phrase}".strip()
        if (target := self.redirect) is None:
            return words
        return f"{words} to {target.copy_with(userinfo=b'', query=None, fragment=None)}"

    @property
    def redirect(self) -> httpx2.URL | None:
        """The address this reply sends us to, if it does."""
        location = self.headers.get("location")
        if location is None or self.status not in range(300, 400):
            return None
        try:
            return self._url.join(location)
        except httpx2.InvalidURL:
            return None

    async def __aenter__(self) -> Reply:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close; at once after an error, which also tells the server that nobody listens."""
        try:
            if kind is None and not self._response.is_closed:
                await self._read_to_the_end()
        finally:
            await self._chunks.aclose()
            await self._response.aclose()

    def __aiter__(self) -> Reply:
        return self

    async def __anext__(self) -> bytes:
        """The next part of the body: at most 1 MiB, whatever it was compressed to; their number is
        not bounded."""
        with explaining(_host(self._url)):
            return await anext(self._chunks)

    async def body(self) -> bytes:
        body = bytearray()
        async for chunk in self:
            body += chunk
            if len(body) > self._max_bytes:
                raise failed(bad_protocol(f"an answer of more than {self._max_bytes:,} bytes"))
        return bytes(body)

    async def _read_to_the_end(self) -> None:
        """Only then can the connection be used again. A stream usually ends with its answer; one
        that doesn't is not waited for."""
        try:
            async with asyncio.timeout(_END_OF_STREAM_S):
                await self.body()
        except (TimeoutError, UpstreamFailed) as error:
            log.debug("A connection to %s can't be used again: %r", _host(self._url), error)


class Channel:
    """A way to one address, with the headers the person gave for it.

    Made off the loop, because certificates and the system's proxy settings are read from disk. Uses
    httpx's transport without its client, which costs half as much again for each call and writes
    every address to the log, with whatever keys are in it.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], *, max_body_bytes: int = LIMITS.message_bytes
    ) -> None:
        self._max_body_bytes = max_body_bytes
        self._url = _parsed(url)
        self._headers = {**OUR_HEADERS, **_credentials(self._url)}
        self._headers.update((name.lower(), value) for name, value in headers.items())
        self._transport = _transport_to(self._url)

    @property
    def host(self) -> str:
        return _host(self._url)

    def beside(self, reference: str) -> Self:
        """The way to another address of the same origin. Raises `UpstreamFailed` for any other."""
        try:
            target = self._url.join(reference)
        except httpx2.InvalidURL:
            raise failed(bad_protocol("an address that makes no sense")) from None
        if _origin(target) != _origin(self._url):
            raise failed(bad_protocol(f"an address at another host ({_host(target)})"))
        other = copy.copy(self)
        other._url = target
        return other

    async def open(
        self, method: str, headers: Mapping[str, str], content: bytes | None = None
    ) -> Reply:
        """Send a request and return when its reply begins. Names in `headers` are in lower case."""
        headers = {**self._headers, **headers}
        for _ in range(_MAX_REDIRECTS):
            reply = await self._send(method, headers, content)
            target = self._redirect_to_follow(reply)
            if target is None:
                return reply
            async with reply:
                self._url = target
        raise failed(bad_protocol("it redirects in circles"))

    async def close(self) -> None:
        await self._transport.aclose()

    async def _send(self, method: str, headers: Mapping[str, str], content: bytes | None) -> Reply:
        with explaining(self.host):
            request = httpx2.Request(
                method, self._url, headers=headers, content=content, extensions=_EXTENSIONS
            )
            response = await self._transport.handle_async_request(request)
        return Reply(response, self._url, self._max_body_bytes)

    def _redirect_to_follow(self, reply: Reply) -> httpx2.URL | None:
        """Where to, if method and origin stay the same; http may become https."""
        target = reply.redirect
        if target is None or reply.status not in _METHOD_KEEPING:
            return None
        origin = _origin(self._url)
        upgraded = ("https", self._url.host, None) if origin[::2] == ("http", None) else origin
        followed = _origin(target) in (origin, upgraded)
        return target if followed else None


def _transport_to(url: httpx2.URL) -> httpx2.AsyncBaseTransport:
    """Straight to a server, or by way of the person's proxy."""
    if proxy := proxy_for(url):
        return httpx2.AsyncHTTPTransport(verify=tls_context(), limits=_LIMITS, proxy=proxy)
    return DirectTransport(tls_context())


def _parsed(url: str) -> httpx2.URL:
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise failed(_misconfigured(_BAD_ADDRESS)) from error
    if not parsed.host:
        raise failed(_misconfigured(_BAD_ADDRESS))
    return parsed


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _host(url: httpx2.URL) -> str:
    return url.netloc.decode("ascii")


def _credentials(url: httpx2.URL) -> dict[str, str]:
    """The header for a name and password in the address."""
    if not url.userinfo:
        return {}
    pair = base64.b64encode(f"{url.username}:{url.password}".encode()).decode("ascii")
    return {"authorization": f"Basic {pair}"}


def proxy_for(url: httpx2.URL) -> str | None:
    """The proxy of the person's environment, which is not for this computer."""
    if url.host in _LOOPBACK or urllib.request.proxy_bypass(url.host):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(url.scheme) or proxies.get("all")


def _misconfigured(detail: str) -> Failure:
    return Failure(FailureKind.OTHER, detail=detail)


@contextlib.contextmanager
def explaining(host: str) -> Generator[None]:
    """Turn what httpx raises into what we say about it."""
    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
        reason = str(error) or "no answer to the attempt to connect"
        raise NoConnection(Failure(FailureKind.UNREACHABLE, host, reason)) from error
    except (httpx2.LocalProtocolError, UnicodeEncodeError):
        raise failed(_misconfigured(_BAD_HEADER)) from None
    except httpx2.DecodingError as error:
        raise failed(bad_protocol("an answer that can't be decompressed")) from error
    except httpx2.TransportError as error:
        reason = "the connection broke off"
        raise failed(Failure(FailureKind.UNREACHABLE, host, reason)) from error
