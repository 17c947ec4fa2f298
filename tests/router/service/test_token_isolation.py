"""A client's token is for us only: no server ever receives it, however it was sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from router.config.server import ServerConfig
from router.domain.json_values import JsonObject
from tests.servers.http_server import sdk_app, serving
from tests.support.running_router import STDIO_SERVER, RunningRouter, stdio_config


class RecordingApp:
    """An application and everything sent to it: headers and bodies."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.bytes = b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.bytes += repr((scope.get("query_string"), scope.get("headers"))).encode()

        async def received() -> Message:
            message = await receive()
            self.bytes += message.get("body", b"")
            return message

        await self._app(scope, received, send)


async def call_both_ways(running: RunningRouter, key: str) -> list[str]:
    """A call with the token in its header, and one with it in `_meta`; returns their results."""
    call: JsonObject = {"name": "tool_execute", "arguments": {"toolKey": key}}
    in_meta = {**call, "_meta": {"token": running.token, "vendor/x": "passes"}}
    by_header = await running.post_modern("tools/call", {**call, "_meta": {"vendor/x": "passes"}})
    by_meta = await running.post_modern("tools/call", in_meta, token="")
    assert (by_header.status_code, by_meta.status_code) == (200, 200)
    return [by_header.text, by_meta.text]


@pytest.mark.proves("META-6")
async def test_an_http_server_never_receives_a_clients_token(running: RunningRouter) -> None:
    recording = RecordingApp(sdk_app())
    with serving(recording) as url:
        await running.add("web", ServerConfig(url=f"{url}/mcp"))
        await call_both_ways(running, "web:echo")
    assert recording.bytes.count(b"vendor/x") == 2
    assert b"authorization" not in recording.bytes.lower()
    assert running.token.encode() not in recording.bytes


@pytest.mark.proves("META-6")
async def test_a_stdio_server_never_receives_a_clients_token(
    running: RunningRouter, tmp_path: Path
) -> None:
    received, script = tmp_path / "heard", tmp_path / "server.py"
    listening = f"open({str(received)!r}, 'a').write(json.dumps(message))"
    taking = "    def take(self, message: dict[str, Any]) -> None:\n"
    source = STDIO_SERVER.read_text()
    assert taking in source
    script.write_text(source.replace(taking, f"{taking}        {listening}\n"))
    await running.add("local", stdio_config(script=script), unconfined=True)
    environments = await call_both_ways(running, "local:env")
    written = received.read_text()
    assert written.count("vendor/x") == 2
    assert all("PATH" in environment for environment in environments)
    assert running.token not in written + "".join(environments)
