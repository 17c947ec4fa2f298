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
    messages: list[str] = field(default_factory=list[str])


@asynccontextmanager
async def waiting_for_scenarios(scenarios: Collection[str], path: Path) -> AsyncGenerator[None]:
    """Run those of `scenarios` that a front process requests on the socket at `path`."""
    places = asyncio.Semaphore(_AT_ONCE)

    async def answer_front(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        scenario_run = ScenarioRun(**json.loads(await reader.readline()))
        async with places:
            if scenario_run.scenario in scenarios:
                await run_scenario(scenario_run)
        writer.write("\n".join(scenario_run.messages).encode())
        writer.close()

    async with await asyncio.start_unix_server(answer_front, path):
        yield


def configuration(scenario_run: ScenarioRun) -> ServerConfig:
    oauth = None
    if scenario_run.scenario == "auth/basic-cimd":
        oauth = OAuthConfig(client_id=CLIENT_DOCUMENT)
    elif "client_id" in scenario_run.context:
        secret = scenario_run.context.get("client_secret", "")
        oauth = OAuthConfig(client_id=scenario_run.context["client_id"], client_secret=secret)
    return ServerConfig(url=scenario_run.url, oauth=oauth, protocol_version=scenario_run.revision)


async def sign_in(scenario_run: ScenarioRun, running: RunningRouter, ref: ServerRef) -> bool:
    """Do what a user does in the browser; whether it worked."""
    try:
        waiting = await running.router.sign_ins.begin(ref)
        async with httpx2.AsyncClient(follow_redirects=True, timeout=WAIT_S) as browser:
            await browser.get(waiting.authorization_url)
        await running.router.sign_ins.ended(ref)
    except ToolboothError as error:
        scenario_run.messages.append(f"sign-in: {error} {error.hint}")
        return False
    return True


def state_of(scenario_run: ScenarioRun, running: RunningRouter) -> ServerState:
    [status] = running.router.servers.list(PERSONAL)
    scenario_run.messages.append(f"{status.state} {status.discovery} {status.failure}")
    return status.state


async def answer(context: ClientRequestContext, params: Any) -> types.ElicitResult:
    """Accept with the defaults of the form."""
    fields: dict[str, Any] = getattr(params, "requested_schema", {}).get("properties", {})
    content = {name: field["default"] for name, field in fields.items() if "default" in field}
    return types.ElicitResult(action="accept", content=content or {"name": "ada", "ok": True})


async def run_tools(scenario_run: ScenarioRun, running: RunningRouter, ref: ServerRef) -> bool:
    """Whether none of them needed another sign-in."""
    content = True
    headers = {"Authorization": f"Bearer {running.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=WAIT_S) as http:
        transport = streamable_http_client(running.url, http_client=http)
        async with Client(transport, mode="legacy", elicitation_callback=answer) as client:
            for tool in running.router.tools.list(ref):
                call = {"toolKey": str(tool.key), "arguments": _arguments(scenario_run, tool)}
                with suppress(MCPError):
                    result = await client.call_tool("tool_execute", call)
                    scenario_run.messages.append(f"{tool.key}: {result.content}")
                    content &= "Sign-in required" not in str(result.content)
    return content


def _arguments(scenario_run: ScenarioRun, tool: ToolView) -> dict[str, Any]:
    """The suite's arguments, or a value for each required parameter."""
    for call in scenario_run.context.get("toolCalls", []):
        if call.get("name") == tool.key.tool:
            return call.get("arguments", {})
    placeholders: dict[str, Any] = {"string": "words", "integer": 1, "number": 1, "boolean": True}
    needed = {p.name: placeholders.get(p.type, "words") for p in tool.parameters if p.required}
    return ARGUMENTS.get(tool.key.tool, needed)


async def run_scenario(scenario_run: ScenarioRun) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with running_router(Path(folder)) as running:
            ref = await running.add("suite", configuration(scenario_run))
            content = state_of(scenario_run, running) is not ServerState.NEEDS_SIGN_IN
            for _ in range(_SIGN_INS):
                if not content and not await sign_in(scenario_run, running, ref):
                    break
                await running.router.discovery.refresh(PERSONAL, ref.server)
                content = await run_tools(scenario_run, running, ref)
                content &= state_of(scenario_run, running) is not ServerState.NEEDS_SIGN_IN
                if content:
                    break
