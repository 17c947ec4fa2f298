"""The grammar of commands about tools."""

from __future__ import annotations

import argparse

from router.cli.words import Subparsers, command, given, json_object, named_server, place
from router.domain.json_values import JsonObject


def add_tool_commands(commands: Subparsers, scoped: argparse.ArgumentParser) -> None:
    tools = command(commands, "tools", "List the tools.", scoped, named_server)
    tools.add_argument("server", nargs="?")
    search = command(commands, "search", "Search as a client would.", scoped, _search_arguments)
    search.add_argument("queries", nargs="+", metavar="QUERY")
    search.add_argument("--limit", type=limit, metavar="N")
    call = command(commands, "call", "Run a tool.", scoped, _call_arguments)
    call.add_argument("tool_key", metavar="TOOLKEY")
    call.add_argument("arguments", nargs="?", default="{}", metavar="JSON")
    pin = command(
        commands, "pin", "Let clients have a tool without a search; or list those.", scoped, _pins
    )
    pin.add_argument("tool_keys", nargs="*", metavar="TOOLKEY")
    unpin = command(commands, "unpin", "Let a tool be searched for again.", scoped, _pins)
    unpin.add_argument("tool_keys", nargs="+", metavar="TOOLKEY")
    for parser in (search, call, pin, unpin):
        parser.add_argument("--project", type=given, metavar="P")


def _search_arguments(parsed: argparse.Namespace) -> JsonObject:
    where = {**place(parsed), "project": parsed.project}
    return {**where, "queries": parsed.queries, "limit": parsed.limit}


def _call_arguments(parsed: argparse.Namespace) -> JsonObject:
    arguments = json_object(parsed.arguments)
    where = {**place(parsed), "project": parsed.project}
    return {**where, "toolKey": parsed.tool_key, "arguments": arguments}


def _pins(parsed: argparse.Namespace) -> JsonObject:
    return {**place(parsed), "project": parsed.project, "toolKeys": parsed.tool_keys}


def limit(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number from 1 to 100')
    return int(text)
