"""The grammar of commands about scripts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from router.cli.words import Subparsers, command, given, group, json_object, place
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject


def add_script_commands(commands: Subparsers, scoped: argparse.ArgumentParser) -> None:
    script = group(commands, "script", "Manage the scripts you keep.")
    adding = command(script, "script add", "Keep a script.", scoped, _add_arguments)
    adding.add_argument("name")
    adding.add_argument("file", type=Path, help='its Lua; "-" reads it from the terminal')
    adding.add_argument("--replace", action="store_true", help="a script of that name")
    command(script, "script list", "List the scripts.", scoped, place)
    for name, help_text in (("show", "Print a script."), ("remove", "Remove a script.")):
        command(script, f"script {name}", help_text, scoped, _named).add_argument("name")
    running = command(script, "script run", "Run a script.", scoped, _run_arguments)
    running.add_argument("name")
    running.add_argument("arguments", nargs="?", default="{}", metavar="JSON")
    running.add_argument("--dry", action="store_true", help="call only tools that just read")
    running.add_argument("--project", type=given, metavar="P")


def _named(parsed: argparse.Namespace) -> JsonObject:
    return {**place(parsed), "name": parsed.name}


def _add_arguments(parsed: argparse.Namespace) -> JsonObject:
    return {**_named(parsed), "text": _text(parsed.file), "replace": parsed.replace}


def _text(path: Path) -> str:
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return data.decode()
    except OSError as error:
        raise ToolboothError(
            f"{path} can't be read: {error.strerror}.",
            "Name a file with the script, or - for stdin.",
        ) from None
    except UnicodeDecodeError:
        raise ToolboothError(f"{path} is no text.", "Save it as UTF-8.") from None


def _run_arguments(parsed: argparse.Namespace) -> JsonObject:
    own = json_object(parsed.arguments)
    more = {"project": parsed.project, "dry": parsed.dry, "arguments": own}
    return {**_named(parsed), **more}
