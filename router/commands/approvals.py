"""The commands about approvals of servers' commands and of what servers list."""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path

from router.commands.command import (
    OPTIONAL_SERVER,
    WORKSPACE,
    Argument,
    Commands,
    OneOf,
    repeated,
)
from router.commands.context import Context
from router.commands.output import json_fields, shown_key
from router.commands.servers import one_server, server_json
from router.domain.json_values import JsonObject
from router.domain.names import parse_tool_key
from router.domain.receipts import DiscoveryAccess, SharedPath
from router.domain.tool_lists import Approval, Finding, WordChange

COMMANDS = Commands()
_ACCESS = {
    DiscoveryAccess.NETWORK: "allow the network and secrets during discovery",
    DiscoveryAccess.UNCONFINED: "run discovery without a sandbox",
    DiscoveryAccess.ISOLATED: "undo --network or --unconfined",
}
_MARKS = {
    WordChange.SAME: ("", ""),
    WordChange.REMOVED: ("[-", "-]"),
    WordChange.ADDED: ("{+", "+}"),
}


def _access_option(access: DiscoveryAccess, text: str) -> Argument:
    return Argument(
        f"--{access}", text=text, dest="access", action="store_const", const=str(access)
    )


def _approve_request(given: JsonObject) -> JsonObject:
    """The paths as absolute ones: only this process knows the terminal's folder."""
    absolute = {option: [_absolute(path) for path in given[option]] for option in ("read", "write")}
    folder = given["folder"]
    return {**given, **absolute, "folder": os.path.realpath(_absolute(folder)) if folder else None}


def _absolute(path: str) -> str:
    return os.path.abspath(Path(path).expanduser())  # noqa: PTH100


def _loosens(context: Context) -> bool:
    shares = context.get("read") or context.get("write")
    return bool(shares) or context.get("access") != DiscoveryAccess.ISOLATED


@COMMANDS.add(
    "approve",
    "Approve a server's command and tools, or one tool.",
    WORKSPACE,
    Argument("server", "SERVER|TOOLKEY", "a server with all of its pending tools, or one tool"),
    OneOf(
        *(_access_option(access, text) for access, text in _ACCESS.items()),
        Argument("--folder", "DIR", "allow clients to use it in this folder and those below"),
    ),
    repeated("--read", "PATH", "let it read a file or folder during discovery"),
    repeated("--write", "PATH", "let it read and write a file or folder during discovery"),
    examples=[
        "files",
        "files:read_file",
        "files --network",
        "notes --write ~/vault",
        "git --folder ~/work",
    ],
    lines=one_server,
    request=_approve_request,
    needs_person=_loosens,
)
async def approve(context: Context) -> JsonObject:
    """A tool key: that tool. A server: its command and all of its pending tools, or its access and
    the files it may use during discovery."""
    router, text, access = context.router, str(context["server"]), context.get("access")
    shared = [
        SharedPath(str(path), writable=option == "write")
        for option in ("read", "write")
        for path in context.get(option) or ()
    ]
    if ":" in text:
        key = parse_tool_key(text)
        ref = router.servers.find(context.workspace, key.server)
        await router.tools.approve(ref, [key.tool])
    elif (folder := context.get("folder")) is not None:
        ref = context.server
        await router.servers.allow_folder(ref, str(folder))
    elif access is not None or shared:
        ref = context.server
        if access is not None:
            await router.discovery.allow(ref, DiscoveryAccess(access))
        if shared:
            await router.discovery.share(ref, shared)
        await router.discovery.refresh(ref.workspace, ref.server)
    else:
        ref = context.server
        await router.servers.grant_consent(ref)
        await router.tools.approve(ref)
    return server_json(context.status(ref))


def _pending_lines(tools: list[JsonObject]) -> list[str]:
    if not tools:
        return ["Nothing needs approval."]
    return [
        *(line for tool in tools for line in _pending_tool(tool)),
        "Approve one with: toolbooth approve TOOLKEY",
        "Approve all of a server's with: toolbooth approve SERVER",
        "Block a tool with: toolbooth permission set TOOLKEY deny",
    ]


def _pending_tool(tool: JsonObject) -> list[str]:
    changed = tool["approval"] == Approval.CHANGED
    text = _difference(tool["difference"]) if changed and tool["old"] else tool["new"]
    return [
        f"{shown_key(tool['toolKey'])} ({'changed' if changed else 'new'})",
        *(f"    {line}" for line in _printable(text).splitlines()),
        *map(_finding_line, tool["findings"]),
    ]


def _difference(parts: list[list[str]]) -> str:
    marked = ((_MARKS[WordChange(change)], text) for change, text in parts)
    return "".join(f"{before}{text}{after}" for (before, after), text in marked)


@COMMANDS.add(
    "pending",
    "List the tools, prompts, resources and instructions that need approval.",
    WORKSPACE,
    OPTIONAL_SERVER,
    examples=["files"],
    lines=_pending_lines,
)
async def pending(context: Context) -> list[JsonObject]:
    workspace, only = context.workspace, context.only_server
    return [
        {
            "toolKey": str(tool.key),
            "kind": tool.kind or "tool",
            **json_fields(tool, "approval old new"),
            "difference": [[part.change, part.text] for part in tool.difference],
            "findings": [finding_json(found) for found in tool.findings],
        }
        for tool in context.router.tools.pending(workspace)
        if only in (None, tool.key.server)
    ]


def finding_json(found: Finding) -> JsonObject:
    return {**json_fields(found, "kind rule where"), "words": found.quote}


def _findings_lines(found: list[JsonObject]) -> list[str]:
    if not found:
        return ["No suspicious text found."]
    by_tool = groupby(found, key=lambda each: each["toolKey"])
    lines = [line for key, each in by_tool for line in (shown_key(key), *map(_finding_line, each))]
    return [*lines, "Dismiss those of a tool that is fine with: toolbooth dismiss TOOLKEY"]


def _dismissed_line(tool: JsonObject) -> list[str]:
    return [f"Dismissed the findings in {shown_key(tool['toolKey'])} until its definition changes."]


def _finding_line(found: JsonObject) -> str:
    """On one line, whatever the server wrote."""
    what = f"{found['kind'].replace('_', ' ')} ({found['rule']}) in {found['where']}"
    words = _printable(f"{what}: {found['words']}").split()
    return f"  ! {' '.join(words)}"


def _printable(text: str) -> str:
    """A server's text without control characters."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


@COMMANDS.add(
    "findings", "List suspicious text in tools.", WORKSPACE, OPTIONAL_SERVER, lines=_findings_lines
)
async def findings(context: Context) -> list[JsonObject]:
    return [
        {"toolKey": str(tool.key), **finding_json(found)}
        for status in context.listed_servers
        for tool in context.router.tools.list(status.ref)
        for found in tool.findings
    ]


def _always(_: Context) -> bool:
    return True


@COMMANDS.add(
    "dismiss",
    "Dismiss the suspicious text found in a tool.",
    WORKSPACE,
    Argument("tool", "TOOLKEY", "a tool, such as files:read_file"),
    examples=["files:read_file"],
    lines=_dismissed_line,
    needs_person=_always,
)
async def dismiss(context: Context) -> JsonObject:
    key = parse_tool_key(str(context["tool"]))
    ref = context.router.servers.find(context.workspace, key.server)
    await context.router.tools.dismiss(ref, [key.tool])
    return {"toolKey": str(key)}
