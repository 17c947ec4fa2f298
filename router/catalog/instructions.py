"""The `instructions` a client gets for a view: how to use it, and a line for each server."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject
from router.domain.workspaces import Exposure

MAX_INSTRUCTIONS_BYTES = 2048
_DESCRIPTION_LENGTHS = (100, 60, 30, 0)
"""They become shorter until every server has its line."""
_INTRODUCTION = {
    None: "Toolbooth gives access to the tools of the servers below.",
    Exposure.SEARCH: (
        "Toolbooth gives access to the tools of the servers below. Find tools with "
        "tool_discovery, run them with tool_execute."
    ),
    Exposure.PROGRESSIVE: (
        "Toolbooth gives access to the tools of the servers below. Read about them with "
        "list-servers, list-server-tools and tool-details, call them in Lua scripts with execute."
    ),
}
_WITH_SEARCH = (
    "Toolbooth gives access to the tools of the servers below. Find tools with tool_discovery, or "
    "read about them with list-servers, list-server-tools and tool-details; call them in Lua "
    "scripts with execute."
)


def instructions_of(
    exposure: Exposure | None,
    servers: Sequence[tuple[ServerId, JsonObject | None]],
    tools: Collection[ToolKey],
    *,
    offer_search: bool = False,
) -> str:
    """The instructions, bounded in size. Every server is named, as long as the names alone have
    room. `exposure` None: clients get all tools; `servers` are ids with their `serverInfo`,
    None for those whose tools are not known yet."""
    searches = offer_search and exposure is Exposure.PROGRESSIVE
    introduction = _WITH_SEARCH if searches else _INTRODUCTION[exposure]
    names = defaultdict[ServerId, list[str]](list)
    for key in tools:
        names[key.server].append(key.tool)
    for length in _DESCRIPTION_LENGTHS:
        lines = [_line(server, info, names[server], length) for server, info in servers]
        text = "\n".join((introduction, *lines))
        if len(text.encode()) <= MAX_INSTRUCTIONS_BYTES:
            return text
    return f"{introduction}\n{_names(servers, MAX_INSTRUCTIONS_BYTES - len(introduction) - 1)}"


def _names(servers: Sequence[tuple[ServerId, JsonObject | None]], room: int) -> str:
    """As many names as there is room for; ids are ASCII."""
    shown = len(servers)
    while True:
        more = [f"and {len(servers) - shown} more servers."] if shown < len(servers) else []
        text = ", ".join([server for server, _ in servers[:shown]] + more)
        if len(text) <= room:
            return text
        shown -= 1


def _line(server: ServerId, info: JsonObject | None, names: Sequence[str], length: int) -> str:
    """One line about a server: its description if it has one, else a few of its tools."""
    if info is None:
        return f"- {server} (tools not known yet)" if length else f"- {server}"
    about = _short_description(info, length) or ", ".join(names[:5])
    count = "1 tool" if len(names) == 1 else f"{len(names)} tools"
    return f"- {server} ({count}): {about}" if length and about else f"- {server} ({count})"


def _short_description(server_info: JsonObject, length: int) -> str:
    description = server_info.get("description")
    if not isinstance(description, str):
        return ""
    line = " ".join(description.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"
