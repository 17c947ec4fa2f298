"""The loopback redirect page: accepts one authorization response, and only with our `state`. One
that repeats a parameter, which OAuth does not allow, is none."""

from __future__ import annotations

import asyncio
import html
import logging
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import parse_qsl

from router.runtime.tasks import spawn, stop

log = logging.getLogger(__name__)

_HOST = "127.0.0.1"
_PATH = "/callback"
_MAX_HEAD_BYTES = 16 * 1024
_HEAD_TIMEOUT_S = 10.0
_MAX_CONNECTIONS = 20
_HEADERS = (
    "Content-Type: text/html; charset=utf-8\r\n"
    "Cache-Control: no-store\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Connection: close\r\n"
)
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Toolbooth</title>
<style>body {{ font: 16px system-ui, sans-serif; margin: 20vh auto; max-width: 28em; padding: 0 1em;
text-align: center; color-scheme: light dark }}</style><h1>{title}</h1><p>{text}</p></html>"""


class CallbackListener:
    """Listens from `open` on; `response` is the query of the first request with our `state`."""

    redirect_uri: str

    def __init__(self) -> None:
        self.state = secrets.token_urlsafe(32)
        self._response: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server

    @classmethod
    async def open(cls, port: int) -> CallbackListener:
        """Listen on `port`, or any if it is 0. Raises `OSError` if the port is taken."""
        listener = cls()
        listener._server = await asyncio.start_server(
            listener._on_connection, _HOST, port, limit=_MAX_HEAD_BYTES
        )
        port = listener._server.sockets[0].getsockname()[1]
        listener.redirect_uri = f"http://{_HOST}:{port}{_PATH}"
        return listener

    async def response(self) -> Mapping[str, str]:
        return await asyncio.shield(self._response)

    async def close(self) -> None:
        """Finish the open connections; new ones are refused."""
        self._server.close()
        if self._connections:
            _, late = await asyncio.wait(list(self._connections), timeout=1)
            for connection in late:
                await stop(connection)

    def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= _MAX_CONNECTIONS:
            writer.close()
            return
        spawn(self._receive(reader, writer), name="sign-in callback", group=self._connections)

    async def _receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_HEAD_TIMEOUT_S):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._reply(head.partition(b"\r\n")[0].decode("latin-1")))
                await writer.drain()
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError) as error:
            log.debug("A connection to the sign-in page ended: %s", type(error).__name__)
        finally:
            writer.close()

    def _reply(self, request_line: str) -> bytes:
        method, _, rest = request_line.partition(" ")
        path, _, parameters = rest.partition(" ")[0].partition("?")
        if method != "GET" or path != _PATH:
            return _page(HTTPStatus.NOT_FOUND, "Page not found", "There is no such page.")
        given = parse_qsl(parameters)
        query = dict(given)
        known = secrets.compare_digest(query.get("state", "").encode(), self.state.encode())
        if not known or len(query) < len(given) or self._response.done():
            text = "Toolbooth is not waiting for this sign-in. Start it again in Toolbooth."
            return _page(HTTPStatus.BAD_REQUEST, "Unknown sign-in", text)
        self._response.set_result(query)
        if "code" not in query:
            text = "Nothing was changed. You can close this page and try again in Toolbooth."
            return _page(HTTPStatus.OK, "Not signed in", text)
        text = "You can close this page. Toolbooth finishes the sign-in and shows the result."
        return _page(HTTPStatus.OK, "Thank you", text)


def _page(status: HTTPStatus, title: str, text: str) -> bytes:
    body = _PAGE.format(title=html.escape(title), text=html.escape(text)).encode()
    first = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Length: {len(body)}\r\n"
    return f"{first}{_HEADERS}\r\n".encode() + body
