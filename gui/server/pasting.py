"""What a person pasted, as servers: a command line, an address, a link that installs one, a command
that adds one to some client, or a piece of that client's JSON or TOML.

Pure. The shapes that clients write are taken as they are, with their comments and trailing commas;
whatever can't be read is refused with a sentence that says why.
"""

from __future__ import annotations

import json
import re
import tomllib
from itertools import takewhile

from pydantic import ValidationError

from gui.server import command_line
from gui.server.add_commands import read_add_command
from gui.server.links import is_link, read_link
from gui.server.names import guess_name
from gui.translating import tr
from router.errors import InvalidInput
from router.model import JsonObject, as_object
from router.settings import ServerConfig

_GROUPS = ("mcpServers", "servers", "context_servers", "mcp")
_ONE_SERVER = ("command", "url", "serverUrl", "httpUrl")
_ENTRY_WITHOUT_BRACES = re.compile(r'"[^"]*"\s*:\s*[{"]')
_TOML_TABLE = re.compile(r"\[mcp_servers\b")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_STRING_OR_EXCESS = re.compile(
    r'(?P<string>"(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])|,\s*\Z', re.DOTALL
)


def parse_pasted(text: str, *, windows: bool = command_line.WINDOWS) -> dict[str, ServerConfig]:
    """The servers `text` describes, by name; raises InvalidInput."""
    text = text.strip()
    if not text:
        raise InvalidInput(tr("There is nothing to read."))
    if re.fullmatch(r"https?://\S+", text):
        return _alone({"url": text})
    if is_link(text):
        return _entry(*read_link(text))
    if text.startswith("{"):
        return _of_json(text)
    if _TOML_TABLE.match(text):
        return _of_toml(text)
    if _ENTRY_WITHOUT_BRACES.match(text):
        return _of_json(f"{{{_strict(text)}}}")
    return _of_command(text.removeprefix("$ "), windows=windows)


def _of_command(text: str, *, windows: bool) -> dict[str, ServerConfig]:
    """A command line, perhaps with `NAME=value` before it as shells allow."""
    try:
        words = command_line.split(text, windows=windows)
    except ValueError:
        raise InvalidInput(tr("A quotation mark is never closed.")) from None
    assignments = list(takewhile(_ASSIGNMENT.match, words))
    rest = words[len(assignments) :]
    if not rest:
        raise InvalidInput(tr("This sets variables but names no command."))
    if (added := read_add_command(rest)) is not None:
        return _entry(*added)
    env = dict(assignment.split("=", 1) for assignment in assignments)
    return _alone({"command": rest[0], "args": rest[1:], "env": env})


def _of_json(text: str) -> dict[str, ServerConfig]:
    try:
        content = as_object(json.loads(_strict(text)))
    except json.JSONDecodeError as error:
        raise InvalidInput(
            tr("This JSON can't be read, line {line}: {reason}.").format(
                line=error.lineno, reason=error.msg
            )
        ) from None
    if any(isinstance(content.get(key), str) for key in _ONE_SERVER):
        return _alone(content)
    entries = next((as_object(content[key]) for key in _GROUPS if key in content), content)
    if not entries:
        raise InvalidInput(tr("There is no server in it."))
    return {name: _config(name, as_object(entry)) for name, entry in entries.items()}


def _of_toml(text: str) -> dict[str, ServerConfig]:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(tr("This TOML can't be read: {reason}.").format(reason=error)) from None
    entries = as_object(content.get("mcp_servers")).items()
    if not entries:
        raise InvalidInput(tr("There is no server in it."))
    renamed = ((name, _from_codex(as_object(entry))) for name, entry in entries)
    return {name: _config(name, entry) for name, entry in renamed}


def _from_codex(entry: JsonObject) -> JsonObject:
    """Codex calls headers otherwise."""
    headers = as_object(entry.get("http_headers"))
    return {**{k: v for k, v in entry.items() if k != "http_headers"}, "headers": headers}


def _entry(name: str, entry: JsonObject) -> dict[str, ServerConfig]:
    """An entry that came with a name, or without one."""
    return _alone({**entry, "name": name} if name else entry)


def _alone(entry: JsonObject) -> dict[str, ServerConfig]:
    """One server without a key; some clients write its name into the entry."""
    name = entry.get("name")
    config = _config("", {key: value for key, value in entry.items() if key != "name"})
    return {name if isinstance(name, str) and name else guess_name(config): config}


def _config(name: str, entry: JsonObject) -> ServerConfig:
    try:
        return ServerConfig.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(filter(None, (name, *map(str, first["loc"]))))
        reason = first["msg"].removeprefix("Value error, ")
        raise InvalidInput(f"{place}: {reason}." if place else f"{reason}.") from None


def _strict(text: str) -> str:
    """`text` without comments and trailing commas, line for line."""
    return _STRING_OR_EXCESS.sub(lambda found: found["string"] or "\n" * found[0].count("\n"), text)
