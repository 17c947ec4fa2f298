"""Parses pasted text into servers: a command line, an address, an install link, a command that adds
one to some client, or a piece of that client's JSON, TOML or YAML.

Pure. The formats of clients are accepted as they are, with comments and trailing commas; what can't
be parsed is refused with the reason.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from gui.dialogs.add_server import command_line
from gui.dialogs.add_server.install_links import NamedEntry, is_link, read_link
from gui.dialogs.add_server.server_name import guess_name
from gui.dialogs.add_server.shell_commands import address_of, read_commands
from gui.text.tr import tr
from router.config.foreign_entries import GROUPS, plain_entry
from router.config.server import ServerConfig
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject, as_array, as_object

MAX_LENGTH = 256 * 1024
_ONE_SERVER = ("command", "cmd", "url", "serverUrl", "httpUrl")
_OTHER_SPELLINGS = frozenset(
    "name cmd environment envs uri serverUrl httpUrl http_headers env_http_headers requestOptions"
    " bearer_token_env_var enabled".split()
)
_FENCED = re.compile(r"```[^\n`]*\n(?P<inside>.*?)```", re.DOTALL)
_MARKED = re.compile(r"`(?P<ticks>[^`\n]+)`|<(?P<angles>\w+:[^<>\s]+)>")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\](?:\([^)]*\))?+)*+\]\((?P<address>\S+?)\)")
_ENTRY_WITHOUT_BRACES = re.compile(r'"[^"]*"\s*:\s*[{"]')
_TOML_TABLE = re.compile(r"^\s*\[mcp_servers\b", re.MULTILINE)
_YAML_GROUP = re.compile(rf"^(?:{'|'.join(map(re.escape, GROUPS))}):\s*(?:#.*)?$", re.MULTILINE)
_INPUT_REFERENCE = re.compile(r"\$\{input:[^}]*\}")
_NOT_STRICT = re.compile(
    r'(?P<string>"(?:\\.|[^"\\])*+(?:"|\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)|,(?=\s*[}\]])|,\s*\Z',
    re.DOTALL,
)
"""What is never closed extends to the end: looking for its end each time would be quadratic."""


def parse_pasted(text: str, *, windows: bool = command_line.WINDOWS) -> dict[str, ServerConfig]:
    """The servers `text` describes, by name; raises InvalidInput."""
    if len(text) > MAX_LENGTH:
        raise InvalidInput(tr("This is too long. Import it as a file instead."))
    text = _unwrapped(text)
    if not text:
        raise InvalidInput(tr("There is nothing to import."))
    if is_link(text):
        return _distinct([read_link(text)])
    if (address := address_of(text)) is not None:
        return _distinct([("", {"url": address})])
    if _TOML_TABLE.search(text):
        return _of_toml(text)
    if _YAML_GROUP.search(text):
        return _of_yaml(text)
    bare = _strict(text).strip()
    if bare.startswith("{"):
        return _of_json(_strict(text))
    if _ENTRY_WITHOUT_BRACES.match(bare):
        return _of_json(f"{{{_strict(text)}}}")
    return _distinct(read_commands(text, windows=windows))


def _unwrapped(text: str) -> str:
    """`text` without Markdown markup."""
    text = text.strip().strip("\N{ZERO WIDTH SPACE}\N{BYTE ORDER MARK}").strip()
    fenced = [found["inside"].rstrip() for found in _FENCED.finditer(text)]
    if fenced:
        return "\n".join(fenced).strip()
    if marked := _MARKED.fullmatch(text):
        return (marked["ticks"] or marked["angles"]).strip()
    linked = _LINK.fullmatch(text)
    return linked["address"] if linked else text


def _distinct(entries: Iterable[NamedEntry]) -> dict[str, ServerConfig]:
    """Servers without a name get one; a name that is there already gets a number."""
    found: dict[str, ServerConfig] = {}
    for name, entry in entries:
        config = _config(name, entry)
        wanted = name or guess_name(config)
        number = 1
        while (key := wanted if number == 1 else f"{wanted}-{number}") in found:
            number += 1
        found[key] = config
    return found


def _of_json(text: str) -> dict[str, ServerConfig]:
    try:
        content = as_object(json.loads(text))
    except json.JSONDecodeError as error:
        raise InvalidInput(
            tr("Invalid JSON at line {line}: {reason}.").format(line=error.lineno, reason=error.msg)
        ) from None
    except (ValueError, RecursionError):  # It is JSON, but too deep or with a number too long.
        raise InvalidInput(tr("This contains no servers.")) from None
    return _of_document(content)


def _of_toml(text: str) -> dict[str, ServerConfig]:
    try:
        return _of_document(tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(tr("Invalid TOML: {reason}.").format(reason=error)) from None


def _of_yaml(text: str) -> dict[str, ServerConfig]:
    from ruamel.yaml import YAML  # Few paste YAML, and it takes a while to load.
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        reader: Any = YAML(typ="safe", pure=True)
        content: object = reader.load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        found: Any = error
        marked = found if isinstance(error, MarkedYAMLError) and found.problem_mark else None
        at = f"line {marked.problem_mark.line + 1}: {marked.problem}" if marked else "no YAML"
        raise InvalidInput(tr("Invalid YAML: {reason}.").format(reason=at)) from None
    return _of_document(as_object(content))


def _of_document(content: JsonObject) -> dict[str, ServerConfig]:
    """One server alone, or those of the group that clients keep them in, by name or in a list."""
    if any(isinstance(content.get(key), str | list) for key in _ONE_SERVER):
        name = content.get("name")
        return _distinct([(name if isinstance(name, str) else "", content)])
    group: object = content
    while (key := next((k for k in GROUPS if k in as_object(group)), None)) is not None:
        group = as_object(group)[key]
    entries = [(name, as_object(entry)) for name, entry in as_object(group).items()]
    listed = [as_object(entry) for entry in as_array(group)]
    entries += [(str(entry.get("name") or ""), entry) for entry in listed]
    if not entries:
        raise InvalidInput(tr("This contains no servers."))
    return _distinct(entries)


def _config(name: str, entry: JsonObject) -> ServerConfig:
    kept = {key: value for key, value in entry.items() if key not in _OTHER_SPELLINGS}
    try:
        return ServerConfig.model_validate({**kept, **_filled(_split(plain_entry(entry)))})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(filter(None, (name, *map(str, first["loc"]))))
        reason = first["msg"].removeprefix("Value error, ")
        raise InvalidInput(f"{place}: {reason}." if place else f"{reason}.") from None


def _split(entry: JsonObject) -> JsonObject:
    """Some put the whole command line into `command`, without `args`."""
    command = entry.get("command")
    if not isinstance(command, str) or entry.get("args") or not re.match(r"[\w.-]+\s", command):
        return entry
    try:
        words = command_line.split(command)
    except ValueError:
        raise InvalidInput(tr("A quotation mark is not closed.")) from None
    return {**entry, "command": words[0], "args": words[1:]}


def _filled(entry: JsonObject) -> JsonObject:
    """Inputs that a client would prompt for are left for the user to fill in."""
    asked: JsonObject = {}
    for key in ("env", "headers"):
        values = as_object(entry.get(key))
        asked[key] = {
            name: _INPUT_REFERENCE.sub("", value) if isinstance(value, str) else value
            for name, value in values.items()
        }
    return {**entry, **asked}


def _strict(text: str) -> str:
    """`text` without comments and trailing commas, line for line."""
    return _NOT_STRICT.sub(lambda found: found["string"] or "\n" * found[0].count("\n"), text)
