"""HTTP without MCP: requests to one address, replies of bounded size, errors as `UpstreamFailed`.

Our headers were given for one origin and never leave it: a redirect is followed only inside it. All
limits count bytes after decompression.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import ssl
from collections.abc import Generator, Mapping

import httpx2

from router import __version__
from router.errors import UpstreamFailed
from router.model import Failure, FailureKind
from router.tasks import spawn
from router.upstream.failures import NoConnection, bad_protocol, failed

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 16 * 1024 * 1024
_CONNECT_TIMEOUT_S = 5.0
_DRAIN_TIMEOUT_S = 1.0
_MAX_REDIRECTS = 5
_LIMITS = httpx2.Limits(
    max_connections=None,
    max_keepalive_connections=32,
    # Common servers drop idle connections after 5 s: stop using them before that, because a request
    # lost in between can't be told from one that was processed.
    keepalive_expiry=4.0,
)
# Neither quoted nor chained: what httpx says of it repeats the header, which may be a secret.
_BAD_HEADER = "a header of its settings can't be sent"
_BAD_ADDRESS = "its address makes no sense"
_LOOPBACK = ("all://localhost", "all://127.0.0.1", "all://[::1]")


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Made once, because reading the certificates takes up to 0.2 s: call it first off the loop."""
    return httpx2.create_ssl_context()


class Reply:
    """A response whose body comes in as it is iterated. Leaving its context is the end of it."""

    def __init__(self, response: httpx2.Response, host: str, max_bytes: int) -> None:
        self._response = response
        self._host = host
        self._max_bytes = max_bytes
        self._chunks = response.aiter_bytes()
        self.status = response.status_code
        self.headers = response.headers
        self.media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()

    def __str__(self) -> str:
        """The status in words, and where to if it is a redirect we don't follow."""
        words = f"HTTP {self.status} {self._response.reason_phrase}".strip()
        if (following := self._response.next_request) is None:
            return words
        target = following.url.copy_with(userinfo=b"", query=None, fragment=None)
        return f"{words} to {target}"

    async def __aenter__(self) -> Reply:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """After an error close at once, which also tells the server that nobody listens; else
        read the rest in the background, so that the connection can be used again."""
        if kind is not None:
            await self._chunks.aclose()
            await self._response.aclose()
        elif not self._response.is_closed:
            spawn(self._drain(), name="drain reply")

    def __aiter__(self) -> Reply:
        return self

    async def __anext__(self) -> bytes:
        """The next part of the body. Each is bounded, their number is not."""
        with explaining(self._host):
            return await anext(self._chunks)

    async def body(self) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for chunk in self:
            size += len(chunk)
            if size > self._max_bytes:
                raise failed(bad_protocol(f"an answer of more than {self._max_bytes:,} bytes"))
            parts.append(chunk)
        return b"".join(parts)

    async def _drain(self) -> None:
        try:
            async with asyncio.timeout(_DRAIN_TIMEOUT_S):
                await self.body()
        except (TimeoutError, UpstreamFailed) as error:
            log.debug("Dropped the rest of a reply: %s", error)
        finally:
            await self._chunks.aclose()
            await self._response.aclose()


class Channel:
    """A way to one address, with the headers the person gave for it."""

    def __init__(
        self, url: str, headers: Mapping[str, str], *, max_body_bytes: int = MAX_BODY_BYTES
    ) -> None:
        self._max_body_bytes = max_body_bytes
        try:
            self._url = httpx2.URL(url)
            self._client = httpx2.AsyncClient(
                headers={"User-Agent": f"toolbooth/{__version__}", **headers},
                verify=tls_context(),
                timeout=httpx2.Timeout(None, connect=_CONNECT_TIMEOUT_S),
                limits=_LIMITS,
                mounts=dict.fromkeys(_LOOPBACK),  # a proxy is not for this computer
            )
        except httpx2.InvalidURL as error:
            raise failed(_misconfigured(_BAD_ADDRESS)) from error
        except UnicodeEncodeError:
            raise failed(_misconfigured(_BAD_HEADER)) from None

    @property
    def host(self) -> str:
        return self._url.netloc.decode("ascii")

    async def open(
        self, method: str, headers: Mapping[str, str], content: bytes | None = None
    ) -> Reply:
        """Send a request and return when its reply begins."""
        for _ in range(_MAX_REDIRECTS):
            url = self._url
            request = self._client.build_request(method, url, headers=headers, content=content)
            with explaining(self.host):
                response = await self._client.send(request, stream=True)
            target = _redirect_within_origin(response)
            if target is None:
                return Reply(response, self.host, self._max_body_bytes)
            await response.aclose()
            self._url = target
        raise failed(bad_protocol("it redirects in circles"))

    async def close(self) -> None:
        await self._client.aclose()


def _redirect_within_origin(response: httpx2.Response) -> httpx2.URL | None:
    """Where a redirect that keeps method and origin leads to; http may become https."""
    following = response.next_request
    if following is None or following.method != response.request.method:
        return None
    here, there = response.request.url, following.url
    upgraded = (here.scheme, here.port, there.scheme, there.port) == ("http", None, "https", None)
    same_way = (here.scheme, here.port) == (there.scheme, there.port)
    if here.host != there.host or here.userinfo != there.userinfo:
        return None
    return there if same_way or upgraded else None


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
    except httpx2.LocalProtocolError:
        raise failed(_misconfigured(_BAD_HEADER)) from None
    except httpx2.UnsupportedProtocol as error:
        raise failed(_misconfigured(_BAD_ADDRESS)) from error
    except httpx2.DecodingError as error:
        raise failed(bad_protocol("an answer that can't be decompressed")) from error
    except httpx2.TransportError as error:
        reason = "the connection broke off"
        raise failed(Failure(FailureKind.UNREACHABLE, host, reason)) from error
