"""The commands about permissions: a tool's own, rules for many, and permission requests."""

from __future__ import annotations

import argparse
import json

from router.commands.command import (
    PROJECT,
    TOOL_KEY,
    WORKSPACE,
    Argument,
    Command,
    Group,
    UsageError,
    number,
    pairs,
    repeated,
)
from router.commands.context import Context, validated
from router.commands.output import iso_time, local_time, table
from router.domain.errors import InvalidInput
from router.domain.ids import ServerRef, ToolKey
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS, parse_tool_key
from router.domain.permissions import Answer, Permission, PermissionRequestId

_PERMISSIONS = [str(each) for each in Permission]
_PATTERNS = ("server", "tool", "prompt", "resource")
_EFFECTS = {
    "read-only": "only tools that are (not) read-only",
    "destructive": "only tools that are (not) destructive",
    "open-world": "only tools that do (not) access other systems",
}


# permission set


async def _set(context: Context) -> JsonObject:
    key = parse_tool_key(str(context["toolKey"]))
    permission = Permission(context["permission"])
    await context.router.permissions.set(context.workspace, key, permission, context.project)
    return {"toolKey": str(key), "permission": permission, "warnings": _warnings(context, key)}


def _warnings(context: Context, key: ToolKey) -> list[str]:
    """A tool that does not exist may be in the next tool list, so this is only a warning."""
    ref = ServerRef(context.workspace, key.server)
    tools = context.router.tools.list(ref) if key.server != SCRIPTS else ()
    if not tools or any(tool.key == key for tool in tools):
        return []
    return [f'{key.server} has no tool "{key.tool}" now; see: toolbooth tools {key.server}']


# permission list, permission rule


async def _list(context: Context) -> JsonObject:
    """Those of a project, or of the workspace itself."""
    workspace, project = context.workspace, context.project
    own = context.router.permissions.explicit(workspace, project)
    rules = context.router.permissions.rules(workspace, project)
    return {
        "words": [{"toolKey": key, "permission": each} for key, each in sorted(own.items())],
        "rules": [rule.to_json() for rule in rules],
    }


def _rule_request(given: JsonObject) -> JsonObject:
    scope = {"workspace": given["workspace"], "project": given["project"]}
    if given["remove"] is not None:
        return {**scope, "remove": True, "place": given["remove"]}
    if given["permission"] is None:
        raise UsageError("A rule needs a permission: allow, ask or deny.")
    names = ("permission", *_PATTERNS, "readOnly", "destructive", "openWorld")
    rule: JsonObject = {name: given[name] for name in names}
    rule["server"] = rule["server"] or "*"
    rule["arguments"] = {path: _value(text) for path, text in pairs(given["argument"]).items()}
    return {**scope, "rule": rule, "place": given["place"]}


def _value(text: str) -> object:
    """`true`, `7`, `null` and `"text"` are JSON values; anything else is text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, dict | list) else value


async def _rule(context: Context) -> JsonObject:
    """Insert a rule at the given place, the end if none is given; or remove the one there."""
    from router.config.workspace import PermissionRule

    workspace, project = context.workspace, context.project
    rules = list(context.router.permissions.rules(workspace, project))
    place = int(context.get("place") or len(rules) + 1) - 1
    if context.get("remove"):
        if not 0 <= place < len(rules):
            see = "See them with: toolbooth permission list"
            raise InvalidInput(f"There is no rule {place + 1}.", see)
        del rules[place]
    else:
        rules.insert(place, validated(PermissionRule, context["rule"]))
    await context.router.permissions.set_rules(workspace, project, rules)
    return await _list(context)


def _permission_lines(result: JsonObject) -> list[str]:
    own = [(each["toolKey"], each["permission"]) for each in result["words"]]
    rules = [
        (f"rule {number}", rule["permission"], _conditions(rule))
        for number, rule in enumerate(result["rules"], start=1)
    ]
    if not own and not rules:
        return ["No permissions or rules are set: all tools are allowed."]
    return [*table(own), *table(rules)]


def _conditions(rule: JsonObject) -> str:
    conditions = {key: value for key, value in rule.items() if key != "permission"}
    return ", ".join(f"{key} {json.dumps(value)}" for key, value in conditions.items()) or "always"


# permission asks, permission answer


async def _asks(context: Context) -> list[JsonObject]:
    return [
        {
            "id": ask.id,
            "client": ask.client,
            "workspace": ask.ref.workspace,
            "project": ask.project,
            "kind": ask.kind,
            "toolKey": str(ask.key),
            "arguments": ask.arguments,
            "until": iso_time(ask.until),
        }
        for ask in context.router.permissions.requests()
    ]


def _ask_lines(asks: list[JsonObject]) -> list[str]:
    if not asks:
        return ["No permission requests are pending."]
    rows = ((a["id"], a["client"], a["toolKey"], f"until {local_time(a['until'])}") for a in asks)
    return table(rows)


async def _answer(context: Context) -> None:
    ask, answer = PermissionRequestId(str(context["ask"])), Answer(context["answer"])
    await context.router.permissions.answer(ask, answer)


COMMANDS = (
    Group("permission", "Manage permissions."),
    Command(
        "permission set",
        "Set the permission of a tool.",
        _set,
        (WORKSPACE, PROJECT, TOOL_KEY, Argument("permission", choices=_PERMISSIONS)),
        ("files:write_file ask",),
        lambda result: [f"{result['toolKey']}: {result['permission']}"],
        warns=True,
    ),
    Command(
        "permission list",
        "List the permissions of tools and the rules.",
        _list,
        (WORKSPACE, PROJECT),
        ("--project Site",),
        _permission_lines,
    ),
    Command(
        "permission rule",
        "Add or remove a rule.",
        _rule,
        (
            WORKSPACE,
            PROJECT,
            Argument("permission", nargs="?", choices=_PERMISSIONS),
            *(
                Argument(
                    f"--{name}", metavar="PATTERN", help=f"only these {name}s; * matches anything"
                )
                for name in _PATTERNS
            ),
            *(
                Argument(f"--{name}", action=argparse.BooleanOptionalAction, help=text)
                for name, text in _EFFECTS.items()
            ),
            repeated("--argument", metavar="PATH=VALUE", help="only calls with this argument"),
            Argument(
                "--place", type=number, metavar="N", help="position of the rule; default: last"
            ),
            Argument("--remove", type=number, metavar="N", help="remove rule number N"),
        ),
        (
            "ask --destructive",
            "deny --server files --argument 'path=/etc/*' --place 1",
            "--remove 2",
        ),
        _permission_lines,
        request=_rule_request,
    ),
    Command("permission asks", "List pending permission requests.", _asks, lines=_ask_lines),
    Command(
        "permission answer",
        "Answer a permission request.",
        _answer,
        (
            Argument("ask", metavar="ID", help="request ID; see: toolbooth permission asks"),
            Argument("answer", choices=[str(each) for each in Answer]),
        ),
        ("3f9a once",),
    ),
)
