"""The redirect page of a sign-in: whatever any program or page on this computer sends to it."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import pytest

from router.upstream.oauth.callback import CallbackListener
from tests.support.timeouts import WAIT_S


async def sent(listener: CallbackListener, request: bytes) -> bytes:
    address = urlsplit(listener.redirect_uri)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(request)
    async with asyncio.timeout(WAIT_S):
        reply = await reader.read()
    writer.close()
    return reply


@pytest.mark.parametrize(
    "target",
    [
        "http://[/callback?state={state}&code=a",
        "/callback?state={state}&state={state}&code=a",
        "/callback?state={state}&code=a&code=b",
        "/callback?state={state}x&code=a",
        "/callback?code=a",
        "/callback?state=%ff%fe\u00e9&code=a",
        "/callback/?state={state}&code=a",
        "/callback;x?state={state}&code=a",
        "//callback?state={state}&code=a",
        "",
    ],
)
async def test_only_a_proper_response_is_accepted(target: str) -> None:
    listener = await CallbackListener.open(0)
    request = f"GET {target.format(state=listener.state)} HTTP/1.1\r\nHost: x\r\n\r\n"
    reply = await sent(listener, request.encode("latin-1"))
    assert reply.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 404 "))
    proper = f"GET /callback?state={listener.state}&code=c&iss=i HTTP/1.1\r\n\r\n"
    assert (await sent(listener, proper.encode())).startswith(b"HTTP/1.1 200 ")
    assert await listener.response() == {"state": listener.state, "code": "c", "iss": "i"}
    assert (await sent(listener, proper.encode())).startswith(b"HTTP/1.1 400 ")
    await listener.close()


async def test_what_a_response_contains_is_never_in_the_page() -> None:
    listener = await CallbackListener.open(0)
    words = "%3Cscript%3Ealert(1)%3C/script%3E"
    request = f"GET /callback?state={listener.state}&error={words} HTTP/1.1\r\n\r\n"
    assert b"alert" not in await sent(listener, request.encode())
    await listener.close()
