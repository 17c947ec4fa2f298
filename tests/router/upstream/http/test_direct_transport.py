"""Connections to HTTP servers: connect timeout, TLS, reuse, and clear errors."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from router.upstream.http import direct_transport
from router.upstream.http.direct_transport import DirectTransport

REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class ScriptedServer:
    """Answers each request with the next of `replies`, and records what it received."""

    def __init__(self, *replies: bytes) -> None:
        self.heads: list[bytes] = []
        self.connections = 0
        self._replies = list(replies)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while self._replies:
                self.heads.append(await reader.readuntil(b"\r\n\r\n"))
                writer.write(self._replies.pop(0))
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client closed the connection
        finally:
            writer.close()


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncGenerator[int]:
    server = await asyncio.start_server(handler, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@pytest.fixture
async def transport() -> AsyncIterator[DirectTransport]:
    transport = DirectTransport(ssl.create_default_context())
    yield transport
    await transport.aclose()


async def get(transport: DirectTransport, url: str, **headers: str) -> bytes:
    response = await transport.handle_async_request(httpx2.Request("GET", url, headers=headers))
    try:
        return await response.aread()
    finally:
        await response.aclose()


async def test_a_connection_is_reused(transport: DirectTransport) -> None:
    server = ScriptedServer(REPLY, REPLY, REPLY)
    async with listening(server) as port:
        for _ in range(3):
            assert await get(transport, f"http://127.0.0.1:{port}/a%20b?c=d", x="y") == b"ok"
    assert server.connections == 1
    assert server.heads[0].startswith(b"GET /a%20b?c=d HTTP/1.1\r\nHost: 127.0.0.1:")
    assert b"\r\nx: y\r\n" in server.heads[0]


@pytest.mark.parametrize(
    "reply",
    [
        REPLY.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"),
        REPLY + b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled",
        b"HTTP/1.0 200 OK\r\n\r\nok",
    ],
)
async def test_a_connection_that_is_not_in_a_clean_state_is_not_reused(
    transport: DirectTransport, reply: bytes
) -> None:
    first, second = ScriptedServer(reply), ScriptedServer(REPLY)
    handlers = iter((first, second))

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await next(handlers)(reader, writer)

    async with listening(handle) as port:
        assert await get(transport, f"http://127.0.0.1:{port}/") == b"ok"
        assert await get(transport, f"http://127.0.0.1:{port}/") == b"ok"
    assert (first.connections, second.connections) == (1, 1)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (b"", httpx2.RemoteProtocolError),
        (REPLY[:-1], httpx2.RemoteProtocolError),
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", httpx2.RemoteProtocolError),
    ],
)
async def test_a_malformed_response_is_a_transport_error(
    transport: DirectTransport, reply: bytes, kind: type[Exception]
) -> None:
    async with listening(ScriptedServer(reply)) as port:
        with pytest.raises(kind):
            await get(transport, f"http://127.0.0.1:{port}/")


@pytest.fixture
def full() -> Iterator[int]:
    """The port of a listener whose queue is full: connect attempts get no reply."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a full queue refuses")
@pytest.mark.proves("REG-1")
async def test_a_connect_attempt_times_out(
    transport: DirectTransport, full: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert direct_transport.CONNECT_TIMEOUT_S == 5
    monkeypatch.setattr(direct_transport, "CONNECT_TIMEOUT_S", 0.2)
    with pytest.raises(httpx2.ConnectTimeout):
        await get(transport, f"http://127.0.0.1:{full}/")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for `localhost` and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    kept = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = tmp_path_factory.mktemp("tls") / "certificate.pem"
    file.write_bytes(kept + made.public_bytes(Encoding.PEM))
    return file


@pytest.mark.parametrize("trusted", [True, False])
async def test_https_works_and_requires_a_trusted_certificate(
    certificate: Path, trusted: bool
) -> None:
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate)
    cafile = str(certificate) if trusted else None
    transport = DirectTransport(ssl.create_default_context(cafile=cafile))
    async with listening(ScriptedServer(REPLY), serving) as port:
        url = f"https://localhost:{port}/"
        if trusted:
            assert await get(transport, url) == b"ok"
        else:
            with pytest.raises(httpx2.ConnectError, match="certificate"):
                await get(transport, url)
    await transport.aclose()
