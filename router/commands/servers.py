"""The commands about servers: adding, removing, switching, signing in, listing."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from router.commands.command import (
    NAME,
    SERVER,
    WORKSPACE,
    Argument,
    Command,
    Handler,
    Invocation,
    Send,
    UsageError,
    pairs,
    repeated,
)
from router.commands.context import Context, validated
from router.commands.output import counted, iso_time, single, table, tell
from router.domain.failure_text import advise, explain, protection_words
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject, as_object
from router.domain.permissions import chooses_code
from router.domain.servers import ProcessFacts, ServerStatus
from router.domain.tool_lists import CutKind

if TYPE_CHECKING:
    from router.api.events import ConfigRejected
    from router.api.router import RouterPort
    from router.config.server import ServerConfig
    from router.domain.receipts import Protection

REFRESH_HINT = "Discover the missing tools with: toolbooth refresh"
_NO_SERVERS = [
    "No servers yet. Add one with: toolbooth add NAME -- COMMAND ARGS...",
    "See the servers of other apps with: toolbooth client servers",
]
_CUTS = {
    CutKind.TOO_MANY_TOOLS: "tools over the limit removed",
    CutKind.BAD_NAME: "tools with an invalid name removed",
    CutKind.SAME_NAME: "tools with a duplicate name removed",
    CutKind.LONG_DESCRIPTION: "descriptions shortened",
    CutKind.LARGE_SCHEMA: "schemas too large to show",
    CutKind.DEEP_SCHEMA: "schemas too deep to show",
    CutKind.LONG_SCHEMA_DESCRIPTION: "descriptions in schemas shortened",
    CutKind.SCHEMA_KEYWORD: "composed schema parts removed",
    CutKind.OUTSIDE_REFERENCE: "external references removed",
    CutKind.MARKUP: "texts cleaned of HTML",
    CutKind.HIDDEN_TEXT: "texts cleaned of hidden characters",
    CutKind.ICON: "icons removed",
}


# A server in JSON and in lines


def server_json(status: ServerStatus) -> JsonObject:
    advice = explain(status)
    return {
        "id": status.id,
        "name": status.name,
        "workspace": status.workspace,
        "transport": status.transport,
        "target": status.target,
        "enabled": status.enabled,
        "state": status.state,
        "cause": advice.cause,
        "action": advice.suggestion,
        "discovery": status.discovery,
        "toolCount": status.tool_count,
        "listedAt": iso_time(status.listed_at),
        "waitingCount": status.pending_count,
        "suspiciousCount": status.suspicious_count,
        "cuts": {cut.kind: cut.count for cut in status.cuts},
        "failure": _failure_json(status),
        "process": _process_json(status.process),
        "protection": protection_json(status.protection),
        "discoveryAccess": status.access,
    }


def _failure_json(status: ServerStatus) -> JsonObject | None:
    if status.failure is None:
        return None
    advice = advise(status.failure, status.name)
    return {
        "kind": status.failure.kind,
        "cause": advice.cause,
        "suggestion": advice.suggestion,
        "retryAt": iso_time(status.failure.retry_at),
    }


def _process_json(facts: ProcessFacts | None) -> JsonObject | None:
    return facts and {
        "pid": facts.pid,
        "startedAt": iso_time(facts.started_at),
        "processes": facts.processes,
        "rssBytes": facts.rss_bytes,
        "cpuSeconds": facts.cpu_s,
        "cpuPercent": facts.cpu_percent,
    }


def protection_json(protection: Protection | None) -> JsonObject | None:
    return protection and {
        "level": int(protection.level),
        "words": protection_words(protection),
        "filesBlocked": protection.files_blocked,
        "networkBlocked": not protection.network,
        "memoryMb": protection.memory_mb,
        "missing": list(map(str, protection.missing)),
    }


def server_lines(servers: list[JsonObject]) -> list[str]:
    if not servers:
        return _NO_SERVERS
    lines = table(
        (s["id"], s["state"], _tool_count(s), s["transport"], s["target"]) for s in servers
    )
    notes = [line for server in servers for line in _notes(server)]
    return [*lines, *notes, *([REFRESH_HINT] if any(map(_was_never_listed, servers)) else [])]


one_server = single(server_lines)


def _was_never_listed(server: JsonObject) -> bool:
    return (server["toolCount"], server["state"], server["discovery"]) == (None, "idle", "never")


def _tool_count(server: JsonObject) -> str:
    count = server["toolCount"]
    if count is None:
        return "discovering" if server["discovery"] == "discovering" else "no list"
    return counted(count, "tool")


def _notes(server: JsonObject) -> list[str]:
    """What needs attention in a server and its tool list, one line each."""
    name, notes = server["id"], list[str]()
    if failure := as_object(server.get("failure")):
        notes.append(f"! {name}: {failure['cause']} {failure['suggestion']}")
    if waiting := server.get("waitingCount"):
        need = "1 tool needs" if waiting == 1 else f"{waiting} tools need"
        notes.append(f"! {name}: {need} approval. See: toolbooth pending")
    if suspicious := server.get("suspiciousCount"):
        look = "1 tool looks" if suspicious == 1 else f"{suspicious} tools look"
        notes.append(f"! {name}: {look} suspicious. See: toolbooth findings {name}")
    if cuts := as_object(server.get("cuts")):
        parts = ", ".join(f"{count} {_CUTS[CutKind(kind)]}" for kind, count in cuts.items())
        notes.append(f"  {name}: its tool list was changed: {parts}.")
    return notes


def removed_line(gone: JsonObject) -> list[str]:
    return [f"Removed {gone['name']}."]


# add


def _add_request(given: JsonObject) -> JsonObject:
    program, url = given["program"], given["url"]
    if bool(program) == bool(url):
        raise UsageError(
            "A server needs either a command or a --url.",
            "toolbooth add NAME -- COMMAND ARGS..., or toolbooth add NAME --url URL",
        )
    if url and (given["env"] or given["cwd"]):
        raise UsageError("--env and --cwd are for a command, not for a --url.")
    if program and given["header"]:
        raise UsageError("--header goes with a --url, not with a command.")
    if url:
        config: JsonObject = {"url": url, "headers": pairs(given["header"])}
    else:
        config = {"command": program[0], "args": program[1:], "env": pairs(given["env"])}
        if given["cwd"] or _is_relative(program[0]):
            config["cwd"] = str(Path(given["cwd"] or "").resolve())
    return {"workspace": given["workspace"], "name": given["name"], "config": config}


def _is_relative(program: str) -> bool:
    """Whether it is a path from the current folder, rather than a name to look up."""
    return Path(program).name != program and not Path(program).is_absolute()


async def _add(context: Context) -> JsonObject:
    from router.config.server import ServerConfig

    workspace = context.workspace
    config = validated(ServerConfig, context["config"])
    server = await context.router.servers.add(workspace, context.name, config, consent=True)
    ref = ServerRef(workspace, server)
    warnings = [*_code_warnings(config), *context.router.servers.secret_warnings(ref)]
    return {**server_json(context.status(ref)), "warnings": warnings}


def _code_warnings(config: ServerConfig) -> list[str]:
    """Variables that make a server load other code than its command names."""
    names = ", ".join(name for name in config.env if chooses_code(name))
    return (
        [f"{names}: controls which programs are loaded. Make sure you want this."] if names else []
    )


# remove, enable, disable, sign-in, sign-out, list


async def _remove(context: Context) -> JsonObject:
    ref = context.server
    gone = server_json(context.status(ref))
    await context.router.servers.remove(ref)
    return gone


def _on_server(change: Callable[[RouterPort, ServerRef], Awaitable[None]]) -> Handler:
    """Changes the named server and returns it as it is then."""

    async def handler(context: Context) -> JsonObject:
        ref = context.server
        await change(context.router, ref)
        return server_json(context.status(ref))

    return handler


async def _sign_in(context: Context) -> JsonObject:
    """Where to sign in; `sign-in wait` waits for the end of it."""
    begun = await context.router.sign_ins.begin(context.server)
    return {"authorizationUrl": begun.authorization_url, "expiresAt": iso_time(begun.expires_at)}


async def _sign_in_run(send: Send, call: Invocation) -> Any:
    print_sign_in(await send(call.command.name, call.arguments), as_json=call.as_json)
    return await send("sign-in wait", call.arguments)


def print_sign_in(begun: JsonObject, *, as_json: bool) -> None:
    """Printed at once: the command goes on waiting."""
    if as_json:
        print(json.dumps({"event": "sign-in", **begun}), flush=True)
    else:
        print(f"Open this page and sign in:\n\n  {begun['authorizationUrl']}\n", flush=True)


async def _list(context: Context) -> list[JsonObject]:
    return [server_json(status) for status in context.router.servers.list(context.workspace)]


async def _list_run(send: Send, call: Invocation) -> Any:
    servers = await send(call.command.name, call.arguments)
    tell(rejection_lines(await send("rejected", {})))
    return servers


async def _rejected(context: Context) -> list[JsonObject]:
    return [rejected_json(file) for file in context.router.settings.rejected_files()]


def rejected_json(file: ConfigRejected) -> JsonObject:
    return {"path": str(file.path), "line": file.line, "reason": file.reason}


def rejection_lines(files: list[JsonObject]) -> list[str]:
    """A sentence for each configuration file with an error."""
    return [
        f"{_place(file)}: {file['reason']}. Until it is fixed, the last valid version is used."
        for file in files
    ]


def _place(file: JsonObject) -> str:
    return f"{file['path']}, line {file['line']}" if file["line"] else file["path"]


def _server_command(
    name: str, summary: str, change: Callable[[RouterPort, ServerRef], Awaitable[None]]
) -> Command:
    handler = _on_server(change)
    return Command(name, summary, handler, (WORKSPACE, SERVER), ("files",), one_server)


COMMANDS = (
    Command(
        "add",
        "Add a server and allow its command to run.",
        _add,
        (
            WORKSPACE,
            NAME,
            repeated("--env", metavar="KEY=VALUE", help="set an environment variable"),
            Argument("--cwd", metavar="DIR", help="working directory of the command"),
            Argument("--url", help="address of a server over HTTP"),
            repeated("--header", metavar="KEY=VALUE", help="send an HTTP header"),
        ),
        (
            "Files -- npx -y @modelcontextprotocol/server-filesystem /home/me",
            "GitHub --env GITHUB_TOKEN=ghp_... -- github-mcp-server stdio",
            "Docs --url https://example.com/mcp --header 'X-Api-Key=...'",
        ),
        one_server,
        request=_add_request,
        warns=True,
        usage="toolbooth add NAME [--env KEY=VALUE] [--cwd DIR] [OPTIONS] -- COMMAND ARGS...\n"
        "       toolbooth add NAME --url URL [--header KEY=VALUE] [OPTIONS]",
    ),
    Command("remove", "Remove a server.", _remove, (WORKSPACE, SERVER), ("files",), removed_line),
    _server_command(
        "enable", "Enable a server.", lambda router, ref: router.servers.set_enabled(ref, True)
    ),
    _server_command(
        "disable", "Disable a server.", lambda router, ref: router.servers.set_enabled(ref, False)
    ),
    Command(
        "sign-in",
        "Sign in to a server. Prints a link to open and waits.",
        _sign_in,
        (WORKSPACE, SERVER),
        ("notes",),
        one_server,
        run=_sign_in_run,
    ),
    _server_command(
        "sign-out", "Sign out of a server.", lambda router, ref: router.sign_ins.sign_out(ref)
    ),
    Command(
        "list",
        "List servers.",
        _list,
        (WORKSPACE,),
        ("--workspace Work",),
        server_lines,
        run=_list_run,
    ),
)

HANDLERS: dict[str, Handler] = {
    "rejected": _rejected,
    "sign-in wait": _on_server(lambda router, ref: router.sign_ins.ended(ref)),
}
"""Requests that commands send and nobody types."""
