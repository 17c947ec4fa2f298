"""HTTP without MCP: requests to one URL, responses of bounded size, errors as `UpstreamFailed`.

The configured headers are meant for one origin and never leave it: a redirect is followed only
within it. All limits count bytes after decompression.
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
from collections.abc import AsyncGenerator, Generator, Mapping
from http import HTTPStatus
from typing import Protocol, Self

import httpx2

from router import __version__
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.upstream.errors import HttpRefused, NoConnection, bad_protocol, failed
from router.upstream.http.direct_transport import CONNECT_TIMEOUT_S, IDLE_S, DirectTransport
from router.upstream.limits import UpstreamLimits
from router.upstream.message_decoder import MessageTooLarge
from router.wire.sse import ServerSentEvent, SseParser

log = logging.getLogger(__name__)

JSON = "application/json"
LAST_EVENT_ID = "last-event-id"
EVENT_STREAM = "text/event-stream"
_DRAIN_TIMEOUT_S = 0.05
_MAX_REDIRECTS = 5
_CHUNK_BYTES = 16 * 1024
_LIMITS = httpx2.Limits(max_connections=None, max_keepalive_connections=32, keepalive_expiry=IDLE_S)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_MAX_TOKENS = 4
"""None, the stored one, a refreshed one; more would be a loop."""
_METHOD_PRESERVING = (HTTPStatus.TEMPORARY_REDIRECT, HTTPStatus.PERMANENT_REDIRECT)
_EXTENSIONS = {"timeout": {"connect": CONNECT_TIMEOUT_S}}
OUR_HEADERS = {"user-agent": f"toolbooth/{__version__}", "accept-encoding": "gzip, deflate"}


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Created once, because loading the certificates takes up to 0.2 s."""
    return httpx2.create_ssl_context()


class HttpResponse:
    """A response whose body is read by iteration. Leaving its context closes it."""

    def __init__(self, response: httpx2.Response, url: httpx2.URL, limits: UpstreamLimits) -> None:
        self._response = response
        self._url = url
        self._limits = limits
        self._chunks = response.aiter_bytes()
        self.status = response.status_code
        self.headers = response.headers
        self.media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def challenge(self) -> str:
        return self.headers.get("www-authenticate", "")

    def __str__(self) -> str:
        """The status line, and the target of a redirect that is not followed."""
        text = f"HTTP {self.status} {self._response.reason_phrase}".strip()
        if (target := self.redirect) is None:
            return text
        return f"{text} to {target.copy_with(userinfo=b'', query=None, fragment=None)}"

    @property
    def redirect(self) -> httpx2.URL | None:
        """The target of a redirect."""
        location = self.headers.get("location")
        if location is None or self.status not in range(300, 400):
            return None
        try:
            return self._url.join(location)
        except httpx2.InvalidURL:
            return None

    async def __aenter__(self) -> HttpResponse:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close; immediately after an error, which also cancels the request at the server."""
        try:
            if kind is None and not self._response.is_closed:
                await self._drain()
        finally:
            await self._chunks.aclose()
            await self._response.aclose()

    def __aiter__(self) -> HttpResponse:
        return self

    async def __anext__(self) -> bytes:
        """The next part of the body, decompressed: at most 1 MiB. The number of parts is not
        bounded."""
        with translate_http_errors(_host(self._url)):
            return await anext(self._chunks)

    async def body(self) -> bytes:
        body = bytearray()
        async for chunk in self:
            body += chunk
            if len(body) > self._limits.message_bytes:
                raise failed(MessageTooLarge(self._limits).failure)
        return bytes(body)

    @property
    def is_event_stream(self) -> bool:
        return self.status == HTTPStatus.OK and self.media_type == EVENT_STREAM

    async def events(self, parser: SseParser) -> AsyncGenerator[ServerSentEvent]:
        """The events of the body, parsed a little at a time."""
        async for part in self:
            for start in range(0, len(part), _CHUNK_BYTES):
                if start:
                    await asyncio.sleep(0)  # there may be thousands of events in it
                for event in parser.feed(part[start : start + _CHUNK_BYTES]):
                    yield event
            if parser.pending > self._limits.message_bytes:
                raise failed(MessageTooLarge(self._limits).failure)

    async def _drain(self) -> None:
        """Read the rest, so that the connection can be reused. A stream usually ends with its last
        message; one that doesn't is not waited for."""
        try:
            async with asyncio.timeout(_DRAIN_TIMEOUT_S):
                await self.body()
        except (TimeoutError, UpstreamFailed) as error:
            log.debug("A connection to %s can't be used again: %r", _host(self._url), error)


class Credentials(Protocol):
    """Provides access tokens. Raises `UpstreamFailed` where a sign-in is needed."""

    async def token(self) -> str | None: ...
    async def replace_token(self, refused: str | None, challenge: str) -> str: ...
    def accepted(self, token: str | None) -> None: ...
    def insufficient_scope(self, challenge: str) -> HttpRefused: ...


class HttpClient:
    """An HTTP client for one URL, with its configured headers and, if it has credentials, their
    access token.

    Create it off the loop: certificates and the system's proxy settings are read from disk. Uses
    an httpx transport without httpx's client, which makes a call half as slow again and logs every
    URL, including keys in it.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        credentials: Credentials | None,
        *,
        limits: UpstreamLimits,
        authenticated_method: str,
    ) -> None:
        """Only responses to `authenticated_method` accept or refuse the token: others, like that to
        an optional event stream, say nothing about it."""
        self._credentials = credentials
        self._authenticated_method = authenticated_method
        self._limits = limits
        self._url = _parsed(url)
        self._headers = {**OUR_HEADERS, **_credentials(self._url)}
        self._headers.update((name.lower(), value) for name, value in headers.items())
        self._transport = _transport_to(self._url)

    @property
    def host(self) -> str:
        return _host(self._url)

    def for_reference(self, reference: str) -> Self:
        """A client for another URL of the same origin. Raises `UpstreamFailed` for any other."""
        try:
            target = self._url.join(reference)
        except httpx2.InvalidURL:
            raise failed(bad_protocol("an invalid address")) from None
        if origin_of(target) != origin_of(self._url):
            raise failed(bad_protocol(f"an address on another host ({_host(target)})"))
        other = copy.copy(self)
        other._url = target
        return other

    async def open(
        self, method: str, headers: Mapping[str, str], content: bytes | None = None
    ) -> HttpResponse:
        """Send a request; returns once the response begins. Names in `headers` are in lower
        case."""
        headers = {**self._headers, **headers}
        if self._credentials is None:
            return await self._open(method, headers, content)
        return await self._open_authorized(self._credentials, method, headers, content)

    async def _open_authorized(
        self, credentials: Credentials, method: str, headers: dict[str, str], content: bytes | None
    ) -> HttpResponse:
        """A request that was refused is sent again with another token: it was not processed."""
        token = await credentials.token()
        response = await self._open(method, _with_token(headers, token), content)
        if method != self._authenticated_method:
            return response
        for _ in range(_MAX_TOKENS):
            if response.status != HTTPStatus.UNAUTHORIZED:
                break
            async with response:
                token = await credentials.replace_token(token, response.challenge)
            response = await self._open(method, _with_token(headers, token), content)
        if response.status == HTTPStatus.FORBIDDEN and "insufficient_scope" in response.challenge:
            async with response:
                raise credentials.insufficient_scope(response.challenge)
        credentials.accepted(token)
        return response

    async def _open(
        self, method: str, headers: Mapping[str, str], content: bytes | None
    ) -> HttpResponse:
        for _ in range(_MAX_REDIRECTS):
            response = await self._send(method, headers, content)
            target = self._followed_redirect(response)
            if target is None:
                return response
            async with response:
                self._url = target
        raise failed(bad_protocol("it redirects too often"))

    async def close(self) -> None:
        await self._transport.aclose()

    async def _send(
        self, method: str, headers: Mapping[str, str], content: bytes | None
    ) -> HttpResponse:
        with translate_http_errors(self.host):
            lines = [(name.encode(), _encoded(name, value)) for name, value in headers.items()]
            request = httpx2.Request(
                method, self._url, headers=lines, content=content, extensions=_EXTENSIONS
            )
            response = await self._transport.handle_async_request(request)
        return HttpResponse(response, self._url, self._limits)

    def _followed_redirect(self, response: HttpResponse) -> httpx2.URL | None:
        """The target, if method and origin stay the same; http may become https."""
        target = response.redirect
        if target is None or response.status not in _METHOD_PRESERVING:
            return None
        origin = origin_of(self._url)
        upgraded = ("https", self._url.host, None) if origin[::2] == ("http", None) else origin
        followed = origin_of(target) in (origin, upgraded)
        return target if followed else None


def _encoded(name: str, value: str) -> bytes:
    """An event's id is any text, which is sent back in UTF-8; all else is ASCII."""
    return value.encode() if name == LAST_EVENT_ID else value.encode("ascii")


def _with_token(headers: Mapping[str, str], token: str | None) -> Mapping[str, str]:
    return headers if token is None else {**headers, "authorization": f"Bearer {token}"}


def _transport_to(url: httpx2.URL) -> httpx2.AsyncBaseTransport:
    """A direct transport, or one through the user's proxy."""
    if proxy := proxy_for(url):
        return httpx2.AsyncHTTPTransport(verify=tls_context(), limits=_LIMITS, proxy=proxy)
    return DirectTransport(tls_context())


def _parsed(url: str) -> httpx2.URL:
    with contextlib.suppress(httpx2.InvalidURL):
        parsed = httpx2.URL(url)
        if parsed.host:
            return parsed
    raise failed(Failure(FailureKind.OTHER, detail="its address is not a valid URL"))


def origin_of(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _host(url: httpx2.URL) -> str:
    return url.netloc.decode("ascii")


def _credentials(url: httpx2.URL) -> dict[str, str]:
    """The header for a user name and password in the URL."""
    if not url.userinfo:
        return {}
    pair = base64.b64encode(f"{url.username}:{url.password}".encode()).decode("ascii")
    return {"authorization": f"Basic {pair}"}


def proxy_for(url: httpx2.URL) -> str | None:
    """The proxy of the user's environment; none for this computer."""
    if url.host in _LOOPBACK or urllib.request.proxy_bypass(url.host):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(url.scheme) or proxies.get("all")


@contextlib.contextmanager
def translate_http_errors(host: str) -> Generator[None]:
    """Turn errors of httpx into `UpstreamFailed`."""
    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
        reason = str(error) or "the connection attempt timed out"
        raise NoConnection(Failure(FailureKind.UNREACHABLE, host, reason)) from error
    except (httpx2.LocalProtocolError, UnicodeEncodeError):
        # Neither quoted nor chained: the message of httpx has the header, which may be a secret.
        reason = "a configured header contains invalid characters"
        raise failed(Failure(FailureKind.OTHER, detail=reason)) from None
    except httpx2.DecodingError as error:
        raise failed(bad_protocol("a response that can't be decompressed")) from error
    except httpx2.TransportError as error:
        reason = "the connection was lost"
        raise failed(Failure(FailureKind.UNREACHABLE, host, reason)) from error
