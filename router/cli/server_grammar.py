"""The grammar of commands about servers."""

from __future__ import annotations

import argparse
from pathlib import Path

from router.cli.words import Subparsers, WrongUsage, command, named_server, pairs, place
from router.domain.json_values import JsonObject

_ADD_USAGE = """\
toolbooth add NAME [--env K=V] [--cwd D] [OPTIONS] -- COMMAND ARGS...
       toolbooth add NAME --url URL [--header K=V] [OPTIONS]"""


def add_server_commands(commands: Subparsers, scoped: argparse.ArgumentParser) -> None:
    add = command(commands, "add", "Add a server; that is consent to run it.", scoped, _add)
    add.usage = _ADD_USAGE
    add.add_argument("name", metavar="NAME", help="what you call it")
    add.add_argument("--env", action="append", default=[], metavar="K=V", help="for its process")
    add.add_argument("--cwd", metavar="D", help="the folder it works in")
    add.add_argument("--url", help="of a server that is reached over HTTP")
    add.add_argument("--header", action="append", default=[], metavar="K=V", help="sent to it")
    for name, help_text in (
        ("remove", "Remove a server."),
        ("enable", "Switch a server on."),
        ("disable", "Switch a server off."),
        ("receipt", "Say what a server tried while its lists were learnt."),
        ("sign-in", "Sign in to a server: print the page to open, and wait."),
        ("sign-out", "Sign out of a server."),
    ):
        command(commands, name, help_text, scoped, named_server).add_argument("server")
    command(commands, "list", "List the servers.", scoped, place)
    refresh = command(commands, "refresh", "Learn the tool lists anew.", scoped, _refresh_arguments)
    refresh.add_argument("server", nargs="?", metavar="NAME")
    refresh.add_argument("--packages", action="store_true", help="fetch npm and PyPI servers anew")
    refresh.add_argument("--cancel", action="store_true", help="end those that are under way")


def _refresh_arguments(parsed: argparse.Namespace) -> JsonObject:
    return {**named_server(parsed), "cancel": parsed.cancel, "packages": parsed.packages}


def _add(parsed: argparse.Namespace) -> JsonObject:
    command = parsed.server_command
    if bool(command) == bool(parsed.url):
        raise WrongUsage(
            "A server needs either a command or a --url.",
            "toolbooth add NAME -- COMMAND ARGS..., or toolbooth add NAME --url URL",
        )
    if parsed.url and (parsed.env or parsed.cwd):
        raise WrongUsage("--env and --cwd are for a command, and a --url has none.")
    if command and parsed.header:
        raise WrongUsage("--header goes with a --url, and a command has none.")
    if parsed.url:
        config: JsonObject = {"url": parsed.url, "headers": pairs(parsed.header)}
    else:
        config = {"command": command[0], "args": command[1:], "env": pairs(parsed.env)}
        if parsed.cwd or _is_relative(command[0]):
            config["cwd"] = str(Path(parsed.cwd or "").resolve())
    return {**place(parsed), "name": parsed.name, "config": config}


def _is_relative(command: str) -> bool:
    """Whether it says where it is from here, rather than a name to look up."""
    return Path(command).name != command and not Path(command).is_absolute()
