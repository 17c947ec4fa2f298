"""The five tools of the exposure `progressive`: their definitions (`resources/tools/`) and results.

Like the two meta-tools the definitions are the same bytes on every call, and short. Results about
servers come from cached tool lists: no server is started.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import resources
from router.catalog.lua_reference import MAX_LINES, example, parameter_lines, return_lines
from router.catalog.response_shape import ResponseShapes
from router.catalog.server_entry import ServerEntry
from router.catalog.tool_definition import compact_json, result_tokens
from router.catalog.view import View
from router.domain.activity import ActivityKind, Outcome
from router.domain.errors import InvalidInput, ToolboothError
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.names import SCRIPTS, folded
from router.domain.result import Failed, Ok, ToolResult, failed
from router.domain.tools import Tool
from router.gateway.client_request import ClientRequest
from router.gateway.tools.activity_recorder import ActivityRecorder
from router.gateway.tools.arguments import decoded_text, own_arguments
from router.gateway.tools.script_tools import ScriptTools, script_value
from router.gateway.tools.tool_results import error_result, outcome_of, text_result

EXECUTE = "execute"
_MAX_BRIEF = 120
_MAX_INSTRUCTIONS = 600
_MAX_RESPONSE = 8000
_MAX_NAMES = 8
_MAX_DETAILS = 20
"""How many tools `tool-details` describes at once."""
_MIN_LINES = 15
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|(?<=[。！？])")
TOOLS: tuple[JsonObject, ...] = tuple(json.loads(resources.read_text("tools", "progressive.json")))
EXECUTE_TOOL = next(tool for tool in TOOLS if tool["name"] == EXECUTE)
NAMES = frozenset(str(tool["name"]) for tool in TOOLS)
LISTING: JsonObject = {"tools": list(TOOLS)}


@dataclass(frozen=True, slots=True)
class ProgressiveCalls:
    recorder: ActivityRecorder
    script_tools: ScriptTools
    shapes: ResponseShapes

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
                    return Ok(text_result(await self._details(request, view, arguments)))
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
        return await self._with_list(request, server)

    async def _with_list(self, request: ClientRequest, server: ServerId) -> View:
        return await self.script_tools.execution.view_with(request, server)

    async def _details(self, request: ClientRequest, view: View, arguments: JsonObject) -> str:
        """The result of `tool-details`: of several tools each that there is, and what is wrong with
        the others; raised if none is left."""
        names = _named_tools(view, arguments)
        lines = max(MAX_LINES // len(names), _MIN_LINES)
        owner = request.principal.identity
        parts: list[str] = []
        found, problem = False, None
        for server, name in names:
            try:
                listed = await self.script_tools.execution.view_with(
                    request, view.lua.server(server)
                )
                tool = listed.lua.tool(server, name)
            except ToolboothError as error:
                problem = error
                parts.append(f"{error.message} {error.hint}".strip())
                continue
            found, call = True, listed.lua.qualified_name(tool.key)
            parts.append(_details_text(tool, call, self.shapes.seen(owner, tool.key), lines))
        if problem is not None and not found:
            raise problem
        return "\n\n".join(parts)

    async def _inspect(
        self, request: ClientRequest, view: View, arguments: JsonObject
    ) -> ToolResult[JsonObject]:
        tool = _named_tool(view, arguments)
        sample = own_arguments(arguments, "sampleArgs")
        called = request.from_script(1, request.on_progress)
        result = await self.script_tools.run_tool(called, tool.key, sample)
        if isinstance(result, Failed):
            return replace(result, message=f"{_was_called(tool, result)} {result.message}")
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


def _named_tools(view: View, arguments: JsonObject) -> list[tuple[str, str]]:
    """The servers and tools that `tool-details` is asked about: `luaToolName` of `luaServerName`,
    and `luaToolNames`, which may also name their servers: `github.create_issue`."""
    several = decoded_text(arguments.get("luaToolNames"))
    listed = [several] if isinstance(several, str) else as_array(several)
    names = [each for each in (arguments.get("luaToolName"), *listed) if each]
    if not names:
        raise InvalidInput('"luaToolName" is required.')
    if len(names) > _MAX_DETAILS or not all(isinstance(name, str) for name in names):
        raise InvalidInput(f'"luaToolNames" must be a list of at most {_MAX_DETAILS} names.')
    return [_server_and_tool(view, arguments, str(name)) for name in names]


def _server_and_tool(view: View, arguments: JsonObject, name: str) -> tuple[str, str]:
    """A tool's own name may have a dot as well, and then comes first."""
    server, _, tool = name.partition(".")
    if tool and server in view.lua.servers:
        given = arguments.get("luaServerName")
        own = view.lua.tools(view.lua.server(given)) if isinstance(given, str) and given else {}
        if not any(each.key.tool == name for each in own.values()):
            return server, tool
    return _required_text(arguments, "luaServerName"), name


def _was_called(tool: Tool, failure: Failed) -> str:
    if failure.answered is not None:
        return f"This really called {tool.key}, which answered with an error:"
    return f"{tool.key} {'was sent the call' if failure.sent else 'was not called'}."


def _servers_text(view: View) -> str:
    """The result of `list-servers`."""
    parts = ["Available MCP Servers:"]
    for identifier, server in view.lua.servers.items():
        names = [tool.key.tool for tool in view.lua.tools(server).values()]
        if server == SCRIPTS:
            about = f"Scripts that the user keeps.\nTools: {len(names)}"
            parts.append(f"## Scripts (Lua: {identifier})\n{about}")
        else:
            parts.append(_server(view.entries[server], identifier, names))
    return "\n\n".join(parts) if len(parts) > 1 else "There are no servers."


def _server(entry: ServerEntry, identifier: str, names: Sequence[str]) -> str:
    info = entry.visible.server_info
    lines = [f"## {entry.name} (Lua: {identifier})"]
    purpose = brief(info.get("description")) or brief(info.get("title"))
    instructions = brief(entry.visible.instructions, _MAX_INSTRUCTIONS)
    if purpose and folded(purpose) != folded(entry.name):
        lines.append(purpose)
    elif not instructions and names:
        lines.append(f"It has {_enumerated(names)}.")
    if version := _in_one_line(info.get("version"), 40):
        lines.append(f"Version: {version}")
    if instructions:
        lines.append(f"Instructions: {instructions}")
    known = entry.cached is not None
    lines.append(f"Tools: {len(names)}" if known else "Its tools are not known yet.")
    return "\n".join(lines)


def _enumerated(names: Sequence[str]) -> str:
    more = len(names) - _MAX_NAMES
    return ", ".join([*names[:_MAX_NAMES], f"and {more} more tools"] if more > 0 else names)


def _tools_text(view: View, arguments: JsonObject) -> str:
    """The result of `list-server-tools`."""
    server = view.lua.server(_required_text(arguments, "luaServerName"))
    name = view.entries[server].name if server in view.entries else "Scripts"
    view.check_listed(server)
    tools = view.lua.tools(server)
    if not tools:
        return f"{name} has no tools."
    lines = [_tool_line(identifier, tool) for identifier, tool in tools.items()]
    return "\n".join((f"Tools for {name}:", "", *lines))


def _tool_line(identifier: str, tool: Tool) -> str:
    about, name = brief(tool.description), tool.key.tool
    spelled = "" if name == identifier else f" (Lua: {identifier})"
    return f"- {name}{spelled}" + (f": {about}" if about else "")


def _details_text(tool: Tool, call: str, shape: str | None, max_lines: int) -> str:
    """One tool in the result of `tool-details`; `call` is how a script calls it."""
    lines = parameter_lines(tool.input_schema, max_lines)
    output = tool.wire.get("outputSchema")
    if isinstance(output, dict):
        returns = "\n".join(return_lines(as_object(cast(object, output)), max_lines))
    elif shape is not None:
        returns = f"Not declared. An earlier result was: {shape}"
    else:
        returns = "Not declared."
    parts = [
        f"## {tool.key.tool}",
        tool.description.strip(),
        "### Parameters",
        "\n".join(lines) if lines else "None.",
        "### Returns",
        returns,
        "### Example Usage",
        example(call, tool),
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


def brief(text: object, room: int = _MAX_BRIEF) -> str:
    """The first sentences of the first paragraph of `text`, as many as there is room for. The first
    one may be twice as long; only a longer one is cut, after a word."""
    paragraph = " ".join(str(text or "").strip().partition("\n\n")[0].split())
    first, *others = _SENTENCE_END.split(paragraph)
    for sentence in others:
        if len(first) + 1 + len(sentence) > room:
            break
        first = f"{first} {sentence}"
    if len(first) <= 2 * room:
        return first
    return f"{first[: 2 * room].rpartition(' ')[0] or first[: 2 * room]}…"


def _in_one_line(text: object, limit: int) -> str:
    line = " ".join(str(text or "").split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
