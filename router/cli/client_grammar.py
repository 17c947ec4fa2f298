"""The grammar of commands about other applications."""

from __future__ import annotations

import argparse
from pathlib import Path

from router.cli.words import Subparsers, WrongUsage, command, given, group, nothing, pairs, place
from router.domain.json_values import JsonObject


def add_client_commands(
    commands: Subparsers, common: argparse.ArgumentParser, scoped: argparse.ArgumentParser
) -> None:
    client = group(commands, "client", "Connect other applications, and see what they have.")
    command(client, "client list", "List the applications we can connect.", common, nothing)
    command(client, "client servers", "List the servers they have.", common, nothing)
    for name, help_text in (
        ("preview", "Show what connecting one would change in its file."),
        ("connect", "Connect one: our entry in its file, with a token of its own."),
        ("disconnect", "Take our entry out of its file."),
    ):
        parser = command(client, f"client {name}", help_text, common, _named_client)
        parser.add_argument("client", metavar="CLIENT")
    importing = command(
        commands, "import", "Add the servers of another application.", scoped, _import_arguments
    )
    importing.add_argument("file", type=Path, nargs="?")
    importing.add_argument("--from", dest="source", type=given, metavar="CLIENT")
    importing.add_argument(
        "--answer", action="append", default=[], metavar="ID=V", help="to what it asks for"
    )


def _named_client(parsed: argparse.Namespace) -> JsonObject:
    return {"client": parsed.client}


def _import_arguments(parsed: argparse.Namespace) -> JsonObject:
    if (parsed.file is None) == (parsed.source is None):
        raise WrongUsage(
            "Name either a file or an application.",
            "toolbooth import FILE, or toolbooth import --from CLIENT",
        )
    file = str(parsed.file.resolve()) if parsed.file else None
    chosen = {"file": file, "from": parsed.source}
    return {**place(parsed), **chosen, "answers": pairs(parsed.answer)}
