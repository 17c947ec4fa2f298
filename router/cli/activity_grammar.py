"""The grammar of commands about what clients did."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta

from router.cli.state_grammar import lifetime
from router.cli.words import Subparsers, command, given
from router.domain.activity import ActivityKind
from router.domain.json_values import JsonObject

_SHOWN = 50


def add_activity_commands(commands: Subparsers, common: argparse.ArgumentParser) -> None:
    activity = command(commands, "activity", "Show what clients did.", common, _activity)
    activity.add_argument("--since", type=lifetime, metavar="TIME", help="12h, 30d or 4w ago")
    activity.add_argument("--client", type=given, metavar="NAME")
    activity.add_argument("--server", type=given, metavar="ID")
    activity.add_argument("--kind", choices=[str(kind) for kind in ActivityKind])
    activity.add_argument("--errors", action="store_true", help="only what did not work")
    activity.add_argument("--export", choices=("csv", "jsonl"), help="all of it, for programs")
    savings = command(
        commands, "savings", "Show what Context Optimization saved each client.", common, _since
    )
    savings.add_argument("--since", type=lifetime, metavar="TIME", help="12h, 30d or 4w ago")


def _activity(parsed: argparse.Namespace) -> JsonObject:
    return {
        **_since(parsed),
        "client": parsed.client,
        "server": parsed.server,
        "kind": parsed.kind,
        "errors": parsed.errors,
        "limit": None if parsed.export else _SHOWN,
    }


def _since(parsed: argparse.Namespace) -> JsonObject:
    if parsed.since is None:
        return {"since": None}
    return {"since": (datetime.now(UTC) - timedelta(seconds=parsed.since)).isoformat()}
