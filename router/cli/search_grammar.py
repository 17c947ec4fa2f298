"""The grammar of commands about searching."""

from __future__ import annotations

import argparse
import getpass
import os
import sys

from router.cli.words import Subparsers, WrongUsage, command, given, group, nothing, place
from router.domain.json_values import JsonObject


def add_search_commands(
    commands: Subparsers, common: argparse.ArgumentParser, scoped: argparse.ArgumentParser
) -> None:
    learning = group(commands, "learning", "What searches have taught.")
    for name, about in (
        ("show", "Show it, and searches that led to nothing."),
        ("clear", "Forget it."),
    ):
        parser = command(learning, f"learning {name}", about, scoped, _project)
        parser.add_argument("--project", type=given, metavar="P")
    command(learning, "learning on", "Learn from use.", common, nothing)
    command(learning, "learning off", "Neither learn nor use what was learned.", common, nothing)
    cloud = group(commands, "cloud", "The service that cloud search asks.")
    setting = command(cloud, "cloud set", "Say where it is.", common, _service)
    setting.add_argument("url", type=given, metavar="URL")
    setting.add_argument(
        "--token-env", type=given, metavar="NAME", help="take the token from this variable"
    )
    command(cloud, "cloud off", "Ask no service, and forget its token.", common, nothing)


def _project(parsed: argparse.Namespace) -> JsonObject:
    return {**place(parsed), "project": parsed.project}


def _service(parsed: argparse.Namespace) -> JsonObject:
    """A token never stands in the command line, where every program could read it."""
    if parsed.token_env:
        token = os.environ.get(parsed.token_env)
        if not token:
            raise WrongUsage(f"The variable {parsed.token_env} is not set.")
    elif sys.stdin.isatty():
        token = getpass.getpass("Token of the service (empty for none): ")
    else:
        token = None
    return {"url": parsed.url, "token": token or None}
