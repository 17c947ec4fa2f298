"""The `instructions` a client gets for a view: how to use it, and a line for each server."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject
from router.domain.workspaces import Exposure

MAX_INSTRUCTIONS_BYTES = 2048
_INTRODUCTION = {
    Exposure.SEARCH: (
        "Toolbooth gives access to the tools of the servers below. Find tools with "
        "tool_discovery, run them with tool_execute."
    ),
    Exposure.PROGRESSIVE: (
        "Toolbooth gives access to the tools of the servers below. Read about them with "
        "list-servers, list-server-tools and tool-details, call them in Lua scripts with execute."
    ),
}


def instructions_of(
    exposure: Exposure,
    servers: Sequence[tuple[ServerId, JsonObject]],
    tools: Collection[ToolKey],
) -> str:
    """The instructions, bounded in size. `servers` are ids with their `serverInfo`."""
    lines = [_INTRODUCTION[exposure]]
    room = MAX_INSTRUCTIONS_BYTES - len(lines[0].encode())
    for number, (server, info) in enumerate(servers):
        line = _line(server, info, tools)
        rest = f"… and {len(servers) - number} more servers."
        room -= len(line.encode()) + 1
        if room < len(rest.encode()) + 1:
            lines.append(rest)
            break
        lines.append(line)
    return "\n".join(lines)


def _line(server: ServerId, info: JsonObject, tools: Collection[ToolKey]) -> str:
    """One line about a server: its description if it has one, else a few of its tools."""
    names = [key.tool for key in tools if key.server == server]
    about = _short_description(info)
    examples = ", ".join(names[:5])
    return f"- {server} ({len(names)} tools): {about or examples or 'not listed yet'}"


def _short_description(server_info: JsonObject) -> str:
    description = server_info.get("description")
    if not isinstance(description, str):
        return ""
    line = " ".join(description.split())
    return line if len(line) <= 100 else f"{line[:99]}…"
