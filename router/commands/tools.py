"""The commands about tools: listing, searching, running and pinning them."""

from __future__ import annotations

import json
from typing import Any

from router.commands.approvals import finding_json
from router.commands.command import (
    OPTIONAL_SERVER,
    PROJECT,
    TOOL_ARGUMENTS,
    TOOL_KEY,
    WORKSPACE,
    Argument,
    Commands,
    Handler,
    Invocation,
    Send,
    number,
    with_tool_arguments,
)
from router.commands.context import Context
from router.commands.output import counted, json_fields, print_to_stderr, shown_key, table
from router.commands.servers import REFRESH_HINT
from router.domain.errors import InvalidInput, NotFound
from router.domain.failure_text import advise, explain
from router.domain.ids import ServerId, ServerRef, ToolKey
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.names import parse_tool_key
from router.domain.permissions import Permission
from router.domain.result import Failed
from router.domain.servers import DiscoveryStatus, ServerStatus
from router.domain.tool_lists import Approval
from router.domain.tools import ToolView

COMMANDS = Commands()


def _tool_json(view: ToolView) -> JsonObject:
    shown = "title description signature effect context_tokens permission approval"
    return {
        "toolKey": str(view.key),
        **json_fields(view, shown),
        "findings": [finding_json(found) for found in view.findings],
        **json_fields(view, "available last_seen source"),
    }


def _missing_list_json(status: ServerStatus) -> JsonObject:
    """Stands for the tools of a server that was never listed."""
    return {
        "toolKey": f"{status.id}/*",
        "title": status.name,
        "description": f"No list of tools yet ({status.discovery}).",
        "available": False,
    }


def _tool_lines(tools: list[JsonObject]) -> list[str]:
    if not tools:
        return ["No tools yet. See the servers with: toolbooth list"]
    lines = table(((shown_key(t["toolKey"]), _use(t), t["description"]) for t in tools), prose=True)
    unlisted = any(t["toolKey"].endswith("/*") and "(never)" in t["description"] for t in tools)
    return [*lines, *([REFRESH_HINT] if unlisted else [])]


def _use(tool: JsonObject) -> str | None:
    """What keeps it from being used now, else its permission."""
    permission = tool.get("permission")
    pending = tool.get("approval") not in (None, Approval.APPROVED)
    return "pending" if pending and permission != Permission.DENY else permission


@COMMANDS.add(
    "tools", "List tools.", WORKSPACE, OPTIONAL_SERVER, examples=["", "files"], lines=_tool_lines
)
async def list_tools(context: Context) -> list[JsonObject]:
    rows = list[JsonObject]()
    for status in context.listed_servers:
        tools = [_tool_json(tool) for tool in context.router.tools.list(status.ref)]
        rows += tools if status.tool_count is not None else [_missing_list_json(status)]
    return rows


def _hit_lines(hits: list[JsonObject]) -> list[str]:
    if not hits:
        return ["No tools found. See all of them with: toolbooth tools"]
    rows = ((f"{h['relevance']:.2f}", shown_key(h["toolKey"]), h["description"]) for h in hits)
    return table(rows, prose=True)


async def _search_run(send: Send, call: Invocation) -> Any:
    hits = await send(call.command.name, call.arguments)
    print_to_stderr(await send("search unlisted", call.arguments))
    return hits


async def unlisted(context: Context) -> list[str]:
    """What was not searched: a sentence for each server whose tools are not known, or one for all
    if clients don't search."""
    if context.router.projects.config(context.workspace, context.project).optimization is None:
        return [
            "Nothing was searched: Context Optimization is off, so clients get all tools directly."
        ]
    return [
        f"{status.name} was not searched: "
        + (
            "its tools are being discovered."
            if status.discovery is DiscoveryStatus.DISCOVERING
            else str(advise(status.failure, ""))
            if status.failure is not None
            else "its tools have not been discovered yet."
        )
        for status in context.router.servers.list(context.workspace)
        if status.enabled and status.tool_count is None
    ]


@COMMANDS.add(
    "search",
    "Search for tools as a client would.",
    WORKSPACE,
    Argument("queries", "QUERY", "one query per step of a task", nargs="+"),
    Argument("--limit", "N", "maximum number of results", type=number),
    PROJECT,
    examples=["'read a file' 'send an e-mail' --limit 3"],
    lines=_hit_lines,
    run=_search_run,
)
async def search(context: Context) -> list[JsonObject]:
    limit = int(context.get("limit") or context.router.settings.current().results_per_search)
    reply = await context.router.search.find(context.caller, context["queries"], limit)
    hits: list[JsonObject] = [
        {
            "toolKey": str(hit.tool.key),
            **json_fields(hit.tool, "server_name description signature"),
            **json_fields(hit, "relevance explanation"),
        }
        for hit in reply.hits
    ]
    if hits and reply.note:
        hits[0]["explanation"] = f"{hits[0]['explanation']} ({reply.note})"
    return hits


def result_lines(result: Any) -> list[str]:
    """A tool's result, of whatever shape."""
    blocks = as_array(as_object(result).get("content"))
    texts = [_block(as_object(block)) for block in blocks]
    return texts or [json.dumps(result, ensure_ascii=False, indent=2)]


def _block(block: JsonObject) -> str:
    if block.get("type") == "text":
        return str(block.get("text"))
    return f"[{block.get('type')} {block.get('mimeType') or ''}]".replace(" ]", "]")


def is_error(result: Any) -> bool:
    return bool(as_object(result).get("isError"))


@COMMANDS.add(
    "call",
    "Call a tool.",
    WORKSPACE,
    TOOL_KEY,
    TOOL_ARGUMENTS,
    PROJECT,
    examples=['time:get_current_time \'{"timezone": "UTC"}\''],
    lines=result_lines,
    request=with_tool_arguments,
    failed=is_error,
)
async def call(context: Context) -> JsonObject:
    caller, key = context.caller, parse_tool_key(str(context["toolKey"]))
    result = await context.router.tools.call(caller, key, as_object(context.get("arguments")))
    if isinstance(result, Failed):
        _check_enabled(context, key.server)
        in_terminal = result.hint.replace("tool_discovery", "“toolbooth search”")
        raise InvalidInput(result.message, in_terminal, result.terminal)
    return result.value


def _check_enabled(context: Context, server: ServerId) -> None:
    """A client must not know that a disabled server exists; its user may."""
    for status in context.router.servers.list(context.workspace):
        if status.id == server and not status.enabled:
            advice = explain(status)
            raise InvalidInput(advice.cause, advice.action)


# pin, unpin


def _pin_lines(pins: list[JsonObject]) -> list[str]:
    if not pins:
        return ["No tools are pinned."]
    return table((shown_key(pin["toolKey"]), _cost(pin["contextTokens"])) for pin in pins)


def _cost(tokens: int | None) -> str:
    return "not available" if tokens is None else counted(tokens, "token")


@COMMANDS.add(
    "pin",
    "Pin tools, so that clients get them without searching; or list pinned tools.",
    WORKSPACE,
    Argument("tool_keys", "TOOLKEY", "default: list pinned tools", nargs="*"),
    PROJECT,
    examples=["files:read_file", "", "--project Site"],
    lines=_pin_lines,
)
async def pin(context: Context) -> list[JsonObject]:
    keys = _keys(context)
    for key in keys:
        if _tokens(context, key) is None:
            raise InvalidInput(
                f'There is no tool "{key}".', "Find its key with: toolbooth search 'what it does'"
            )
    return await _set_pins(context, [*_pins(context), *map(str, keys)])


@COMMANDS.add(
    "unpin",
    "Unpin tools.",
    WORKSPACE,
    Argument("tool_keys", "TOOLKEY", nargs="+"),
    PROJECT,
    examples=["files:read_file"],
    lines=_pin_lines,
)
async def unpin(context: Context) -> list[JsonObject]:
    before, gone = _pins(context), [str(key) for key in _keys(context)]
    for text in gone:
        if text not in before:
            raise InvalidInput(f'"{text}" is not pinned.', "List the pins with: toolbooth pin")
    return await _set_pins(context, [each for each in before if each not in gone])


async def _set_pins(context: Context, pinned: list[str]) -> list[JsonObject]:
    """Make these the pins, each once."""
    configs, scope = context.router.projects, (context.workspace, context.project)
    before, distinct = configs.config(*scope), tuple(dict.fromkeys(pinned))
    if distinct != before.pinned:
        await configs.put(*scope, before.model_copy(update={"pinned": distinct}))
    return [
        {"toolKey": text, "contextTokens": _tokens(context, parse_tool_key(text))}
        for text in distinct
    ]


def _pins(context: Context) -> tuple[str, ...]:
    return context.router.projects.config(context.workspace, context.project).pinned


def _keys(context: Context) -> list[ToolKey]:
    return [parse_tool_key(str(text)) for text in context["toolKeys"]]


def _tokens(context: Context, key: ToolKey) -> int | None:
    """What its definition costs in every conversation; None if there is no such tool."""
    try:
        tools = context.router.tools.list(ServerRef(context.workspace, key.server))
    except NotFound:
        return None
    return next((tool.context_tokens for tool in tools if tool.key == key), None)


HANDLERS: dict[str, Handler] = {"search unlisted": unlisted}
"""Requests that commands send and nobody types."""
