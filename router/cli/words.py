"""What all commands of the command line are made of."""

from __future__ import annotations

import argparse
import difflib
import json
import re
from collections.abc import Callable
from typing import Any, NoReturn, cast

from router.cli.examples import EXIT_CODES, epilog
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject

Subparsers = Any
"""argparse keeps the type of `add_subparsers`' result private."""


_UNKNOWN_COMMAND = re.compile(r"argument COMMAND: invalid choice: '(.*)' \(choose from (.*)\)")


class WrongUsage(ToolboothError):
    """The command line can't be understood."""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        if unknown := _UNKNOWN_COMMAND.match(message):
            raise WrongUsage(*self._unknown(unknown[1], re.findall(r"[\w-]+", unknown[2])))
        raise WrongUsage(f"{message[0].upper()}{message[1:]}.", f"See: {self.prog} --help")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Here, so that a reader who has gone is noticed while that can be handled."""
        print(end="", flush=True)
        super().exit(status, message)

    def _unknown(self, word: str, known: list[str]) -> tuple[str, str]:
        """Instead of all the commands there are, the one that was meant."""
        meant = difflib.get_close_matches(word, known, n=1)
        guess = f"Did you mean: {self.prog} {meant[0]}? " if meant else ""
        return f'There is no command "{word}".', f"{guess}See: {self.prog} --help"


def command(
    parsers: Subparsers,
    name: str,
    help_text: str,
    parent: argparse.ArgumentParser,
    build: Callable[[argparse.Namespace], JsonObject],
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = parsers.add_parser(
        name.split()[-1],
        help=help_text,
        description=help_text,
        parents=[parent],
        epilog=epilog(name),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(command=name, build=build)
    return parser


def group(parsers: Subparsers, name: str, help_text: str) -> Subparsers:
    more = f"toolbooth {name} COMMAND --help explains one. {EXIT_CODES}"
    parser: argparse.ArgumentParser = parsers.add_parser(
        name, help=help_text, description=help_text, epilog=more
    )
    return parser.add_subparsers(dest="subcommand", metavar="COMMAND", required=True)


def nothing(_: argparse.Namespace) -> JsonObject:
    return {}


def place(parsed: argparse.Namespace) -> JsonObject:
    return {"workspace": parsed.workspace}


def named_server(parsed: argparse.Namespace) -> JsonObject:
    return {**place(parsed), "server": parsed.server}


def given(text: str) -> str:
    """What an unset variable of a script leaves is not meant."""
    if not text:
        raise argparse.ArgumentTypeError("it must not be empty")
    return text


def json_object(text: str) -> JsonObject:
    """The arguments of a tool, as they are typed."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise WrongUsage(f"The arguments are not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise WrongUsage('The arguments must be a JSON object, like \'{"path": "/tmp"}\'.')
    return cast(JsonObject, value)


def pairs(texts: list[str]) -> dict[str, str]:
    if wrong := next((text for text in texts if "=" not in text), None):
        raise WrongUsage(f'"{wrong}" is not of the form K=V.')
    return {key: value for key, _, value in (text.partition("=") for text in texts)}
