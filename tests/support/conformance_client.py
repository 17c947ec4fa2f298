"""The router as the client that the conformance suite tests.

The suite starts a program for each scenario. That program, `conformance_front.py`, only sends us
its scenario: a real router gets the suite's server, signs in where required, and runs its tools for
a real client.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from mcp.client import Client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from router.config.server import OAuthConfig, ServerConfig
from router.domain.errors import ToolboothError
from router.domain.ids import ServerRef
from router.domain.servers import ServerState
from router.domain.tools import ToolView
from tests.support.running_router import PERSONAL, RunningRouter, running_router
from tests.support.timeouts import WAIT_S

CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json"
ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}}
_SIGN_INS = 3
_AT_ONCE = 4


@dataclass
class ScenarioRun:
    """One scenario: its description by the suite, and what we did."""

    url: str
    scenario: str
    revision: str
    context: dict[str, Any]
    said: list[str] = field(default_factory=list[str])


@asynccontextmanager
async def waiting_for_scenarios(scenarios: Collection[str], path: Path) -> AsyncGenerator[None]:
    """Run those of `scenarios` that a front process requests on the socket at `path`."""
    places = asyncio.Semaphore(_AT_ONCE)

    async def answer_front(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        play = ScenarioRun(**json.loads(await reader.readline()))
        async with places:
            if play.scenario in scenarios:
                await run_scenario(play)
        writer.write("\n".join(play.said).encode())
        writer.close()

    async with await asyncio.start_unix_server(answer_front, path):
        yield


def configuration(play: ScenarioRun) -> ServerConfig:
    oauth = None
    if play.scenario == "auth/basic-cimd":
        oauth = OAuthConfig(client_id=CLIENT_DOCUMENT)
    elif "client_id" in play.context:
        secret = play.context.get("client_secret", "")
        oauth = OAuthConfig(client_id=play.context["client_id"], client_secret=secret)
    return ServerConfig(url=play.url, oauth=oauth, protocol_version=play.revision)


async def sign_in(play: ScenarioRun, running: RunningRouter, ref: ServerRef) -> bool:
    """Do what a user does in the browser; whether it worked."""
    try:
        waiting = await running.router.sign_ins.begin(ref)
        async with httpx2.AsyncClient(follow_redirects=True, timeout=WAIT_S) as browser:
            await browser.get(waiting.authorization_url)
        await running.router.sign_ins.ended(ref)
    except ToolboothError as error:
        play.said.append(f"sign-in: {error} {error.hint}")
        return False
    return True


def state_of(play: ScenarioRun, running: RunningRouter) -> ServerState:
    [status] = running.router.servers.list(PERSONAL)
    play.said.append(f"{status.state} {status.discovery} {status.failure}")
    return status.state


async def answer(context: ClientRequestContext, params: Any) -> types.ElicitResult:
    """Accept with the defaults of the form."""
    fields: dict[str, Any] = getattr(params, "requested_schema", {}).get("properties", {})
    content = {name: field["default"] for name, field in fields.items() if "default" in field}
    return types.ElicitResult(action="accept", content=content or {"name": "ada", "ok": True})


async def run_tools(play: ScenarioRun, running: RunningRouter, ref: ServerRef) -> bool:
    """Whether none of them needed another sign-in."""
    content = True
    headers = {"Authorization": f"Bearer {running.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=WAIT_S) as http:
        transport = streamable_http_client(running.url, http_client=http)
        async with Client(transport, mode="legacy", elicitation_callback=answer) as client:
            for tool in running.router.tools.list(ref):
                call = {"toolKey": str(tool.key), "arguments": _arguments(play, tool)}
                with suppress(MCPError):
                    result = await client.call_tool("tool_execute", call)
                    play.said.append(f"{tool.key}: {result.content}")
                    content &= "toolbooth sign-in" not in str(result.content)
    return content


def _arguments(play: ScenarioRun, tool: ToolView) -> dict[str, Any]:
    """The suite's arguments, or a value for each required parameter."""
    for call in play.context.get("toolCalls", []):
        if call.get("name") == tool.key.tool:
            return call.get("arguments", {})
    made_up: dict[str, Any] = {"string": "words", "integer": 1, "number": 1, "boolean": True}
    needed = {p.name: made_up.get(p.type, "words") for p in tool.parameters if p.required}
    return ARGUMENTS.get(tool.key.tool, needed)


async def run_scenario(play: ScenarioRun) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with running_router(Path(folder)) as running:
            ref = await running.add("suite", configuration(play))
            content = state_of(play, running) is not ServerState.NEEDS_SIGN_IN
            for _ in range(_SIGN_INS):
                if not content and not await sign_in(play, running, ref):
                    break
                await running.router.discovery.refresh(PERSONAL, ref.server)
                content = await run_tools(play, running, ref)
                content &= state_of(play, running) is not ServerState.NEEDS_SIGN_IN
                if content:
                    break
