"""The command line's grammar: arguments in, a command name and its JSON arguments out."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from router import __version__
from router.cli.activity_grammar import add_activity_commands
from router.cli.approval_grammar import add_approval_commands
from router.cli.client_grammar import add_client_commands
from router.cli.examples import EXIT_CODES
from router.cli.permission_grammar import add_permission_commands
from router.cli.project_grammar import add_project_commands
from router.cli.script_grammar import add_script_commands
from router.cli.search_grammar import add_search_commands
from router.cli.server_grammar import add_server_commands
from router.cli.state_grammar import add_state_commands
from router.cli.tool_grammar import add_tool_commands
from router.cli.words import Parser, Subparsers, WrongUsage, command, given, nothing

_OWN_OPTIONS = ("-h", "--help", "--version")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """What was asked for. `command` is its name; `build` makes the JSON arguments of it."""
    words, started = _split_command(arguments)
    if words and words[0].startswith("-") and words[0] not in _OWN_OPTIONS:
        raise WrongUsage(f'A command comes before "{words[0]}".', "See: toolbooth --help")
    parsed = _build_parser().parse_args(words)
    if "--" in arguments and parsed.command != "add":
        raise WrongUsage('Only "add" takes a command behind "--".', "See: toolbooth --help")
    parsed.server_command = started
    return parsed


def _split_command(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Everything behind `--` is the server's own command line, whatever it looks like."""
    if "--" not in arguments:
        return list(arguments), []
    place = list(arguments).index("--")
    return list(arguments[:place]), list(arguments[place + 1 :])


def _build_parser() -> argparse.ArgumentParser:
    common = Parser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON")
    common.add_argument("--data-dir", type=given, metavar="D", help="where settings and state lie")
    scoped = Parser(add_help=False, parents=[common])
    scoped.add_argument("--workspace", type=given, metavar="W", help="instead of the active one")
    parser = Parser(
        prog="toolbooth",
        description="One door for all your MCP servers.",
        epilog=f"toolbooth COMMAND --help explains one, with an example. {EXIT_CODES}",
    )
    parser.add_argument("--version", action="version", version=f"toolbooth {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_serve(commands, common)
    add_server_commands(commands, scoped)
    add_approval_commands(commands, scoped)
    add_tool_commands(commands, scoped)
    add_permission_commands(commands, common, scoped)
    add_script_commands(commands, scoped)
    add_search_commands(commands, common, scoped)
    add_client_commands(commands, common, scoped)
    add_state_commands(commands, common, scoped)
    add_project_commands(commands, scoped)
    add_activity_commands(commands, common)
    return parser


def _add_serve(commands: Subparsers, common: argparse.ArgumentParser) -> None:
    serve = command(commands, "serve", "Run the router without a window.", common, nothing)
    about = "Speak MCP on stdin and stdout, for apps that can only start programs."
    connect = command(commands, "connect", about, common, nothing)
    connect.add_argument("--profile", type=given, default="bridge", metavar="ID", help="the app")
    serve.add_argument("--port", type=_port, metavar="N", help="instead of the one in the settings")


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f'"{text}" is not a port from 0 to 65535')
    return int(text)
