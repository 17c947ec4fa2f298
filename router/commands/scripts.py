"""The commands about saved scripts."""

from __future__ import annotations

import sys
from pathlib import Path

from router.commands.command import (
    NAME,
    PROJECT,
    TOOL_ARGUMENTS,
    WORKSPACE,
    Argument,
    Commands,
    Group,
    flag,
    with_tool_arguments,
)
from router.commands.context import Context
from router.commands.output import json_fields, single, table
from router.commands.tools import is_error, result_lines
from router.domain.errors import InvalidInput, ToolboothError
from router.domain.ids import ToolKey
from router.domain.json_values import JsonObject, as_object
from router.domain.names import SCRIPTS
from router.domain.result import Failed
from router.domain.scripts import SavedScript, ScriptTrial

COMMANDS = Commands([Group("script", "Manage saved scripts.")])


def _script_json(script: SavedScript) -> JsonObject:
    parameters = [json_fields(p, "name type required description") for p in script.parameters]
    return {**json_fields(script, "name description"), "parameters": parameters}


def _script_lines(scripts: list[JsonObject]) -> list[str]:
    if not scripts:
        return ["No scripts yet. Save one with: toolbooth script add NAME FILE"]
    return table(((s["name"], _signature(s), s["description"]) for s in scripts), prose=True)


def _signature(script: JsonObject) -> str:
    named = (f"{p['name']}{'' if p['required'] else '?'}" for p in script["parameters"])
    return f"({', '.join(named)})"


def _add_request(given: JsonObject) -> JsonObject:
    file = given.pop("file")
    return {**given, "text": _read(file)}


def _read(path: Path) -> str:
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return data.decode()
    except OSError as error:
        raise ToolboothError(
            f"{path} can't be read: {error.strerror}.",
            "Specify a Lua file, or - for stdin.",
        ) from None
    except UnicodeDecodeError:
        raise ToolboothError(f"{path} is not a text file.", "Save it as UTF-8.") from None


@COMMANDS.add(
    "script add",
    "Save a script.",
    WORKSPACE,
    NAME,
    Argument("file", "FILE", "Lua file; - reads stdin", type=Path),
    flag("--replace", "replace the script with this name"),
    examples=["standup standup.lua"],
    lines=single(_script_lines),
    request=_add_request,
)
async def add(context: Context) -> JsonObject:
    name, text = context.name, str(context["text"])
    replacing = name if context.get("replace") else None
    scripts = context.router.scripts
    return _script_json(await scripts.save(context.workspace, name, text, replacing=replacing))


@COMMANDS.add("script list", "List scripts.", WORKSPACE, lines=_script_lines)
async def list_scripts(context: Context) -> list[JsonObject]:
    return [_script_json(script) for script in context.router.scripts.list(context.workspace)]


@COMMANDS.add(
    "script show",
    "Print a script.",
    WORKSPACE,
    NAME,
    examples=["standup"],
    lines=lambda script: [str(script["text"]).rstrip()],
)
async def show(context: Context) -> JsonObject:
    script = context.router.scripts.get(context.workspace, context.name)
    return {**_script_json(script), "text": script.text}


@COMMANDS.add("script remove", "Remove a script.", WORKSPACE, NAME, examples=["standup"])
async def remove(context: Context) -> None:
    await context.router.scripts.remove(context.workspace, context.name)


@COMMANDS.add(
    "script run",
    "Run a script.",
    WORKSPACE,
    NAME,
    TOOL_ARGUMENTS,
    flag("--dry", "call only read-only tools"),
    PROJECT,
    examples=['standup \'{"team": "web"}\' --dry'],
    lines=result_lines,
    request=with_tool_arguments,
    failed=is_error,
)
async def run(context: Context) -> JsonObject:
    """As a client would, or with `dry` without changing anything."""
    workspace, name = context.workspace, context.name
    script = context.router.scripts.get(workspace, name)
    given = as_object(context.get("arguments"))
    if context.get("dry"):
        return _trial_json(await context.router.scripts.try_out(workspace, script.text, given))
    result = await context.router.tools.call(context.caller, ToolKey(SCRIPTS, name), given)
    if isinstance(result, Failed):
        raise InvalidInput(result.message, result.hint)
    return result.value


def _trial_json(trial: ScriptTrial) -> JsonObject:
    calls = [
        f"{'called' if call.made else 'would call'} {call.key} {call.arguments}"
        for call in trial.calls
    ]
    ending = trial.problem or (trial.result if trial.result is not None else "No result.")
    texts = [*calls, *([trial.printed.rstrip()] if trial.printed else []), ending]
    answer: JsonObject = {"content": [{"type": "text", "text": text} for text in texts]}
    return {**answer, "isError": True} if trial.problem else answer
