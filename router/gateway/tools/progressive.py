"""The five tools of the exposure `progressive`: their definitions (`resources/tools/`) and results.

Like the two meta-tools the definitions are the same bytes on every call, and short. Results about
servers come from cached tool lists: no server is started.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

import resources
from router.catalog.lua_reference import example, parameter_lines
from router.catalog.server_entry import ServerEntry
from router.catalog.tool_definition import compact_json, result_tokens
from router.catalog.view import View
from router.domain.activity import ActivityKind, Outcome
from router.domain.errors import InvalidInput, ToolboothError
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS
from router.domain.result import Failed, Ok, ToolResult, failed
from router.domain.tools import Tool
from router.gateway.client_request import ClientRequest
from router.gateway.tools.activity_recorder import ActivityRecorder
from router.gateway.tools.script_tools import ScriptTools, script_value
from router.gateway.tools.tool_results import error_result, outcome_of, text_result

EXECUTE = "execute"
_MAX_BRIEF = 120
_MAX_INSTRUCTIONS = 600
_MAX_RESPONSE = 8000
TOOLS: tuple[JsonObject, ...] = tuple(json.loads(resources.read_text("tools", "progressive.json")))
EXECUTE_TOOL = next(tool for tool in TOOLS if tool["name"] == EXECUTE)
NAMES = frozenset(str(tool["name"]) for tool in TOOLS)
LISTING: JsonObject = {"tools": list(TOOLS)}


@dataclass(frozen=True, slots=True)
class ProgressiveCalls:
    recorder: ActivityRecorder
    script_tools: ScriptTools

    async def call(
        self, request: ClientRequest, view: View, name: str, arguments: JsonObject
    ) -> JsonObject:
        """The result of a call of one of `TOOLS`."""
        outcome, message, tokens = Outcome.CANCELLED, None, 0
        try:
            result = await self._result(request, view, name, arguments)
            outcome, message = outcome_of(result)
            answer = result.value if isinstance(result, Ok) else error_result(result)
            tokens = result_tokens(answer)
            return answer
        finally:
            runs = name in (EXECUTE, "inspect-tool-response")
            self.recorder.record(
                request,
                ActivityKind.CALL if runs else ActivityKind.SEARCH,
                outcome,
                tool=name if runs else None,
                detail=None if runs else " ".join((name, *map(str, arguments.values()))),
                context_tokens=tokens,
                saved_tokens=-tokens,
                message=message,
            )

    async def _result(
        self, request: ClientRequest, view: View, name: str, arguments: JsonObject
    ) -> ToolResult[JsonObject]:
        try:
            match name:
                case "list-servers":
                    return Ok(text_result(_servers_text(view)))
                case "list-server-tools":
                    view = await self._listed(request, view, arguments)
                    return Ok(text_result(_tools_text(view, arguments)))
                case "tool-details":
                    view = await self._listed(request, view, arguments)
                    return Ok(text_result(_details_text(view, arguments)))
                case "inspect-tool-response":
                    view = await self._listed(request, view, arguments)
                    return await self._inspect(request, view, arguments)
                case _:
                    script = _required_text(arguments, "script")
                    return Ok(await self.script_tools.execute(request, script))
        except ToolboothError as error:
            return failed(error)

    async def _listed(self, request: ClientRequest, view: View, arguments: JsonObject) -> View:
        """The view, once the tools of the server that the arguments name are known."""
        server = view.lua.server(_required_text(arguments, "luaServerName"))
        return await self.script_tools.execution.view_with(request, server)

    async def _inspect(
        self, request: ClientRequest, view: View, arguments: JsonObject
    ) -> ToolResult[JsonObject]:
        tool = _named_tool(view, arguments)
        sample = _sample_arguments(arguments)
        called = request.from_script(1, request.on_progress)
        result = await self.script_tools.run_tool(called, tool.key, sample)
        if isinstance(result, Failed):
            return result
        answer = text_result(_response_text(tool, result.value))
        return Ok({**answer, "isError": True} if result.value.get("isError") else answer)


def _required_text(arguments: JsonObject, name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidInput(f'"{name}" is required.')
    return value


def _named_tool(view: View, arguments: JsonObject) -> Tool:
    """The tool that `luaServerName` and `luaToolName` name."""
    server = _required_text(arguments, "luaServerName")
    return view.lua.tool(server, _required_text(arguments, "luaToolName"))


def _sample_arguments(arguments: JsonObject) -> JsonObject:
    given = arguments.get("sampleArgs", {})
    if not isinstance(given, dict):
        raise InvalidInput('"sampleArgs" must be an object.')
    return cast(JsonObject, given)


def _servers_text(view: View) -> str:
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


def _tools_text(view: View, arguments: JsonObject) -> str:
    """The result of `list-server-tools`."""
    server = view.lua.server(_required_text(arguments, "luaServerName"))
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


def _details_text(view: View, arguments: JsonObject) -> str:
    """The result of `tool-details`."""
    tool = _named_tool(view, arguments)
    lines = parameter_lines(tool.input_schema)
    parts = [
        f"## {tool.key.tool}",
        tool.description.strip(),
        "### Parameters",
        "\n".join(lines) if lines else "None.",
        "### Example Usage",
        example(view.lua.qualified_name(tool.key), tool),
    ]
    return "\n\n".join(part for part in parts if part)


def _response_text(tool: Tool, result: JsonObject) -> str:
    """The result of `inspect-tool-response`: what a script would get from the tool."""
    kind, value = script_value(result)
    shown = value if isinstance(value, str) else compact_json(value)
    what = {"error": "It failed", "text": "Its response, a text"}.get(kind, "Its response")
    if len(shown) > _MAX_RESPONSE:
        shown = f"{shown[:_MAX_RESPONSE]}\n(cut: it has {len(shown):,} characters)"
    return f"This really called {tool.key}. {what}:\n\n{shown}"


def _in_one_line(text: object, limit: int) -> str:
    line = " ".join(str(text or "").split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
