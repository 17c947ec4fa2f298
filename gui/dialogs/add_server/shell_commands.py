"""Command lines as documentation shows them: variables, `cd`, and a command that starts a server or
adds one to some client. Pure.

Shell operators are refused: servers are started without a shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from gui.dialogs.add_server import command_line
from gui.dialogs.add_server.add_commands import read_add_command
from gui.dialogs.add_server.install_links import NamedEntry, is_link, read_link
from gui.text.tr import tr
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject

_PROMPT = re.compile(r"(?:PS [^>\n]*>|[A-Za-z]:\\[^>\n]*>|[$%>❯➜])\s+")
_LINE_CONTINUATION = re.compile(r"[\\^`][ \t]*\r?\n[ \t]*")
_ASSIGNMENT = re.compile(r"(?:\$env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)=(?P<value>.*)", re.DOTALL)
_SEPARATORS = ("&&", ";")
_NEEDS_SHELL = frozenset({"|", "||", "&", ">", ">>", "<", "<<"})
_NOT_A_COMMAND = re.compile(r"[\[\]{}<>()|&;\"`\0-\x1f]|^\w+:(//|$)|^(null|true|false)$")
_ADDRESS = re.compile(r"https?://\S+")
_HOST_AND_PATH = re.compile(
    r"(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?/\S*|localhost:\d+\S*", re.IGNORECASE
)
_SENTENCE = re.compile(r"[A-Z][a-z]*,?\s.*[.!?]", re.DOTALL)


@dataclass(slots=True)
class _ShellState:
    """What earlier lines have set up."""

    env: dict[str, str] = field(default_factory=dict[str, str])
    folder: str | None = None


def read_commands(text: str, *, windows: bool) -> list[NamedEntry]:
    """The servers the lines start or add, each with a name or an empty one; raises InvalidInput."""
    if _SENTENCE.fullmatch(text):
        raise InvalidInput(tr("This looks like a sentence, not a server."))
    state = _ShellState()
    found: list[NamedEntry] = []
    for line in _command_lines(text):
        for words in _statements(line, windows=windows):
            entry = _entry(words, state)
            found += [] if entry is None else [entry]
    if not found:
        raise InvalidInput(tr("This sets variables but has no command."))
    return found


def address_of(text: str) -> str | None:
    """`text` as an address, with `https://` added where it is missing."""
    if _ADDRESS.fullmatch(text):
        return text
    if not _HOST_AND_PATH.fullmatch(text):
        return None
    return f"{'http' if text.startswith('localhost') else 'https'}://{text}"


def _command_lines(text: str) -> list[str]:
    """The commands of `text`, one per line: no prompts, no comments, continued lines joined."""
    joined = _LINE_CONTINUATION.sub(" ", text)
    lines = (_PROMPT.sub("", line.strip(), count=1) for line in joined.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _statements(line: str, *, windows: bool) -> Iterator[list[str]]:
    try:
        words = command_line.split(line, windows=windows)
    except ValueError:
        raise InvalidInput(tr("A quotation mark is not closed.")) from None
    if operator := next((word for word in words if word in _NEEDS_SHELL), None):
        text = tr("“{sign}” needs a shell, but servers are started without one.")
        raise InvalidInput(text.format(sign=operator))
    statement: list[str] = []
    for word in words:
        if word in _SEPARATORS:
            yield statement
            statement = []
        else:
            statement.append(word)
    yield statement


def _entry(words: list[str], state: _ShellState) -> NamedEntry | None:
    """The server of one statement; None where it only sets something up for the next."""
    if words[:1] in (["export"], ["set"], ["env"]):
        words = words[1:]
    elif words[:1] == ["cd"] and len(words) > 1:
        state.folder = words[-1]
        return None
    settings = [found for found in map(_ASSIGNMENT.fullmatch, words) if found is not None]
    assigned = list(takewhile(_ASSIGNMENT.fullmatch, words))
    env = {found["name"]: found["value"] for found in settings[: len(assigned)]}
    rest = words[len(assigned) :]
    if not rest:
        state.env.update(env)
        return None
    return _server(rest, {**state.env, **env}, state.folder)


def _server(words: Sequence[str], env: dict[str, str], folder: str | None) -> NamedEntry:
    if len(words) == 1 and is_link(words[0]):
        return read_link(words[0])
    if len(words) == 1 and (address := address_of(words[0])) is not None:
        return "", {"url": address}
    if (added := read_add_command(words)) is not None:
        return added
    if _NOT_A_COMMAND.search(words[0]):
        text = tr("“{word}” is not a command, URL, install link or configuration snippet.")
        raise InvalidInput(text.format(word=words[0][:40]))
    entry: JsonObject = {"command": words[0], "args": list(words[1:]), "env": env, "cwd": folder}
    return "", entry
