"""The five tools of the exposure `progressive`: their definitions, and their results about servers.

Like the two meta-tools the definitions are the same bytes on every call, and short. Results come
from cached tool lists: no server is started.
"""

from __future__ import annotations

from typing import cast

from router.catalog.lua_reference import example, parameter_lines
from router.catalog.server_entry import ServerEntry
from router.catalog.tool_definition import compact_json
from router.catalog.view import View
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.names import SCRIPTS
from router.domain.tools import Tool

LIST_SERVERS = "list-servers"
LIST_TOOLS = "list-server-tools"
DETAILS = "tool-details"
INSPECT = "inspect-tool-response"
EXECUTE = "execute"
_MAX_BRIEF = 120
_MAX_INSTRUCTIONS = 600
_MAX_RESPONSE = 8000
_READS: JsonObject = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
_SERVER: JsonObject = {"type": "string", "description": "Lua identifier, from list-servers."}
_TOOL: JsonObject = {"type": "string", "description": "Lua identifier, from list-server-tools."}

EXECUTE_TOOL: JsonObject = {
    "name": EXECUTE,
    "title": "Run a script",
    "description": (
        "Run a Lua 5.4 script that calls tools: server.tool{name = value}:await() returns the "
        "tool's result as a table or string, or raises its error (catch it with pcall). Without "
        ":await() a call runs meanwhile; await_all{call1, call2} waits for several. Finish with "
        "result(value): only that and what you print come back, so filter and combine in the "
        "script. JSON null is null; array{} is an empty list. No files, network or os."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {"script": {"type": "string", "description": "The Lua script."}},
        "required": ["script"],
    },
}
TOOLS: tuple[JsonObject, ...] = (
    {
        "name": LIST_SERVERS,
        "title": "List servers",
        "description": "List the servers whose tools scripts can call, with their Lua identifiers.",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": _READS,
    },
    {
        "name": LIST_TOOLS,
        "title": "List a server's tools",
        "description": "List a server's tools in brief, with their Lua identifiers.",
        "inputSchema": {
            "type": "object",
            "properties": {"luaServerName": _SERVER},
            "required": ["luaServerName"],
        },
        "annotations": _READS,
    },
    {
        "name": DETAILS,
        "title": "Read about a tool",
        "description": "A tool's full description, its parameters, and an example in Lua.",
        "inputSchema": {
            "type": "object",
            "properties": {"luaServerName": _SERVER, "luaToolName": _TOOL},
            "required": ["luaServerName", "luaToolName"],
        },
        "annotations": _READS,
    },
    {
        "name": INSPECT,
        "title": "Try a tool",
        "description": (
            "Call a tool to see what its response looks like. This REALLY runs the tool: only for "
            "tools that read, and cost little."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "luaServerName": _SERVER,
                "luaToolName": _TOOL,
                "sampleArgs": {"type": "object", "description": "Arguments of the sample call."},
            },
            "required": ["luaServerName", "luaToolName"],
        },
    },
    EXECUTE_TOOL,
)
NAMES = frozenset(str(tool["name"]) for tool in TOOLS)
LISTING: JsonObject = {"tools": list(TOOLS)}


def required_text(arguments: JsonObject, name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidInput(f'"{name}" is required.')
    return value


def named_tool(view: View, arguments: JsonObject) -> Tool:
    """The tool that `luaServerName` and `luaToolName` name."""
    server = required_text(arguments, "luaServerName")
    return view.lua.tool(server, required_text(arguments, "luaToolName"))


def sample_arguments(arguments: JsonObject) -> JsonObject:
    given = arguments.get("sampleArgs", {})
    if not isinstance(given, dict):
        raise InvalidInput('"sampleArgs" must be an object.')
    return cast(JsonObject, given)


def servers_text(view: View) -> str:
    """The result of `list-servers`."""
    entries = {entry.id: entry for entry in view.servers}
    parts = ["Available MCP Servers:"]
    for identifier, server in view.lua.servers.items():
        if server == SCRIPTS:
            parts.append(f"## Scripts (Lua: {identifier})\nScripts that the user keeps.")
        else:
            parts.append(_server(entries[server], identifier))
    return "\n\n".join(parts) if len(parts) > 1 else "There are no servers."


def _server(entry: ServerEntry, identifier: str) -> str:
    info = entry.listing.server_info
    lines = [f"## {entry.name} (Lua: {identifier})"]
    if about := _in_one_line(info.get("description") or info.get("title"), _MAX_BRIEF * 2):
        lines.append(about)
    if version := _in_one_line(info.get("version"), 40):
        lines.append(f"Version: {version}")
    if instructions := _in_one_line(entry.listing.instructions, _MAX_INSTRUCTIONS):
        lines.append(f"Instructions: {instructions}")
    if entry.cached is None:
        lines.append("Its tools are not known yet.")
    return "\n".join(lines)


def tools_text(view: View, arguments: JsonObject) -> str:
    """The result of `list-server-tools`."""
    server = view.lua.server(required_text(arguments, "luaServerName"))
    name = next((entry.name for entry in view.servers if entry.id == server), "Scripts")
    view.check_listed(server)
    tools = view.lua.tools(server)
    if not tools:
        return f"{name} has no tools."
    lines = [_tool_line(identifier, tool) for identifier, tool in tools.items()]
    return "\n".join((f"Tools for {name}:", "", *lines))


def _tool_line(identifier: str, tool: Tool) -> str:
    about = _in_one_line(tool.description, _MAX_BRIEF)
    return f"- {tool.key.tool} (Lua: {identifier})" + (f": {about}" if about else "")


def details_text(view: View, arguments: JsonObject) -> str:
    """The result of `tool-details`."""
    tool = named_tool(view, arguments)
    lines = parameter_lines(tool.input_schema)
    parts = [
        f"## {tool.key.tool}",
        tool.description.strip(),
        "### Parameters",
        "\n".join(lines) if lines else "None.",
        "### Example Usage",
        example(view.lua.spelled(tool.key), tool),
    ]
    return "\n\n".join(part for part in parts if part)


def response_text(tool: Tool, result: JsonObject) -> str:
    """The result of `inspect-tool-response`: what a script would get from the tool."""
    kind, value = script_value(result)
    shown = value if isinstance(value, str) else compact_json(value)
    what = {"error": "It failed", "text": "Its response, a text"}.get(kind, "Its response")
    if len(shown) > _MAX_RESPONSE:
        shown = f"{shown[:_MAX_RESPONSE]}\n(cut: it has {len(shown):,} characters)"
    return f"This really called {tool.key}. {what}:\n\n{shown}"


def script_value(result: JsonObject) -> tuple[str, object]:
    """What a script gets from a tool's result, after its kind: the text of an error; structured
    content; a single text, which may be JSON; else all content blocks."""
    if result.get("resultType") == "input_required":
        return "error", "The tool asks the user something, which can't be done in a script."
    blocks = [as_object(block) for block in as_array(result.get("content"))]
    texts = [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
    if result.get("isError"):
        return "error", "\n".join(texts) or "The tool reported an error."
    if (structured := result.get("structuredContent")) is not None:
        return "value", structured
    if len(texts) == len(blocks) == 1:
        return "text", texts[0]
    return "value", [b["text"] if b.get("type") == "text" else b for b in blocks] or None


def _in_one_line(text: object, limit: int) -> str:
    line = " ".join(str(text or "").split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
