"""What all commands of the command line are made of."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any, NoReturn, cast

from router.errors import ToolboothError
from router.model import JsonObject

EPILOG = "Exit codes: 0 done, 1 failed, 2 wrong usage."

Subparsers = Any
"""argparse keeps the type of `add_subparsers`' result private."""


class WrongUsage(ToolboothError):
    """The command line can't be understood."""


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message[0].upper()}{message[1:]}.", f"See: {self.prog} --help")


def command(
    parsers: Subparsers,
    name: str,
    help_text: str,
    parent: argparse.ArgumentParser,
    build: Callable[[argparse.Namespace], JsonObject],
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = parsers.add_parser(
        name.split()[-1], help=help_text, description=help_text, parents=[parent], epilog=EPILOG
    )
    parser.set_defaults(command=name, build=build)
    return parser


def group(parsers: Subparsers, name: str, help_text: str) -> Subparsers:
    parser: argparse.ArgumentParser = parsers.add_parser(name, help=help_text)
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
