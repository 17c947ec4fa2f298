"""The command `status`."""

from __future__ import annotations

import os

from router.commands.command import Commands
from router.commands.context import Context
from router.commands.output import json_fields
from router.commands.servers import (
    file_problems,
    rejection_lines,
    server_json,
    server_lines,
    unwritten_lines,
)
from router.commands.workspaces import list_workspaces
from router.domain.json_values import JsonObject

COMMANDS = Commands()


def _lines(result: JsonObject) -> list[str]:
    listener: JsonObject = result["listener"]
    running = f"Running at {listener['url']} (process {result['pid']})."
    first = running if listener.get("url") else listener.get("message") or "Not running."
    active = next((w["name"] for w in result["workspaces"] if w["active"]), None)
    others = [w["name"] for w in result["workspaces"] if not w["active"]]
    names = f"Workspace: {active}" + (f" (others: {', '.join(others)})" if others else "")
    problems = [*rejection_lines(result["rejected"]), *unwritten_lines(result)]
    faulty = [f"! {sentence}" for sentence in problems]
    packages = f"Packages: {mb:,} MB on disk" if (mb := result["packageBytes"] // 1_000_000) else ""
    return [str(first), names, *filter(None, [packages]), *faulty, *server_lines(result["servers"])]


@COMMANDS.add(
    "status", "Show the status of Toolbooth and its servers.", examples=["--json"], lines=_lines
)
async def status(context: Context) -> JsonObject:
    router = context.router
    await router.servers.measure()
    return {
        "pid": os.getpid(),
        "listener": json_fields(router.endpoint.state(), "phase url message"),
        **await file_problems(context),
        "workspaces": await list_workspaces(context),
        "packageBytes": await router.discovery.package_bytes(),
        "servers": [
            server_json(s) for w in router.workspaces.list() for s in router.servers.list(w.id)
        ],
    }
