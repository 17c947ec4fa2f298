"""The grammar of commands about permissions."""

from __future__ import annotations

import argparse
import json

from router.cli.tool_grammar import limit
from router.cli.words import (
    Parser,
    Subparsers,
    WrongUsage,
    command,
    given,
    group,
    nothing,
    pairs,
    place,
)
from router.domain.json_values import JsonObject
from router.domain.permissions import Answer, Permission

_WORDS = [str(each) for each in Permission]


def add_permission_commands(
    commands: Subparsers, common: argparse.ArgumentParser, scoped: argparse.ArgumentParser
) -> None:
    permission = group(commands, "permission", "Say what may be used.")
    placed = Parser(add_help=False, parents=[scoped])
    placed.add_argument("--project", type=given, metavar="P")
    setting = command(permission, "permission set", "Set a tool's.", placed, _word)
    setting.add_argument("tool_key", metavar="TOOLKEY")
    setting.add_argument("permission", choices=_WORDS)
    command(permission, "permission list", "List what is set.", placed, _project_place)
    _add_rule_options(
        command(permission, "permission rule", "Add or remove a rule.", placed, _rule)
    )
    command(permission, "permission asks", "List the calls that wait.", common, nothing)
    answer = command(permission, "permission answer", "Answer one.", common, _answer)
    answer.add_argument("ask", metavar="ID")
    answer.add_argument("answer", choices=[str(each) for each in Answer])


def _add_rule_options(rule: argparse.ArgumentParser) -> None:
    rule.add_argument("permission", nargs="?", choices=_WORDS)
    for name in ("server", "tool", "prompt", "resource"):
        rule.add_argument(f"--{name}", metavar="PATTERN", help="* stands for anything")
    for name in ("read-only", "destructive", "open-world"):
        rule.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, help="what it says")
    rule.add_argument("--argument", action="append", default=[], metavar="PATH=VALUE")
    rule.add_argument("--place", type=limit, metavar="N", help="among the rules; else the last")
    rule.add_argument("--remove", type=limit, metavar="N", help="the rule with this number")


def _project_place(parsed: argparse.Namespace) -> JsonObject:
    return {**place(parsed), "project": parsed.project}


def _word(parsed: argparse.Namespace) -> JsonObject:
    word = {"toolKey": parsed.tool_key, "permission": parsed.permission}
    return {**_project_place(parsed), **word}


def _rule(parsed: argparse.Namespace) -> JsonObject:
    where = _project_place(parsed)
    if parsed.remove is not None:
        return {**where, "remove": True, "place": parsed.remove}
    if parsed.permission is None:
        raise WrongUsage("A rule needs a permission: allow, ask or deny.")
    rule: JsonObject = {
        "permission": parsed.permission,
        "server": parsed.server or "*",
        "tool": parsed.tool,
        "prompt": parsed.prompt,
        "resource": parsed.resource,
        "readOnly": parsed.read_only,
        "destructive": parsed.destructive,
        "openWorld": parsed.open_world,
        "arguments": {path: _value(text) for path, text in pairs(parsed.argument).items()},
    }
    return {**where, "rule": rule, "place": parsed.place}


def _value(text: str) -> object:
    """`true`, `7` and `null` mean themselves; anything else, even a quoted one, is text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, dict | list) else value


def _answer(parsed: argparse.Namespace) -> JsonObject:
    return {"ask": parsed.ask, "answer": parsed.answer}
