"""The grammar of commands about what a person approves."""

from __future__ import annotations

import argparse

from router.cli.words import Subparsers, command, named_server


def add_approval_commands(commands: Subparsers, scoped: argparse.ArgumentParser) -> None:
    approve = command(
        commands, "approve", "Let a server's command run, or a tool be used.", scoped, named_server
    )
    approve.add_argument(
        "server",
        metavar="SERVER|TOOLKEY",
        help="a server, with all of its tools that wait; or one tool",
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
