"""What a script saves over `tool_execute`: time per call, and tokens for the same fifty calls.

The calls are real, to widely used servers. Tokens are counted over what the client sends and
receives.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bench.client import HttpConnection, http_connections
from bench.latency import Effort
from bench.peers import NODE, ROOT, Toolbooth
from bench.upstreams import Upstream, stdio_upstream
from router.catalog.tool_definition import CHARACTERS_PER_TOKEN

NODE_SERVERS = ROOT / "tests" / "node" / "node_modules" / "@modelcontextprotocol"
TIME_SERVER = str(ROOT / ".venv-e2e" / "bin" / "mcp-server-time")
FILES = 15
ZONES = ("Asia/Tokyo", "Europe/Berlin", "America/New_York", "UTC")
ECHOES = "for i = 1, {calls} do stdio.echo{{text = 'call ' .. i}}:await() end result({calls})"
FIFTY_CALLS = """
local writing, reading = {}, {}
for i = 1, 15 do
    writing[i] = files.write_file{path = FOLDER .. "/" .. i .. ".txt", content = ("x"):rep(i * 100)}
end
await_all(writing)
for i = 1, 15 do reading[i] = files.read_text_file{path = FOLDER .. "/" .. i .. ".txt"} end
local total = 0
for i, got in ipairs(await_all(reading)) do
    total = total + #got.content
    memory.create_entities{entities = {
        {name = "file " .. i, entityType = "file", observations = {"has " .. #got.content}},
    }}:await()
end
local zones = {"Asia/Tokyo", "Europe/Berlin", "America/New_York", "UTC"}
for _, zone in ipairs(zones) do time.get_current_time{timezone = zone}:await() end
local graph = memory.read_graph{}:await()
result(total + #graph.entities)
"""

Step: TypeAlias = tuple[str, dict[str, Any]]
"""A tool key and its arguments."""


@dataclass(frozen=True, slots=True)
class ScriptFigures:
    execute_ms: float
    """Per call by `tool_execute`, one after the other."""
    script_ms: float
    """Per call in a script, one after the other, the script's own start included."""
    ratio: float
    calls: int
    execute_tokens: int
    script_tokens: int


async def measure_scripts(folder: Path, effort: Effort) -> ScriptFigures:
    executed, scripted = await _measure_times(folder / "echo", effort)
    execute_tokens, script_tokens = await _measure_tokens(folder / "real")
    return ScriptFigures(
        execute_ms=executed,
        script_ms=scripted,
        ratio=scripted / executed,
        calls=len(list(_steps("/"))),
        execute_tokens=execute_tokens,
        script_tokens=script_tokens,
    )


async def _measure_times(folder: Path, effort: Effort) -> tuple[float, float]:
    """Medians over all rounds, alternating, since the machine's speed changes."""
    executed: list[float] = []
    scripted: list[float] = []
    peer = Toolbooth(folder, [stdio_upstream("stdio")])
    peer.offer_scripts()
    with peer.start() as running:
        async with http_connections(running.url, running.headers, 1) as [connection]:
            script = {"script": ECHOES.format(calls=effort.calls)}
            await _call(connection, "execute", script)  # warms up
            for _ in range(effort.rounds):
                started = time.perf_counter()
                for number in range(effort.calls):
                    echo = {"toolKey": "stdio:echo", "arguments": {"text": f"call {number}"}}
                    await _call(connection, "tool_execute", echo)
                between = time.perf_counter()
                await _call(connection, "execute", script)
                executed.append(1000 * (between - started) / effort.calls)
                scripted.append(1000 * (time.perf_counter() - between) / effort.calls)
    return statistics.median(executed), statistics.median(scripted)


async def _measure_tokens(folder: Path) -> tuple[int, int]:
    """What the same fifty calls add to a client's context: with `tool_execute`, with a script."""
    files = folder / "files"
    peer = Toolbooth(folder / "data", list(_real_servers(files, folder / "memory.json")))
    peer.offer_scripts()
    with peer.start() as running:
        async with http_connections(running.url, running.headers, 1) as [connection]:
            executed = [
                await _call(connection, "tool_execute", {"toolKey": key, "arguments": arguments})
                for key, arguments in _steps(str(files))
            ]
            script = FIFTY_CALLS.replace("FOLDER", json.dumps(str(files)))
            scripted = await _call(connection, "execute", {"script": script})
    return sum(executed), scripted


def _real_servers(files: Path, memory: Path) -> Iterator[Upstream]:
    files.mkdir(parents=True)
    index = "dist/index.js"
    yield Upstream("files", (NODE, str(NODE_SERVERS / "server-filesystem" / index), str(files)))
    environment = ("env", f"MEMORY_FILE_PATH={memory}")
    yield Upstream("memory", (*environment, NODE, str(NODE_SERVERS / "server-memory" / index)))
    yield Upstream("time", (TIME_SERVER,))


def _steps(folder: str) -> Iterator[Step]:
    """The calls of the script, one by one, as a model without scripts makes them."""
    for i in range(1, FILES + 1):
        yield "files:write_file", {"path": f"{folder}/{i}.txt", "content": "x" * i * 100}
    for i in range(1, FILES + 1):
        yield "files:read_text_file", {"path": f"{folder}/{i}.txt"}
    for i in range(1, FILES + 1):
        entity = {"name": f"file {i}", "entityType": "file", "observations": [f"has {i * 100}"]}
        yield "memory:create_entities", {"entities": [entity]}
    for zone in ZONES:
        yield "time:get_current_time", {"timezone": zone}
    yield "memory:read_graph", {}


async def _call(connection: HttpConnection, name: str, arguments: dict[str, Any]) -> int:
    """Call a tool; about how many tokens its arguments and result have."""
    result = await connection.ask("tools/call", {"name": name, "arguments": arguments})
    if result.get("isError"):
        raise RuntimeError(f"{name} failed: {result['content']}")
    back = "".join(block.get("text", "") for block in result["content"])
    return -(-(len(json.dumps(arguments)) + len(back)) // CHARACTERS_PER_TOKEN)
