"""The command line's parser, built from the declared commands."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from router import __version__
from router.cli import foreground
from router.commands.command import (
    Command,
    Group,
    Invocation,
    UsageError,
    flag,
    option,
)
from router.commands.output import camel_case
from router.commands.registry import DECLARED

COMMANDS: tuple[Command | Group, ...] = (*foreground.COMMANDS, *DECLARED)
_COMMON = (
    flag("--json", "print JSON"),
    option("--data-dir", "DIR", "directory for settings and state"),
)
_EXIT_CODES = "Exit codes: 0 success, 1 failure, 2 wrong usage."
_OWN_OPTIONS = ("-h", "--help", "--version")
_MISSING = re.compile("the following arguments are required: (.*)")
_UNKNOWN_COMMAND = re.compile(r"argument COMMAND: invalid choice: '(.*)' \(choose from (.*)\)")


def parse(argv: Sequence[str]) -> Invocation:
    """The command of the command line; raises `UsageError`."""
    own, program = _split(argv)
    if own and own[0].startswith("-") and own[0] not in _OWN_OPTIONS:
        raise UsageError(f'Put the command before "{own[0]}".', "See: toolbooth --help")
    values = vars(_build().parse_args(own))
    command: Command = values.pop("declaration")
    as_json, data_dir = values.pop("json"), values.pop("data_dir")
    if command.name == "add":
        values["program"] = program or []
    elif program is not None:
        raise UsageError('Only "add" takes a command after "--".', "See: toolbooth --help")
    arguments = {camel_case(name): value for name, value in values.items()}
    return Invocation(command, arguments, as_json, data_dir)


def _split(argv: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Everything after `--` is a server's own command line, whatever it looks like."""
    if "--" not in argv:
        return list(argv), None
    index = argv.index("--")
    return list(argv[:index]), list(argv[index + 1 :])


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        if missing := _MISSING.match(message):
            raise UsageError(f"Missing: {missing[1]}.", f"See: {self.prog} --help")
        if unknown := _UNKNOWN_COMMAND.match(message):
            raise UsageError(*self._unknown(unknown[1], re.findall(r"[\w-]+", unknown[2])))
        raise UsageError(f"{message[0].upper()}{message[1:]}.", f"See: {self.prog} --help")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Flushes, so that a closed pipe is noticed while that can be handled."""
        print(end="", flush=True)
        super().exit(status, message)

    def _unknown(self, word: str, known: list[str]) -> tuple[str, str]:
        """Instead of all commands, the one that was probably meant."""
        meant = difflib.get_close_matches(word, known, n=1)
        guess = f"Did you mean: {self.prog} {meant[0]}? " if meant else ""
        return f'There is no command "{word}".', f"{guess}See: {self.prog} --help"


def _build() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="toolbooth",
        description="One local MCP endpoint for all your MCP servers.",
        epilog=_more_help("toolbooth"),
    )
    parser.add_argument("--version", action="version", version=f"toolbooth {__version__}")
    parsers: dict[str, Any] = {"": _subparsers(parser)}
    for declared in COMMANDS:
        if isinstance(declared, Group):
            parsers[declared.name] = _add_group(parsers[""], declared)
        else:
            group, _, word = declared.name.rpartition(" ")
            _add_command(parsers[group], word, declared)
    return parser


def _subparsers(parser: argparse.ArgumentParser) -> Any:
    """argparse keeps the type of the result private."""
    return parser.add_subparsers(metavar="COMMAND", required=True)


def _add_group(parsers: Any, group: Group) -> Any:
    more = _more_help(f"toolbooth {group.name}")
    return _subparsers(
        parsers.add_parser(group.name, help=group.help, description=group.help, epilog=more)
    )


def _more_help(program: str) -> str:
    return f'Run "{program} COMMAND --help" for its options and examples. {_EXIT_CODES}'


def _add_command(parsers: Any, word: str, command: Command) -> None:
    parser: argparse.ArgumentParser = parsers.add_parser(
        word,
        help=command.help,
        description=command.help,
        usage=command.usage,
        epilog=_epilog(command),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for argument in (*_COMMON, *command.arguments):
        argument.add_to(parser)
    parser.set_defaults(declaration=command)


def _epilog(command: Command) -> str:
    title = "Example:" if len(command.examples) == 1 else "Examples:"
    return "\n".join((title, *(f"  {line}" for line in command.example_lines), "", _EXIT_CODES))
