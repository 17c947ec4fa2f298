"""The command `status`."""

from __future__ import annotations

import os

from router.commands.command import Command
from router.commands.context import Context
from router.commands.servers import rejected_json, rejection_lines, server_json, server_lines
from router.commands.workspaces import workspace_json
from router.domain.json_values import JsonObject


async def _status(context: Context) -> JsonObject:
    router = context.router
    await router.servers.measure()
    listener = router.endpoint.state()
    return {
        "pid": os.getpid(),
        "listener": {"phase": listener.phase, "url": listener.url, "message": listener.message},
        "rejected": [rejected_json(file) for file in router.settings.rejected_files()],
        "workspaces": [workspace_json(w) for w in router.workspaces.list()],
        "servers": [
            server_json(s) for w in router.workspaces.list() for s in router.servers.list(w.id)
        ],
    }


def _status_lines(result: JsonObject) -> list[str]:
    listener: JsonObject = result["listener"]
    running = f"Running at {listener['url']} (process {result['pid']})."
    first = running if listener.get("url") else listener.get("message") or "Not running."
    active = next((w["name"] for w in result["workspaces"] if w["active"]), None)
    others = [w["name"] for w in result["workspaces"] if not w["active"]]
    names = f"Workspace: {active}" + (f" (others: {', '.join(others)})" if others else "")
    rejected = [f"! {sentence}" for sentence in rejection_lines(result["rejected"])]
    return [str(first), names, *rejected, *server_lines(result["servers"])]


COMMANDS = (
    Command(
        "status",
        "Show the status of Toolbooth and its servers.",
        _status,
        (),
        ("--json",),
        _status_lines,
    ),
)
