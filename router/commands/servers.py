"""The commands about servers: adding, removing, switching, signing in, listing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from router.commands.command import (
    NAME,
    SERVER,
    WORKSPACE,
    Argument,
    Commands,
    Handler,
    Invocation,
    Send,
    UsageError,
    pairs,
    repeated,
)
from router.commands.context import Context, validated
from router.commands.output import (
    ago,
    counted,
    json_fields,
    local_time,
    print_to_stderr,
    single,
    table,
)
from router.domain.discovery_attempt import action_after
from router.domain.failure_text import advise, explain, protection_sentences
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject, as_object
from router.domain.permissions import chooses_code
from router.domain.servers import DiscoveryStatus, ServerStatus
from router.domain.tool_lists import CutKind

if TYPE_CHECKING:
    from router.config.server import ServerConfig
    from router.domain.receipts import Protection

COMMANDS = Commands()
_FAILED = (DiscoveryStatus.FAILED, DiscoveryStatus.TIMEOUT)
REFRESH_HINT = "Discover the missing tools with: toolbooth refresh"
_NO_SERVERS = [
    "No servers yet. Add one with: toolbooth add NAME -- COMMAND ARGS...",
    "See the servers of other apps with: toolbooth client servers",
]
_CUTS = {
    CutKind.TOO_MANY_TOOLS: "tools over the limit removed (listLimits.tools in the settings)",
    CutKind.LIST_TOO_LONG: "prompts and resources over the limit removed",
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
_UNREAD = {
    "prompts": "prompts",
    "resources": "resources",
    "resourceTemplates": "resource templates",
}


# A server in JSON and in lines


def server_json(status: ServerStatus) -> JsonObject:
    advice, process = explain(status), status.process
    return {
        **json_fields(status, "id name workspace transport target enabled state"),
        "cause": advice.cause,
        "action": advice.action,
        **json_fields(status, "discovery tool_count listed_at attempted_at retry_at"),
        "waitingCount": status.pending_count,
        "suspiciousCount": status.suspicious_count,
        "cuts": {cut.kind: cut.count for cut in status.cuts},
        "unread": dict(status.unread),
        "failure": _failure_json(status),
        "process": process
        and {
            **json_fields(process, "pid started_at processes rss_bytes"),
            "cpuSeconds": process.cpu_s,
            "cpuPercent": process.cpu_percent,
        },
        "protection": protection_json(status.protection),
        "discoveryAccess": status.access,
    }


def _failure_json(status: ServerStatus) -> JsonObject | None:
    if status.failure is None:
        return None
    advice = advise(status.failure, status.name)
    return {
        "kind": status.failure.kind,
        "action": action_after(status.failure),
        **json_fields(advice, "cause suggestion"),
        **json_fields(status.failure, "retry_at"),
    }


def protection_json(protection: Protection | None) -> JsonObject | None:
    return protection and {
        "level": int(protection.level),
        "words": " ".join(protection_sentences(protection)),
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
    states = ((s["toolCount"], s["state"], s["discovery"]) for s in servers)
    return [*lines, *notes, *([REFRESH_HINT] if (None, "idle", "never") in states else [])]


one_server = single(server_lines)


def _tool_count(server: JsonObject) -> str:
    count = server["toolCount"]
    if count is None:
        return "discovering" if server["discovery"] == "discovering" else "no list"
    return counted(count, "tool")


def _notes(server: JsonObject) -> list[str]:
    """What needs attention in a server and its tool list, one line each."""
    name, notes = server["id"], list[str]()
    if failure := as_object(server.get("failure")):
        notes.append(f"! {failure['cause']} {failure['suggestion']}")
    if server.get("discovery") in _FAILED:
        notes.append(f"  {name}: {_last_try(server)}")
    if waiting := server.get("waitingCount"):
        need = "1 item needs" if waiting == 1 else f"{waiting} items need"
        notes.append(f"! {name}: {need} approval. See: toolbooth pending")
    if suspicious := server.get("suspiciousCount"):
        look = "1 tool looks" if suspicious == 1 else f"{suspicious} tools look"
        notes.append(f"! {name}: {look} suspicious. See: toolbooth findings {name}")
    if cuts := as_object(server.get("cuts")):
        parts = ", ".join(f"{count} {_CUTS[CutKind(kind)]}" for kind, count in cuts.items())
        notes.append(f"  {name}: its tool list was changed: {parts}.")
    for field, why in as_object(server.get("unread")).items():
        notes.append(f"  {name}: its {_UNREAD[field]} could not be listed: {why}")
    return notes


def _last_try(server: JsonObject) -> str:
    """How old the list is that stays in use, and when its discovery was and will be tried."""
    parts = [f"its list is from {ago(server['listedAt'])};"] if server["listedAt"] else []
    parts.append(f"its discovery last failed {ago(server['attemptedAt'])}.")
    if server["state"] not in ("disabled", "needs_consent") and server["retryAt"]:
        parts.append(f"Next try after {local_time(server['retryAt'])}.")
    return " ".join(parts)


def removed_line(gone: JsonObject) -> list[str]:
    return [f"Removed {gone['name']}."]


# add


def _add_request(given: JsonObject) -> JsonObject:
    program, url = given["program"], given["url"]
    if bool(program) == bool(url):
        raise UsageError(
            "Specify either a command or --url.",
            "Run: toolbooth add NAME -- COMMAND ARGS..., or toolbooth add NAME --url URL",
        )
    if url and (given["env"] or given["cwd"]):
        raise UsageError("Use --env and --cwd only with a command, not with --url.")
    if program and given["header"]:
        raise UsageError("Use --header only with --url, not with a command.")
    if url:
        config: JsonObject = {"url": url, "headers": pairs(given["header"])}
    else:
        config = {"command": program[0], "args": program[1:], "env": pairs(given["env"])}
        if "${workspaceFolder}" in (given["cwd"] or ""):  # known only when a client calls
            config["cwd"] = given["cwd"]
        elif given["cwd"] or _is_relative(program[0]):
            config["cwd"] = str(Path(given["cwd"] or "").resolve())
    return {"workspace": given["workspace"], "name": given["name"], "config": config}


def _is_relative(program: str) -> bool:
    """Whether it is a path from the current folder, rather than a name to look up."""
    return Path(program).name != program and not Path(program).is_absolute()


def _code_warnings(config: ServerConfig) -> list[str]:
    """Variables that make a server load other code than its command names."""
    names = ", ".join(name for name in config.env if chooses_code(name))
    return (
        [f"{names}: controls which programs are loaded. Make sure you want this."] if names else []
    )


def secret_warnings(context: Context, ref: ServerRef) -> list[str]:
    """A sentence for each of the server's secrets that is not in a keyring."""
    name, config = context.status(ref).name, context.router.servers.config(ref)
    where = "an environment variable" if config.command else "a header"
    return [
        f"A secret ({secret.place}) of {name} is stored in workspace.json as plain text. "
        f"Pass it as {where} with a reference instead."
        if secret.plain
        else f"There is no keyring: {secret.place} of {name} is kept only until Toolbooth stops."
        for secret in context.router.servers.unsafe_secrets(ref)
    ]


def _starts_program(context: Context) -> bool:
    return "command" in context["config"]


@COMMANDS.add(
    "add",
    "Add a server and allow its command to run.",
    WORKSPACE,
    NAME,
    repeated("--env", "KEY=VALUE", "set an environment variable"),
    Argument("--cwd", "DIR", "working directory of the command"),
    Argument("--url", text="address of a server over HTTP"),
    repeated("--header", "KEY=VALUE", "send an HTTP header"),
    examples=[
        "Files -- npx -y @modelcontextprotocol/server-filesystem /home/me",
        "GitHub --env GITHUB_TOKEN=ghp_... -- github-mcp-server stdio",
        "Docs --url https://example.com/mcp --header 'X-Api-Key=...'",
    ],
    lines=one_server,
    request=_add_request,
    warns=True,
    needs_person=_starts_program,
    usage="toolbooth add NAME [--env KEY=VALUE] [--cwd DIR] [OPTIONS] -- COMMAND ARGS...\n"
    "       toolbooth add NAME --url URL [--header KEY=VALUE] [OPTIONS]",
)
async def add(context: Context) -> JsonObject:
    from router.config.server import ServerConfig

    workspace = context.workspace
    config = validated(ServerConfig, context["config"])
    server = await context.router.servers.add(workspace, context.name, config, consent=True)
    ref = ServerRef(workspace, server)
    warnings = [*_code_warnings(config), *secret_warnings(context, ref)]
    return {**server_json(context.status(ref)), "warnings": warnings}


# remove, enable, disable, sign-in, sign-out, list


@COMMANDS.add(
    "remove", "Remove a server.", WORKSPACE, SERVER, examples=["files"], lines=removed_line
)
async def remove(context: Context) -> JsonObject:
    gone = server_json(context.status(context.server))
    await context.router.servers.remove(context.server)
    return gone


@COMMANDS.add("enable", "Enable a server.", WORKSPACE, SERVER, examples=["files"], lines=one_server)
async def enable(context: Context) -> JsonObject:
    await context.router.servers.set_enabled(context.server, True)
    return server_json(context.status(context.server))


@COMMANDS.add(
    "disable", "Disable a server.", WORKSPACE, SERVER, examples=["files"], lines=one_server
)
async def disable(context: Context) -> JsonObject:
    await context.router.servers.set_enabled(context.server, False)
    return server_json(context.status(context.server))


async def _sign_in_run(send: Send, call: Invocation) -> Any:
    print_sign_in(await send(call.command.name, call.arguments), as_json=call.as_json)
    return await send("sign-in wait", call.arguments)


def print_sign_in(begun: JsonObject, *, as_json: bool) -> None:
    """Printed at once: the command goes on waiting."""
    if as_json:
        print(json.dumps({"event": "sign-in", **begun}), flush=True)
    else:
        print(f"Open this page and sign in:\n\n  {begun['authorizationUrl']}\n", flush=True)


@COMMANDS.add(
    "sign-in",
    "Sign in to a server. Prints a link to open and waits.",
    WORKSPACE,
    SERVER,
    examples=["notes"],
    lines=one_server,
    run=_sign_in_run,
)
async def sign_in(context: Context) -> JsonObject:
    """Where to sign in; `sign-in wait` waits for the end of it."""
    begun = await context.router.sign_ins.begin(context.server)
    return json_fields(begun, "authorization_url expires_at")


async def wait_for_sign_in(context: Context) -> JsonObject:
    await context.router.sign_ins.ended(context.server)
    return server_json(context.status(context.server))


@COMMANDS.add(
    "sign-out", "Sign out of a server.", WORKSPACE, SERVER, examples=["files"], lines=one_server
)
async def sign_out(context: Context) -> JsonObject:
    await context.router.sign_ins.sign_out(context.server)
    return server_json(context.status(context.server))


async def run_with_file_problems(send: Send, call: Invocation) -> Any:
    """Say on stderr which files can't be read or written."""
    result = await send(call.command.name, call.arguments)
    problems = await send("file problems", {})
    print_to_stderr([*rejection_lines(problems["rejected"]), *unwritten_lines(problems)])
    return result


@COMMANDS.add(
    "list",
    "List servers.",
    WORKSPACE,
    examples=["--workspace Work"],
    lines=server_lines,
    run=run_with_file_problems,
)
async def list_servers(context: Context) -> list[JsonObject]:
    """Raises the `ConfigError` of a workspace whose file was never valid."""
    servers = context.router.servers.list(context.workspace)
    if not servers:
        context.router.workspaces.check(context.workspace)
    return [server_json(status) for status in servers]


async def file_problems(context: Context) -> JsonObject:
    settings = context.router.settings
    return {
        "rejected": [json_fields(file, "path line reason") for file in settings.rejected_files()],
        "unwritten": settings.unwritten_reason() or None,
    }


def unwritten_lines(problems: JsonObject) -> list[str]:
    reason = problems["unwritten"]
    return [f"{reason} What is unwritten is kept in memory."] if reason else []


def rejection_lines(files: list[JsonObject]) -> list[str]:
    """A sentence for each configuration file with an error."""
    return [
        f"{_place(file)}: {file['reason']}. Until it is fixed, the last valid version is used."
        for file in files
    ]


def _place(file: JsonObject) -> str:
    return f"{file['path']}, line {file['line']}" if file["line"] else file["path"]


HANDLERS: dict[str, Handler] = {
    "file problems": file_problems,
    "sign-in wait": wait_for_sign_in,
}
"""Requests that commands send and nobody types."""
