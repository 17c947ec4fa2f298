"""Runs scripts for a client: which tools they may call, and their outcome as a tool's result.

A script's calls take the same path as any other, as requests of the client that runs it. Their
results stay out of the client's context: only the script's result goes there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from router.catalog.tool_definition import compact_json, effect
from router.catalog.view import View
from router.domain.errors import InvalidInput, NotFound, ToolboothError
from router.domain.ids import ToolKey
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.names import LUA_GLOBALS, SCRIPTS, nearest
from router.domain.result import Ok, ToolResult, failed
from router.domain.scripts import ScriptTrial, TrialCall
from router.domain.tools import Effect
from router.gateway.client_request import ClientRequest
from router.gateway.tools.execution import Execution
from router.gateway.tools.tool_results import text_block
from router.scripts.runner import Finished, Script, ScriptCall, ScriptFailed, ScriptRunner

MAX_SCRIPT = 256 * 1024
_MAX_NAMED = 20
_NIL_GLOBAL = re.compile(r"a nil value \(global '([^']*)'")
_AT_LINE = re.compile(r"at line (\d+): (.*)")

RunTool: TypeAlias = Callable[
    [ClientRequest, ToolKey, JsonObject], Awaitable[ToolResult[JsonObject]]
]


@dataclass(frozen=True, slots=True)
class ScriptTools:
    runner: ScriptRunner
    execution: Execution
    run_tool: RunTool

    async def execute(self, request: ClientRequest, text: str) -> JsonObject:
        """The result of `execute`. A script that fails has a result that says so."""
        if len(text) > MAX_SCRIPT:
            raise InvalidInput(
                f"A script has at most {MAX_SCRIPT // 1024} KB.", "Run it in several parts."
            )
        return await self._result(ClientScriptHost(self, request), text, {})

    async def run_saved(
        self, request: ClientRequest, name: str, arguments: JsonObject
    ) -> JsonObject:
        """The result of a tool of the pseudo-server `scripts`."""
        script = self.execution.catalogs[request.principal.workspace].scripts.get(name)
        if script is None:
            raise NotFound(f'There is no script "{name}".', "List them with: toolbooth script list")
        return await self._result(
            ClientScriptHost(self, request, saved=True), script.text, arguments
        )

    async def try_out(
        self, request: ClientRequest, text: str, arguments: JsonObject
    ) -> ScriptTrial:
        """Run a script without changing anything: only read-only tools are called; for the others,
        the trial has the arguments they would have been called with."""
        host = ClientScriptHost(self, request, saved=True, dry=True)
        try:
            finished = await self._run(host, text, arguments)
        except ScriptFailed as error:
            return ScriptTrial(None, failed(error).sentence, error.printed, tuple(host.tried))
        shown = compact_json(finished.result) if finished.has_result else None
        return ScriptTrial(shown, None, finished.printed, tuple(host.tried))

    async def check(self, request: ClientRequest, text: str) -> None:
        """Raise `InvalidInput` with the line if `text` is not Lua. Nothing of it is run: a script
        is compiled before its first statement, which here returns."""
        try:
            host = ClientScriptHost(self, request, saved=True, dry=True)
            await self._run(host, f"do return end {text}", {})
        except ScriptFailed as error:
            line = _AT_LINE.search(error.message)
            message = f"Line {line[1]} is not Lua: {line[2]}." if line else error.message
            raise InvalidInput(message, error.hint) from None

    async def _result(self, host: ClientScriptHost, text: str, arguments: JsonObject) -> JsonObject:
        try:
            return _answer(await self._run(host, text, arguments))
        except ScriptFailed as error:
            return _failure(error, host)

    async def _run(self, host: ClientScriptHost, text: str, arguments: JsonObject) -> Finished:
        servers = tuple(host.view.lua.servers)
        return await self.runner.run(Script(text, servers, arguments), host, inner=host.saved)


@dataclass(slots=True)
class ClientScriptHost:
    """The router's side of one script. A `saved` one can't run others; a `dry` run only reads."""

    script_tools: ScriptTools
    request: ClientRequest
    saved: bool = False
    dry: bool = False
    tried: list[TrialCall] = field(default_factory=list[TrialCall])
    _sent: dict[int, str] = field(default_factory=dict[int, str])
    """The calls that reached a server, by their number, as scripts write them."""
    _unfinished: set[int] = field(default_factory=set[int])
    """Those of them whose outcome is not known."""

    @property
    def view(self) -> View:
        """As it is now: what is denied while a script runs is denied to the script too."""
        return self.script_tools.execution.view(self.request.principal)

    async def call(self, call: ScriptCall) -> JsonObject:
        try:
            server = self.view.lua.server(call.server)
            calling = replace(self.request, on_progress=call.on_progress)
            view = await self.script_tools.execution.view_with(calling, server)
            tool = view.lua.tool(call.server, call.tool)
            if self.saved and tool.key.server == SCRIPTS:
                raise InvalidInput(
                    "A saved script can't run another one.", "Call the tools that one calls."
                )
        except ToolboothError as error:
            return {"error": failed(error).sentence}
        if self.dry and not self._only_reads(tool.key, tool.annotations, call.arguments):
            return {"value": {}}
        request = self.request.from_script(call.number, call.on_progress)
        self._sent[call.number] = f"{call.server}.{call.tool}"
        self._unfinished.add(call.number)
        result = await self.script_tools.run_tool(request, tool.key, call.arguments)
        if isinstance(result, Ok):
            self._unfinished.discard(call.number)
            kind, value = script_value(result.value)
            return {kind: value}
        if not result.sent or result.answered is not None:
            self._unfinished.discard(call.number)
        if not result.sent:
            del self._sent[call.number]
        return {"error": result.sentence}

    def carried_out(self) -> str:
        """What the script has done until now, for the agent to go on from there."""
        done = [name for number, name in self._sent.items() if number not in self._unfinished]
        perhaps = [self._sent[number] for number in sorted(self._unfinished)]
        parts = [f"Already carried out: {_counted(done)}."] if done else []
        if perhaps:
            parts.append(f"May have been carried out: {_counted(perhaps)}.")
        return " ".join(parts)

    async def report(self, progress: JsonObject) -> None:
        if self.request.on_progress is not None:
            await self.request.on_progress(progress)

    def _only_reads(self, key: ToolKey, annotations: JsonObject, arguments: JsonObject) -> bool:
        reads = effect(annotations) is Effect.READS
        self.tried.append(TrialCall(key, compact_json(arguments), made=reads))
        return reads


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


def _answer(finished: Finished) -> JsonObject:
    """Text always; structured content if the result is a table. A list becomes a field of an
    object, which structured content is in every revision."""
    if not finished.has_result:
        texts = ["The script ended without a result. Give one with result(value)."]
    elif isinstance(finished.result, str):
        texts = [finished.result]
    else:
        texts = [compact_json(finished.result)]
    answer: JsonObject = {"content": _blocks(texts, finished.printed)}
    result: object = finished.result
    if isinstance(result, dict):
        return {**answer, "structuredContent": cast(JsonObject, result)}
    if isinstance(result, list):
        return {**answer, "structuredContent": {"result": cast(object, result)}}
    return answer


def _failure(error: ScriptFailed, host: ClientScriptHost) -> JsonObject:
    text, advice = failed(error).sentence, list[str]()
    if (missing := _NIL_GLOBAL.search(error.message)) is not None:
        lua = host.view.lua
        alike = nearest(missing[1], (*lua.servers, *LUA_GLOBALS))
        advice = [alike, f"Servers in scripts: {', '.join(lua.servers) or 'none'}."]
    if following := " ".join(filter(None, (*advice, host.carried_out()))):
        # What Lua says ends without a period.
        text = f"{text if text.endswith(('.', '!', '?')) else f'{text}.'} {following}"
    return {"content": _blocks([text], error.printed), "isError": True}


def _counted(names: list[str]) -> str:
    """`files.write (2 times), files.read`, in the order of the first calls."""
    counts = Counter(names)
    shown = [
        name if count == 1 else f"{name} ({count} times)"
        for name, count in list(counts.items())[:_MAX_NAMED]
    ]
    more = len(counts) - len(shown)
    return ", ".join([*shown, f"and {more} other tools"] if more else shown)


def _blocks(texts: list[str], printed: str) -> list[JsonObject]:
    if printed:
        texts = [*texts, f"Printed:\n{printed.rstrip()}"]
    return [text_block(text) for text in texts]
