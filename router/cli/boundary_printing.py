"""What commands about workspaces, projects, tokens and permissions print."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from router.cli.tables import counted, moment, table
from router.domain.json_values import JsonObject


def _new_token(result: Any) -> list[str]:
    return [
        str(result["token"]),
        "This is shown only now. Send it as: Authorization: Bearer TOKEN",
    ]


def _tokens(result: Any) -> list[str]:
    tokens: list[JsonObject] = result
    if not tokens:
        return ["No tokens yet. Make one with: toolbooth token new NAME"]
    return table(
        (
            t["id"],
            t["name"],
            t["workspace"] or "active workspace",
            t["project"] or "-",
            "all servers" if t["servers"] is None else ", ".join(t["servers"]),
            f"last used {moment(t['lastUsedAt'])}" if t["lastUsedAt"] else "never used",
            f"until {moment(t['expiresAt'])}" if t["expiresAt"] else "",
        )
        for t in tokens
    )


def _workspaces(result: Any) -> list[str]:
    workspaces: list[JsonObject] = result
    return table(
        (
            "*" if w["active"] else "",
            w["id"],
            w["name"],
            counted(w["servers"], "server"),
            w["approval"],
        )
        for w in workspaces
    )


def _workspace(result: Any) -> list[str]:
    return _workspaces([result])


def _workspace_removed(result: Any) -> list[str]:
    back = f"toolbooth workspace restore {result['id']}"
    return [f"Removed {result['name']}. Bring it back with: {back}"]


def _projects(result: Any) -> list[str]:
    projects: list[JsonObject] = result
    return table(
        (
            p["id"] or "-",
            p["name"],
            p["optimization"] or "off",
            p["exposure"],
            "all servers" if p["servers"] is None else ", ".join(p["servers"]),
        )
        for p in projects
    )


def _removed(result: Any) -> list[str]:
    return [f"Removed {result['name']}."]


def _project(result: Any) -> list[str]:
    return _projects([result])


def _permission(result: Any) -> list[str]:
    return [f"{result['toolKey']}: {result['permission']}"]


def _permissions(result: Any) -> list[str]:
    words = [(w["toolKey"], w["permission"]) for w in result["words"]]
    rules = [
        (f"rule {number}", rule["permission"], _rule(rule))
        for number, rule in enumerate(result["rules"], start=1)
    ]
    if not words and not rules:
        return ["Everything is allowed."]
    return [*table(words), *table(rules)]


def _rule(rule: JsonObject) -> str:
    conditions = {key: value for key, value in rule.items() if key != "permission"}
    return ", ".join(f"{key} {json.dumps(value)}" for key, value in conditions.items()) or "always"


def _asks(result: Any) -> list[str]:
    asks: list[JsonObject] = result
    if not asks:
        return ["No call waits for a yes."]
    return table((a["id"], a["client"], a["toolKey"], f"until {moment(a['until'])}") for a in asks)


BOUNDARY_PRINTERS: dict[str, Callable[[Any], list[str]]] = {
    "token new": _new_token,
    "token list": _tokens,
    "workspace new": _workspace,
    "workspace use": _workspace,
    "workspace set": _workspace,
    "workspace rename": _workspace,
    "workspace remove": _workspace_removed,
    "workspace restore": _workspace,
    "workspace list": _workspaces,
    "project new": _project,
    "project set": _project,
    "project rename": _project,
    "project remove": _removed,
    "project list": _projects,
    "permission set": _permission,
    "permission list": _permissions,
    "permission rule": _permissions,
    "permission asks": _asks,
}
