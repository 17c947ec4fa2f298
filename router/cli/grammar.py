"""The command line's grammar: arguments in, a command name and its JSON arguments out."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from router import __version__
from router.errors import ToolboothError
from router.model import OFF, Exposure, JsonObject, Optimization, Permission
from router.store import jsontext

_UNITS_S = {"h": 3600, "d": 86400, "w": 604800}
_EPILOG = "Exit codes: 0 done, 1 failed, 2 wrong usage."


class WrongUsage(ToolboothError):
    """The command line can't be understood."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message[0].upper()}{message[1:]}.", f"See: {self.prog} --help")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """What was asked for. `command` is its name; `build` makes the JSON arguments of it."""
    words, started = _split_command(arguments)
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
    common = _Parser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON")
    common.add_argument("--data-dir", type=_given, metavar="D", help="where settings and state lie")
    scoped = _Parser(add_help=False, parents=[common])
    scoped.add_argument("--workspace", type=_given, metavar="W", help="instead of the active one")
    parser = _Parser(
        prog="toolbooth", description="One door for all your MCP servers.", epilog=_EPILOG
    )
    parser.add_argument("--version", action="version", version=f"toolbooth {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_serve(commands, common)
    _add_server_commands(commands, scoped)
    _add_tool_commands(commands, scoped)
    _add_state_commands(commands, common, scoped)
    return parser


Subparsers = Any
"""argparse keeps the type of `add_subparsers`' result private."""


def _command(
    parsers: Subparsers,
    name: str,
    help_text: str,
    parent: argparse.ArgumentParser,
    build: Callable[[argparse.Namespace], JsonObject],
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = parsers.add_parser(
        name.split()[-1], help=help_text, description=help_text, parents=[parent], epilog=_EPILOG
    )
    parser.set_defaults(command=name, build=build)
    return parser


def _group(parsers: Subparsers, name: str, help_text: str) -> Subparsers:
    parser: argparse.ArgumentParser = parsers.add_parser(name, help=help_text)
    return parser.add_subparsers(dest="subcommand", metavar="COMMAND", required=True)


def _add_serve(commands: Subparsers, common: argparse.ArgumentParser) -> None:
    serve = _command(commands, "serve", "Run the router without a window.", common, _nothing)
    serve.add_argument("--port", type=_port, metavar="N", help="instead of the one in the settings")


def _add_server_commands(commands: Subparsers, scoped: argparse.ArgumentParser) -> None:
    add = _command(commands, "add", "Add a server: NAME -- COMMAND ARGS...", scoped, _add_arguments)
    add.add_argument("name")
    add.add_argument("--env", action="append", default=[], metavar="K=V", help="for its process")
    add.add_argument("--cwd", metavar="D", help="the folder it works in")
    add.add_argument("--url", help="of a server that is reached over HTTP")
    add.add_argument("--header", action="append", default=[], metavar="K=V", help="sent to it")
    for name, help_text in (
        ("remove", "Remove a server."),
        ("enable", "Switch a server on."),
        ("disable", "Switch a server off."),
        ("approve", "Agree that a server's command may run."),
        ("sign-in", "Sign in to a server: print the page to open, and wait."),
        ("sign-out", "Sign out of a server."),
    ):
        _command(commands, name, help_text, scoped, _named_server).add_argument("server")
    importing = _command(
        commands, "import", "Add the servers of a client's file.", scoped, _import_arguments
    )
    importing.add_argument("file", type=Path)
    _command(commands, "list", "List the servers.", scoped, _place)
    refresh = _command(commands, "refresh", "Learn the tool lists anew.", scoped, _named_server)
    refresh.add_argument("server", nargs="?", metavar="NAME")


def _add_tool_commands(commands: Subparsers, scoped: argparse.ArgumentParser) -> None:
    tools = _command(commands, "tools", "List the tools.", scoped, _named_server)
    tools.add_argument("server", nargs="?")
    search = _command(commands, "search", "Search as a client would.", scoped, _search_arguments)
    search.add_argument("queries", nargs="+", metavar="QUERY")
    search.add_argument("--limit", type=_limit, metavar="N")
    call = _command(commands, "call", "Run a tool.", scoped, _call_arguments)
    call.add_argument("tool_key", metavar="TOOLKEY")
    call.add_argument("arguments", nargs="?", default="{}", metavar="JSON")
    for parser in (search, call):
        parser.add_argument("--project", type=_given, metavar="P")
    permission = _group(commands, "permission", "Say which tools may be used.")
    setting = _command(permission, "permission set", "Set it.", scoped, _permission_arguments)
    setting.add_argument("tool_key", metavar="TOOLKEY")
    setting.add_argument("permission", choices=[str(p) for p in Permission])
    setting.add_argument("--project", type=_given, metavar="P")


def _add_state_commands(
    commands: Subparsers, common: argparse.ArgumentParser, scoped: argparse.ArgumentParser
) -> None:
    _command(commands, "status", "Say what is running.", common, _nothing)
    token = _group(commands, "token", "Manage the tokens of clients.")
    new = _command(token, "token new", "Make a token; it is shown once.", scoped, _token_arguments)
    new.add_argument("name")
    new.add_argument("--project", type=_given, metavar="P")
    new.add_argument("--server", action="append", dest="servers", metavar="S", help="it may use")
    new.add_argument("--expires", type=_lifetime, metavar="TIME", help="after 12h, 30d or 4w")
    _command(token, "token list", "List the tokens.", common, _nothing)
    revoke = _command(token, "token revoke", "Revoke a token.", common, _revoked_token)
    revoke.add_argument("token", metavar="ID")
    workspace = _group(commands, "workspace", "Manage workspaces.")
    for name, help_text in (("new", "Make a workspace."), ("use", "Make it the active one.")):
        _command(workspace, f"workspace {name}", help_text, common, _name).add_argument("name")
    _command(workspace, "workspace list", "List the workspaces.", common, _nothing)
    project = _group(commands, "project", "Manage the projects of a workspace.")
    new = _command(project, "project new", "Make a project.", scoped, _new_project)
    new.add_argument("name")
    new.add_argument("--server", action="append", dest="servers", metavar="S", help="it may use")
    setting = _command(project, "project set", "Change a project.", scoped, _project_options)
    setting.add_argument("project", metavar="P", help='"-" for clients outside any project')
    setting.add_argument("--optimization", choices=[OFF, *(str(o) for o in Optimization)])
    setting.add_argument("--exposure", choices=[str(e) for e in Exposure])
    _command(project, "project list", "List the projects.", scoped, _place)


def _nothing(_: argparse.Namespace) -> JsonObject:
    return {}


def _place(parsed: argparse.Namespace) -> JsonObject:
    return {"workspace": parsed.workspace}


def _name(parsed: argparse.Namespace) -> JsonObject:
    return {"name": parsed.name}


def _named_server(parsed: argparse.Namespace) -> JsonObject:
    return {**_place(parsed), "server": parsed.server}


def _add_arguments(parsed: argparse.Namespace) -> JsonObject:
    command = parsed.server_command
    if bool(command) == bool(parsed.url):
        raise WrongUsage(
            "A server needs either a command or a --url.",
            "toolbooth add NAME -- COMMAND ARGS..., or toolbooth add NAME --url URL",
        )
    if parsed.url:
        config: JsonObject = {"url": parsed.url, "headers": _pairs(parsed.header)}
    else:
        config = {"command": command[0], "args": command[1:], "env": _pairs(parsed.env)}
        if parsed.cwd or _is_relative(command[0]):
            config["cwd"] = str(Path(parsed.cwd or "").resolve())
    return {**_place(parsed), "name": parsed.name, "config": config}


def _is_relative(command: str) -> bool:
    """Whether it says where it is from here, rather than a name to look up."""
    return Path(command).name != command and not Path(command).is_absolute()


def _pairs(texts: list[str]) -> dict[str, str]:
    if wrong := next((text for text in texts if "=" not in text), None):
        raise WrongUsage(f'"{wrong}" is not of the form K=V.')
    return {key: value for key, _, value in (text.partition("=") for text in texts)}


def _import_arguments(parsed: argparse.Namespace) -> JsonObject:
    path: Path = parsed.file
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ToolboothError(f"{path} can't be read: {error.strerror}.") from None
    content = jsontext.parse(path, jsontext.decode(path, data))
    servers = content.get("mcpServers", content.get("servers"))
    if not isinstance(servers, dict):
        raise ToolboothError(f'{path} has no "mcpServers".', "It is the part clients keep them in.")
    return {**_place(parsed), "servers": servers}


def _search_arguments(parsed: argparse.Namespace) -> JsonObject:
    where = {**_place(parsed), "project": parsed.project}
    return {**where, "queries": parsed.queries, "limit": parsed.limit}


def _call_arguments(parsed: argparse.Namespace) -> JsonObject:
    try:
        arguments = json.loads(parsed.arguments)
    except ValueError as error:
        raise WrongUsage(f"The arguments are not JSON: {error}.") from None
    if not isinstance(arguments, dict):
        raise WrongUsage('The arguments must be a JSON object, like \'{"path": "/tmp"}\'.')
    where = {**_place(parsed), "project": parsed.project}
    return {**where, "toolKey": parsed.tool_key, "arguments": arguments}


def _permission_arguments(parsed: argparse.Namespace) -> JsonObject:
    where = {**_place(parsed), "project": parsed.project}
    return {**where, "toolKey": parsed.tool_key, "permission": parsed.permission}


def _token_arguments(parsed: argparse.Namespace) -> JsonObject:
    scope = {**_place(parsed), "project": parsed.project, "servers": parsed.servers}
    return {**scope, "name": parsed.name, "lifetimeS": parsed.expires}


def _revoked_token(parsed: argparse.Namespace) -> JsonObject:
    return {"token": parsed.token}


def _new_project(parsed: argparse.Namespace) -> JsonObject:
    return {**_place(parsed), "name": parsed.name, "servers": parsed.servers}


def _project_options(parsed: argparse.Namespace) -> JsonObject:
    return {
        **_place(parsed),
        "project": None if parsed.project == "-" else parsed.project,
        "optimization": parsed.optimization,
        "exposure": parsed.exposure,
    }


def _given(text: str) -> str:
    """What an unset variable of a script leaves is not meant."""
    if not text:
        raise argparse.ArgumentTypeError("it must not be empty")
    return text


def _lifetime(text: str) -> float:
    """Seconds, from `12h`, `30d` or `4w`."""
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdigit() and unit in _UNITS_S and 0 < int(number) < 10**5):
        raise argparse.ArgumentTypeError(f'"{text}" is not a time like 12h, 30d or 4w')
    return int(number) * _UNITS_S[unit]


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f'"{text}" is not a port from 0 to 65535')
    return int(text)


def _limit(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number from 1 to 100')
    return int(text)
