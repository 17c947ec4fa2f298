"""Saved scripts: Lua files whose first comment declares their description and parameters.

    ---Count the files below a folder.
    ---@param path string The folder.
    ---@param kind? "file"|"directory" What to count.
    local found = files.search{path = arguments.path}:await()
    result(#found)

The comment has the format of LuaLS annotations. A type is `string`, `integer`, `number`,
`boolean`, `table`, `any`, one of these with `[]`, or texts to choose from; `?` makes it optional.
"""

from __future__ import annotations

import re

from router.catalog.tool_definition import read_tool
from router.domain.errors import InvalidInput, sentence
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS
from router.domain.scripts import SavedScript
from router.domain.tools import Parameter, Tool

MAX_SCRIPT_BYTES = 256 * 1024
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PARAMETER = re.compile(r"@param\s+(?P<name>[A-Za-z_]\w*)(?P<optional>\?)?\s+(?P<rest>\S.*)")
_TYPE = re.compile(r'(?:"[^"]*"(?:\s*\|\s*"[^"]*")*|[a-z]+(?:\[\])*)\??')
_TYPES = ("string", "integer", "number", "boolean", "object", "any")


def checked_script_name(name: str) -> str:
    if not _NAME.fullmatch(name.strip()):
        raise InvalidInput(
            sentence('"{name}" is not a valid script name.', name=name),
            "Use 1 to 64 letters, digits, hyphens and underscores.",
        )
    return name.strip()


def read_script(name: str, text: str) -> SavedScript:
    """Parse a script's file; what is malformed there is ignored."""
    description: list[str] = []
    parameters: list[Parameter] = []
    for line in _comment(text):
        if match := _PARAMETER.match(line):
            parameters.append(_parameter(match))
        elif not line.startswith("@"):
            description.append(line)
    return SavedScript(name, text, " ".join(description).strip(), tuple(parameters))


def check_script(text: str) -> None:
    """Raise `InvalidInput` for a malformed parameter in the comment."""
    if len(text.encode()) > MAX_SCRIPT_BYTES:
        raise InvalidInput(
            sentence("A script can have at most {size} KB.", size=MAX_SCRIPT_BYTES // 1024)
        )
    for line in _comment(text):
        if line.startswith("@param"):
            _check_parameter(line)


def _check_parameter(line: str) -> None:
    match = _PARAMETER.match(line)
    if match is None:
        raise InvalidInput(
            sentence('"{line}" is not a valid parameter.', line=line),
            "Write: ---@param name type What it is.",
        )
    if _schema(_parameter(match).type) is None:
        raise InvalidInput(
            sentence('Unknown type in "{line}".', line=line),
            sentence(
                'Supported types are {types}, each also with [], and choices like "a"|"b".',
                types=", ".join(_TYPES),
            ),
        )


def script_tool(script: SavedScript) -> Tool:
    """A script as a tool for clients."""
    properties: JsonObject = {p.name: _property(p) for p in script.parameters}
    wire: JsonObject = {
        "name": script.name,
        "description": script.description or "A script that the user keeps.",
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": [p.name for p in script.parameters if p.required],
        },
    }
    return read_tool(SCRIPTS, "Scripts", wire)


def _comment(text: str) -> list[str]:
    """The lines of the comment at the top, without its dashes."""
    lines: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped.startswith("--") or stripped.startswith("--[["):
            break
        lines.append(stripped.lstrip("-").strip())
    return lines


def _parameter(match: re.Match[str]) -> Parameter:
    found = _TYPE.match(match["rest"])
    declared = found.group() if found else match["rest"].split()[0]
    description = match["rest"][len(declared) :].strip()
    optional = bool(match["optional"]) or declared.endswith("?")
    kind = re.sub(r"\btable\b", "object", declared.removesuffix("?"))
    return Parameter(match["name"], kind, not optional, description)


def _property(parameter: Parameter) -> JsonObject:
    schema = _schema(parameter.type) or {}
    return {**schema, "description": parameter.description} if parameter.description else schema


def _schema(kind: str) -> JsonObject | None:
    """The JSON schema of a type; None if there is no such type."""
    if kind.endswith("[]"):
        items = _schema(kind.removesuffix("[]"))
        return None if items is None else {"type": "array", "items": items}
    if kind.startswith('"'):
        return {"type": "string", "enum": re.findall(r'"([^"]*)"', kind)}
    if kind not in _TYPES:
        return None
    return {} if kind == "any" else {"type": kind}
