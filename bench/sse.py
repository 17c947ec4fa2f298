"""A client for proxies that support only HTTP+SSE, the transport of revision 2024-11-05.

Requests are posted, and all responses arrive on one stream that stays open.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit

from bench.client import (
    INITIALIZE,
    INITIALIZED,
    HttpConnection,
    opened,
    request,
    request_ids,
    result_of,
)


class SseConnection:
    """A session of its own: one stream, and one connection to post on."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def open(self) -> None:
        address = urlsplit(self._url)
        self._reader, self._writer = await asyncio.open_connection(address.hostname, address.port)
        lines = (f"GET {address.path} HTTP/1.1", f"Host: {address.netloc}", "Accept: */*", "", "")
        self._writer.write("\r\n".join(lines).encode())
        await self._reader.readuntil(b"\r\n\r\n")
        self._post = HttpConnection(urljoin(self._url, await self._data()), {})
        await self._post.open()
        self._receiving = asyncio.get_running_loop().create_task(self._receive())
        await self.ask("initialize", INITIALIZE)
        await self._post.post(INITIALIZED)

    async def close(self) -> None:
        self._receiving.cancel()
        await asyncio.wait([self._receiving])
        self._writer.close()
        await self._post.close()

    async def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        number = next(request_ids)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._post.post(request(number, method, params))
        return result_of(await answer)

    async def _receive(self) -> None:
        while True:
            message = json.loads(await self._data())
            if (answer := self._waiting.pop(message.get("id"), None)) is not None:
                answer.set_result(message)

    async def _data(self) -> str:
        """The data of the next event; other lines, such as chunk sizes, are skipped."""
        while not (line := await self._reader.readuntil(b"\n")).startswith(b"data:"):
            pass
        return line[len(b"data:") :].decode().strip()


@asynccontextmanager
async def sse_connections(url: str, count: int) -> AsyncGenerator[list[SseConnection]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(opened(SseConnection(url))) for _ in range(count)]
