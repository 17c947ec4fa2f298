"""The router as the client that the conformance suite tests: `python conformance_client.py URL`.

A real router gets the suite's server, signs in where that is asked for, and runs its tools for a
real client. The suite says in the environment which scenario it plays.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from mcp.client import Client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from router.errors import ToolboothError  # noqa: E402
from router.model import ServerRef, ServerState, ToolView  # noqa: E402
from router.server_config import OAuthConfig  # noqa: E402
from router.settings import ServerConfig  # noqa: E402
from tests.running import PERSONAL, Running, running_router  # noqa: E402

SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
REVISION = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "")
CONTEXT: dict[str, Any] = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json"
ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}}
_SIGN_INS = 3


def configuration(url: str) -> ServerConfig:
    oauth = None
    if SCENARIO == "auth/basic-cimd":
        oauth = OAuthConfig(client_id=CLIENT_DOCUMENT)
    elif "client_id" in CONTEXT:
        secret = CONTEXT.get("client_secret", "")
        oauth = OAuthConfig(client_id=CONTEXT["client_id"], client_secret=secret)
    return ServerConfig(url=url, oauth=oauth, protocol_version=REVISION)


async def sign_in(running: Running, ref: ServerRef) -> bool:
    """Do what a person does in the browser; whether it worked."""
    try:
        waiting = await running.router.begin_sign_in(ref)
        async with httpx2.AsyncClient(follow_redirects=True, timeout=10) as browser:
            await browser.get(waiting.authorization_url)
        await running.router.sign_in_ended(ref)
    except ToolboothError as error:
        print(f"sign-in: {error} {error.hint}", file=sys.stderr)
        return False
    return True


def state_of(running: Running) -> ServerState:
    [status] = running.router.servers(PERSONAL)
    print(f"{status.state} {status.discovery} {status.failure}", file=sys.stderr)
    return status.state


async def answer(context: ClientRequestContext, params: Any) -> types.ElicitResult:
    """Accept with what the form itself suggests."""
    fields: dict[str, Any] = getattr(params, "requested_schema", {}).get("properties", {})
    content = {name: field["default"] for name, field in fields.items() if "default" in field}
    return types.ElicitResult(action="accept", content=content or {"name": "ada", "ok": True})


async def run_tools(running: Running, ref: ServerRef) -> bool:
    """Whether none of them asked for another sign-in."""
    content = True
    headers = {"Authorization": f"Bearer {running.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(running.url, http_client=http)
        async with Client(transport, mode="legacy", elicitation_callback=answer) as client:
            for tool in running.router.tools(ref):
                call = {"toolKey": str(tool.key), "arguments": _arguments(tool)}
                with suppress(MCPError):
                    result = await client.call_tool("tool_execute", call)
                    print(f"{tool.key}: {result.content}", file=sys.stderr)
                    content &= "toolbooth sign-in" not in str(result.content)
    return content


def _arguments(tool: ToolView) -> dict[str, Any]:
    """What the suite says, else something for each parameter that has to be there."""
    for call in CONTEXT.get("toolCalls", []):
        if call.get("name") == tool.key.tool:
            return call.get("arguments", {})
    made_up: dict[str, Any] = {"string": "words", "integer": 1, "number": 1, "boolean": True}
    needed = {p.name: made_up.get(p.type, "words") for p in tool.parameters if p.required}
    return ARGUMENTS.get(tool.key.tool, needed)


async def main(url: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with running_router(Path(folder)) as running:
            ref = await running.add("suite", configuration(url))
            content = state_of(running) is not ServerState.NEEDS_SIGN_IN
            for _ in range(_SIGN_INS):
                if not content and not await sign_in(running, ref):
                    break
                await running.router.refresh(PERSONAL, ref.server)
                content = await run_tools(running, ref)
                content &= state_of(running) is not ServerState.NEEDS_SIGN_IN
                if content:
                    break


if __name__ == "__main__":
    asyncio.run(main(sys.argv[-1]))
