"""What the commands about approvals print for people. Servers' words are printed without anything
that a terminal would obey."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from router.domain.json_values import JsonObject
from router.domain.tool_lists import Approval, CutKind, WordChange

_CUTS = {
    CutKind.TOO_MANY_TOOLS: "tools beyond the limit",
    CutKind.BAD_NAME: "tools whose name can't be read",
    CutKind.SAME_NAME: "tools with a name that another one has",
    CutKind.LONG_DESCRIPTION: "descriptions shortened",
    CutKind.LARGE_SCHEMA: "schemas too large to show",
    CutKind.DEEP_SCHEMA: "schemas too deep to show",
    CutKind.LONG_SCHEMA_DESCRIPTION: "descriptions in schemas shortened",
    CutKind.SCHEMA_KEYWORD: "composed parts of schemas left out",
    CutKind.OUTSIDE_REFERENCE: "references to other places left out",
    CutKind.MARKUP: "texts with HTML taken out",
    CutKind.HIDDEN_TEXT: "texts with hidden characters taken out",
    CutKind.ICON: "icons left out",
}
_MARKS = {
    WordChange.SAME: ("", ""),
    WordChange.REMOVED: ("[-", "-]"),
    WordChange.ADDED: ("{+", "+}"),
}


def list_notes(server: JsonObject) -> list[str]:
    """What a person should know about a server's list, one line each."""
    name, notes = server["id"], list[str]()
    if waiting := server.get("waitingCount"):
        wait = "1 tool waits" if waiting == 1 else f"{waiting} tools wait"
        notes.append(f"! {name}: {wait} for your approval. See: toolbooth pending")
    if suspicious := server.get("suspiciousCount"):
        look = "1 tool looks" if suspicious == 1 else f"{suspicious} tools look"
        notes.append(f"! {name}: {look} suspicious. See: toolbooth findings {name}")
    cuts: JsonObject = server.get("cuts") or {}
    if cuts:
        parts = ", ".join(f"{count} {_CUTS[CutKind(kind)]}" for kind, count in cuts.items())
        notes.append(f"  {name}: not all of its list is shown: {parts}.")
    return notes


def pending(result: Any) -> list[str]:
    tools: list[JsonObject] = result
    if not tools:
        return ["No tool waits for your approval."]
    lines = [line for tool in tools for line in _pending_tool(tool)]
    return [
        *lines,
        "Approve with: toolbooth approve TOOLKEY, or SERVER for all of its tools",
        "Block with: toolbooth permission set TOOLKEY deny",
    ]


def findings(result: Any) -> list[str]:
    found: list[JsonObject] = result
    if not found:
        return ["Nothing looks suspicious."]
    of_tools = groupby(found, key=lambda each: each["toolKey"])
    return [line for key, each in of_tools for line in (key, *map(_finding, each))]


def _pending_tool(tool: JsonObject) -> list[str]:
    changed = tool["approval"] == Approval.CHANGED
    known = changed and tool["old"]
    text = _difference(tool["difference"]) if known else tool["new"]
    lines = [f"{tool['toolKey']} ({'changed' if changed else 'new'})"]
    lines += [f"    {line}" for line in printable(text).splitlines()]
    return [*lines, *(_finding(each) for each in tool["findings"])]


def _difference(parts: list[list[str]]) -> str:
    marked = ((_MARKS[WordChange(change)], text) for change, text in parts)
    return "".join(f"{before}{text}{after}" for (before, after), text in marked)


def _finding(found: JsonObject) -> str:
    what = f"{found['kind'].replace('_', ' ')} ({found['rule']}) in {found['where']}"
    return f"  ! {what}: {printable(found['words'])}"


def printable(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)
