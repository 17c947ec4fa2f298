"""The commands about permissions: a tool's own, rules for many, and permission requests."""

from __future__ import annotations

import argparse
import json

from router.commands.command import (
    PROJECT,
    TOOL_KEY,
    WORKSPACE,
    Argument,
    Commands,
    Group,
    UsageError,
    choice,
    number,
    pairs,
    repeated,
)
from router.commands.context import Context, validated
from router.commands.output import json_fields, local_time, shown_key, table
from router.domain.errors import InvalidInput
from router.domain.ids import ServerRef, ToolKey
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS, parse_tool_key
from router.domain.permissions import Answer, Permission, PermissionRequestId

COMMANDS = Commands([Group("permission", "Manage permissions.")])
_PATTERNS = ("server", "tool", "prompt", "resource")
_EFFECTS = {
    "read-only": "only tools that are (not) read-only",
    "destructive": "only tools that are (not) destructive",
    "open-world": "only tools that do (not) access other systems",
}


def _loosens_tool(context: Context) -> bool:
    """A tool's own permission precedes rules, so that even `ask` may be looser than a rule."""
    permission = Permission(context["permission"])
    if permission is not Permission.ASK:
        return permission is Permission.ALLOW
    config = context.router.projects.config(context.workspace, context.project)
    return bool(context.project or config.rules or config.permissions.get(context["toolKey"]))


def _loosens_rules(context: Context) -> bool:
    """Only denying more, or asking where the workspace allows everything else, surely does not."""
    if context.get("remove"):
        return True
    permission = context["rule"]["permission"]
    last = context.get("place") is None and context.project is None
    return permission != Permission.DENY and not (permission == Permission.ASK and last)


@COMMANDS.add(
    "permission set",
    "Set the permission of a tool.",
    WORKSPACE,
    PROJECT,
    TOOL_KEY,
    choice("permission", Permission),
    examples=["files:write_file ask"],
    lines=lambda result: [f"{shown_key(result['toolKey'])}: {result['permission']}"],
    needs_person=_loosens_tool,
    warns=True,
)
async def set_permission(context: Context) -> JsonObject:
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


def _permission_lines(result: JsonObject) -> list[str]:
    own = [(shown_key(each["toolKey"]), each["permission"]) for each in result["words"]]
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


@COMMANDS.add(
    "permission list",
    "List the permissions of tools and the rules.",
    WORKSPACE,
    PROJECT,
    examples=["--project Site"],
    lines=_permission_lines,
)
async def list_permissions(context: Context) -> JsonObject:
    """Those of a project, or of the workspace itself."""
    config = context.router.projects.config(context.workspace, context.project)
    own = sorted(config.permissions.items())
    return {
        "words": [{"toolKey": key, "permission": each} for key, each in own],
        "rules": [rule.to_json() for rule in config.rules],
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


@COMMANDS.add(
    "permission rule",
    "Add or remove a rule.",
    WORKSPACE,
    PROJECT,
    choice("permission", Permission, nargs="?"),
    *(
        Argument(f"--{name}", "PATTERN", f"only these {name}s; * matches anything")
        for name in _PATTERNS
    ),
    *(
        Argument(f"--{name}", text=text, action=argparse.BooleanOptionalAction)
        for name, text in _EFFECTS.items()
    ),
    repeated("--argument", "PATH=VALUE", "only calls with this argument"),
    Argument("--place", "N", "position of the rule; default: last", type=number),
    Argument("--remove", "N", "remove rule number N", type=number),
    examples=[
        "ask --destructive",
        "deny --server files --argument 'path=/etc/*' --place 1",
        "--remove 2",
    ],
    lines=_permission_lines,
    needs_person=_loosens_rules,
    request=_rule_request,
)
async def change_rules(context: Context) -> JsonObject:
    """Insert a rule at the given place, the end if none is given; or remove the one there."""
    from router.config.workspace import PermissionRule

    workspace, project = context.workspace, context.project
    rules = list(context.router.projects.config(workspace, project).rules)
    place = int(context.get("place") or len(rules) + 1) - 1
    if context.get("remove"):
        if not 0 <= place < len(rules):
            see = "See them with: toolbooth permission list"
            raise InvalidInput(f"There is no rule {place + 1}.", see)
        del rules[place]
    else:
        rules.insert(place, validated(PermissionRule, context["rule"]))
    await context.router.permissions.set_rules(workspace, project, rules)
    return await list_permissions(context)


def _request_lines(requests: list[JsonObject]) -> list[str]:
    if not requests:
        return ["No permission requests are pending."]
    return table(
        (r["id"], r["client"], shown_key(r["toolKey"]), f"until {local_time(r['until'])}")
        for r in requests
    )


@COMMANDS.add("permission asks", "List pending permission requests.", lines=_request_lines)
async def list_requests(context: Context) -> list[JsonObject]:
    return [
        {
            **json_fields(request, "id client"),
            "workspace": request.ref.workspace,
            **json_fields(request, "project kind"),
            "toolKey": str(request.key),
            **json_fields(request, "arguments until"),
        }
        for request in context.router.permissions.requests()
    ]


def _allows(context: Context) -> bool:
    return context["answer"] != Answer.DENY


@COMMANDS.add(
    "permission answer",
    "Answer a permission request.",
    Argument("ask", "ID", "request ID; see: toolbooth permission asks"),
    choice("answer", Answer),
    examples=["3f9a once"],
    needs_person=_allows,
)
async def answer(context: Context) -> None:
    request = PermissionRequestId(str(context["ask"]))
    await context.router.permissions.answer(request, Answer(context["answer"]))
