"""`toolbooth connect`: runs until the client closes our stdin."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from pathlib import Path
from urllib.parse import quote

from router.bridge.http_client import BridgeHttpClient
from router.bridge.relay import Relay
from router.bridge.router_lookup import Profile, router_url
from router.runtime.tasks import spawn
from router.wire.mcp import FOLDER_HEADER

_TOKEN_TIMEOUT_S = 5.0
_RETRY_EVERY_S = 0.3


async def run(data_dir: Path, profile_name: str) -> int:
    """Relay messages between stdin, stdout and the router."""
    profile = Profile(data_dir, profile_name)
    token = spawn(profile.token(), name="read the token")

    async def connect(start: bool) -> BridgeHttpClient:
        url = await router_url(data_dir, start=start)
        headers = {
            "Authorization": f"Bearer {await token}",
            FOLDER_HEADER: encode_folder(_working_folder()),
        }
        http = BridgeHttpClient(url, headers)
        if profile.is_new:
            await _wait_for_token(http)
            profile.is_new = False
        return http

    relay = Relay(connect, _write)
    lines = _read_stdin()
    try:
        while line := await lines.get():
            await relay.receive(line)
    finally:
        await relay.finish()
        await asyncio.to_thread(profile.close)
    return 0


async def _wait_for_token(http: BridgeHttpClient) -> None:
    """Wait until the running router accepts our new token, which takes about a second."""
    async with asyncio.timeout(_TOKEN_TIMEOUT_S):
        while True:
            async with http.request("DELETE", {}) as response:
                await response.body()
            if response.status != 401:
                return
            await asyncio.sleep(_RETRY_EVERY_S)


def encode_folder(folder: str) -> str:
    """A folder's name, encoded for a header."""
    return quote(folder, safe="/:\\")


def _working_folder() -> str:
    return os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()  # noqa: PTH109 - text is wanted


def _read_stdin() -> asyncio.Queue[bytes]:
    """The lines of stdin, and an empty one at its end. Read in a thread, which works for every kind
    of stdin on every platform."""
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        for line in sys.stdin.buffer:
            if line.strip():
                loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")

    threading.Thread(target=read, name="stdin", daemon=True).start()
    return lines


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()
