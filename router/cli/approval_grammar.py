"""The grammar of commands about what a person approves."""

from __future__ import annotations

import argparse

from router.cli.words import Subparsers, command, named_server
from router.domain.json_values import JsonObject
from router.domain.receipts import DiscoveryAccess


def add_approval_commands(commands: Subparsers, scoped: argparse.ArgumentParser) -> None:
    approve = command(
        commands, "approve", "Let a server's command run, or a tool be used.", scoped, _approved
    )
    approve.add_argument(
        "server",
        metavar="SERVER|TOOLKEY",
        help="a server, with all of its tools that wait; or one tool",
    )
    access = approve.add_mutually_exclusive_group()
    for name, help_text in (
        (DiscoveryAccess.NETWORK, "let it have network and secrets while its tools are listed"),
        (DiscoveryAccess.UNCONFINED, "list its tools without any isolation"),
        (DiscoveryAccess.ISOLATED, "take either back"),
    ):
        access.add_argument(
            f"--{name}", dest="access", action="store_const", const=str(name), help=help_text
        )
    pending = command(
        commands, "pending", "Show the tools that wait for your approval.", scoped, named_server
    )
    pending.add_argument("server", nargs="?", metavar="NAME")
    findings = command(
        commands,
        "findings",
        "Show what looks suspicious in tools' words.",
        scoped,
        named_server,
    )
    findings.add_argument("server", nargs="?", metavar="NAME")


def _approved(parsed: argparse.Namespace) -> JsonObject:
    return {**named_server(parsed), "access": parsed.access}
