"""The declaration of a command: its name, arguments, help, handler and printed form. A module
declares its commands by decorating their handlers with `Commands.add`.

It is loaded to parse every command line: nothing here, nor at the top of a module that declares
commands, imports the router, pydantic or asyncio.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeAlias, TypeVar, cast

from router.commands.context import Context
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject, as_array, as_object

Handler: TypeAlias = Callable[[Context], Awaitable[Any]]
"""Runs a command in the router and returns its JSON."""
Lines: TypeAlias = Callable[[Any], Iterable[str]]
"""Formats the handler's JSON for people."""
Send: TypeAlias = Callable[[str, JsonObject], Awaitable[Any]]
"""Runs the handler of this name in the instance that owns the data directory."""
PRINTED = object()
"""The result of a command that has written its output itself."""
NEEDS_CONFIRMATION, CONFIRMED = "needsConfirmation", "confirmed"
"""The result of a command that a person must confirm first, with its text and whether that is done
in the window; and the argument of one that was confirmed, or shall be in the window."""
_UNITS_S = {"h": 3600, "d": 86400, "w": 604800}


class UsageError(ToolboothError):
    """The command line is invalid."""


class Argument:
    """One `add_argument` of argparse, kept until the parser is built."""

    def __init__(self, name: str, metavar: str = "", text: str = "", **options: Any) -> None:
        self._name = name
        given = {"metavar": metavar, "help": text}
        self._options = {**{key: value for key, value in given.items() if value}, **options}

    def add_to(self, parser: Any) -> None:
        parser.add_argument(self._name, **self._options)


class OneOf:
    """Options of which only one may be given."""

    def __init__(self, *arguments: Argument) -> None:
        self._arguments = arguments

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        group = parser.add_mutually_exclusive_group()
        for argument in self._arguments:
            argument.add_to(group)


@dataclass(frozen=True, slots=True)
class Group:
    """The first word of several commands."""

    name: str
    help: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the terminal. The values of its arguments, in camelCase, are the JSON that its
    handler gets."""

    name: str
    help: str
    handler: Handler | None
    """None: it runs in the terminal's own process."""
    arguments: tuple[Argument | OneOf, ...] = ()
    _: KW_ONLY
    examples: Sequence[str] = ("",)
    """The arguments in the examples below its help."""
    lines: Lines | None = None
    """None prints "Done."."""
    request: Callable[[JsonObject], JsonObject] | None = None
    """Checks and completes the arguments, in the terminal."""
    run: Callable[[Send, Invocation], Awaitable[Any]] | None = None
    """The terminal's part, for a command that takes more than one request."""
    failed: Callable[[Any], bool] | None = None
    """Whether a result that can be shown means exit code 1."""
    needs_person: Callable[[Context], bool] | None = None
    """Whether it approves something or loosens a permission: then a person must confirm it."""
    warns: bool = False
    """The result's `problems` and `warnings` also go to stderr."""
    usage: str | None = None

    @property
    def example_lines(self) -> list[str]:
        return [f"toolbooth {self.name} {words}".rstrip() for words in self.examples]


HandlerT = TypeVar("HandlerT", bound=Handler)


class Commands(list[Command | Group]):
    """What one module declares, in the order of `toolbooth --help`."""

    def add(
        self,
        name: str,
        text: str,
        *arguments: Argument | OneOf,
        lines: Lines | None = None,
        **options: Any,
    ) -> Callable[[HandlerT], HandlerT]:
        """Declare the command that the decorated handler runs; `options` are `Command`'s."""

        def declare(handler: HandlerT) -> HandlerT:
            self.append(Command(name, text, handler, arguments, lines=lines, **options))
            return handler

        return declare


@dataclass(frozen=True, slots=True)
class Invocation:
    """A parsed command line."""

    command: Command
    arguments: JsonObject
    as_json: bool = False
    data_dir: str | None = None

    async def run(self, send: Send) -> Any:
        if self.command.run is not None:
            return await self.command.run(send, self)
        return await send(self.command.name, self.arguments)


# Arguments that several commands have


def nonempty(text: str) -> str:
    """Refuses the empty text that an unset variable of a shell leaves."""
    if not text:
        raise argparse.ArgumentTypeError("it must not be empty")
    return text


def number(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number from 1 to 100')
    return int(text)


def seconds(text: str) -> float:
    """From `12h`, `30d` or `4w`."""
    count, unit = text[:-1], text[-1:]
    if not (count.isascii() and count.isdigit() and unit in _UNITS_S and 0 < int(count) < 10**5):
        raise argparse.ArgumentTypeError(f'"{text}" is not a time like 12h, 30d or 4w')
    return int(count) * _UNITS_S[unit]


def with_tool_arguments(given: JsonObject) -> JsonObject:
    """The request of a command that has `TOOL_ARGUMENTS`."""
    try:
        value = json.loads(given["arguments"])
    except ValueError as error:
        raise UsageError(f"The arguments are not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise UsageError('The arguments must be a JSON object, like \'{"path": "/tmp"}\'.')
    return {**given, "arguments": cast(JsonObject, value)}


def pairs(texts: list[str]) -> dict[str, str]:
    wrong = [text for text in texts if text.find("=") < 1]
    if wrong:
        raise UsageError(f'"{wrong[0]}" is not of the form KEY=VALUE.')
    return {key: value for key, _, value in (text.partition("=") for text in texts)}


def flag(name: str, text: str) -> Argument:
    return Argument(name, text=text, action="store_true")


def option(name: str, metavar: str, text: str, **options: Any) -> Argument:
    """An option whose value must not be empty."""
    return Argument(name, metavar, text, **{"type": nonempty, **options})


def repeated(name: str, metavar: str, text: str, **options: Any) -> Argument:
    return Argument(name, metavar, text, action="append", default=[], **options)


def choice(name: str, values: Iterable[str], text: str = "", **options: Any) -> Argument:
    return Argument(name, text=text, choices=[str(value) for value in values], **options)


WORKSPACE = option("--workspace", "NAME", "workspace (default: the active one)")
PROJECT = option("--project", "NAME", "project name or ID")
NAME = Argument("name", "NAME")
NEW_NAME = Argument("new_name", "NEW")
SERVER = Argument("server", "SERVER", "server name or ID")
OPTIONAL_SERVER = Argument("server", "SERVER", "default: all servers", nargs="?")
SERVERS = repeated("--server", "SERVER", "allow this server; repeat for more", dest="servers")
TOOL_KEY = Argument("tool_key", "TOOLKEY", "tool key, like files:read_file")
TOOL_ARGUMENTS = Argument(
    "arguments", "JSON", "arguments as a JSON object", nargs="?", default="{}"
)


def warnings_of(result: Any) -> list[str]:
    found = as_object(result)
    return [*as_array(found.get("problems")), *as_array(found.get("warnings"))]
