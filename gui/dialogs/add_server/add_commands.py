"""Command lines that add a server to some application: `claude mcp add`, `code --add-mcp`. Pure.

Each is read as the name and the entry that the application would write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePath

from gui.dialogs.add_server.install_links import NamedEntry
from gui.text.tr import tr
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject, as_object

_WITH_VALUE = frozenset(
    "-s --scope -t --transport --client-id --client-secret --callback-port --timeout --type".split()
)
_ENV = frozenset({"-e", "--env"})
_HEADER = frozenset({"-H", "--header"})
_OPTION_WITH_VALUE = re.compile(r"(?P<option>--[a-z-]+)=(?P<value>.*)", re.DOTALL)
_NAME_AND_TARGET = 2
_EDITORS = re.compile(r"code(-insiders)?|cursor")


def read_add_command(words: Sequence[str]) -> NamedEntry | None:
    """What the command line adds; None if it is no such command. Raises InvalidInput."""
    program = PurePath(words[0]).stem if words else ""
    if _EDITORS.fullmatch(program) and "--add-mcp" in words[:-1]:
        return _json_entry(words[list(words).index("--add-mcp") + 1])
    if list(words[1:2]) != ["mcp"]:  # claude, codex, gemini, qwen, copilot, droid, amp, ...
        return None
    if list(words[2:3]) == ["add-json"] and len(words) >= 5:
        named = [word for word in words[3:] if not word.startswith("-")]
        return named[0], _json_entry(named[-1])[1]
    return _of_options(words[3:]) if list(words[2:3]) == ["add"] else None


def _of_options(words: Sequence[str]) -> NamedEntry:
    """`[options] NAME [options] [--] COMMAND ARGS...`, or an address in place of the command."""
    env: dict[str, str] = {}
    headers: dict[str, str] = {}
    plain: list[str] = []
    address = ""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if (joined := _OPTION_WITH_VALUE.fullmatch(word)) and len(plain) < _NAME_AND_TARGET:
            word, rest = joined["option"], [joined["value"], *rest]
        if word == "--":
            plain += rest
            break
        if word in _ENV and rest:
            env.update([_pair(rest.pop(0), "=")])
        elif word in _HEADER and rest:
            headers.update([_pair(rest.pop(0), ":")])
        elif word == "--url" and rest:
            address = rest.pop(0)
        elif word == "--bearer-token-env-var" and rest:
            headers["Authorization"] = f"Bearer ${{env:{rest.pop(0)}}}"
        elif word in _WITH_VALUE and rest:
            rest.pop(0)
        elif word.startswith("-") and len(plain) < _NAME_AND_TARGET:
            continue
        else:
            plain.append(word)
            if len(plain) == _NAME_AND_TARGET and not word.startswith("http"):
                plain += [each for each in rest if each != "--"]
                break
    return _entry(plain, address, env, headers)


def _entry(
    plain: list[str], address: str, env: dict[str, str], headers: dict[str, str]
) -> NamedEntry:
    if len(plain) + bool(address) < 2:
        raise InvalidInput(tr("This has no command and no URL."))
    name, *command = plain
    target = address or command[0]
    if re.match(r"https?://", target):
        return name, {"url": target, "headers": headers}
    entry: JsonObject = {"command": command[0], "args": command[1:], "env": env}
    return name, entry


def _pair(text: str, separator: str) -> tuple[str, str]:
    name, found, value = text.partition(separator)
    if not found:
        raise InvalidInput(tr("“{text}” has no value.").format(text=name))
    return name.strip(), value.strip()


def _json_entry(text: str) -> NamedEntry:
    try:
        entry = as_object(json.loads(text))
    except ValueError:
        raise InvalidInput(tr("The JSON in this command is invalid.")) from None
    return str(entry.get("name") or ""), entry
