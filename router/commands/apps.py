"""The commands about other apps: our entry in their files, and the servers they have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from router.commands.command import (
    WORKSPACE,
    Argument,
    Commands,
    Group,
    UsageError,
    option,
    pairs,
    repeated,
)
from router.commands.context import Context
from router.commands.output import json_fields, table
from router.commands.servers import secret_warnings, server_json, server_lines
from router.domain.errors import ConfigError, InvalidInput, NotFound
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject

if TYPE_CHECKING:
    from router.api.apps import AppConnectionPlan, AppId, FoundServer, FoundServers, SkippedEntry

COMMANDS = Commands([Group("client", "Connect apps and list their servers.")])
_CLIENT = Argument("client", "CLIENT", "app name or ID; see: toolbooth client list")
_CONNECTION = "client name path backup"


def _app_lines(apps: list[JsonObject]) -> list[str]:
    return table((a["id"], a["state"], a["reason"] or a["path"]) for a in apps)


@COMMANDS.add("client list", "List the apps that can be connected.", lines=_app_lines)
async def list_apps(context: Context) -> list[JsonObject]:
    return [
        {**json_fields(app, "id name path state token"), "reason": app.reason or None}
        for app in await context.router.apps.list()
    ]


def _found_lines(result: JsonObject) -> list[str]:
    servers: list[JsonObject] = result["servers"]
    lines = table((s["source"], s["name"], s["transport"], s["target"]) for s in servers)
    problems = [f"! {problem}" for problem in result["problems"]]
    return [*(lines or ["No servers were found in other apps."]), *problems]


@COMMANDS.add("client servers", "List the servers of other apps.", lines=_found_lines)
async def find_servers(context: Context) -> JsonObject:
    findings = await context.router.apps.find_servers()
    left_out = (f"{entry.source}: {entry.sentence}" for entry in findings.skipped)
    return {
        "servers": [_found_json(found) for found in findings.servers],
        "problems": [*findings.problems, *left_out],
    }


def _found_json(found: FoundServer) -> JsonObject:
    """Without environment and headers, which may hold secrets."""
    return {
        **json_fields(found, "name source path"),
        **json_fields(found.config, "transport target"),
        "asksFor": [prompt.id for prompt in found.prompts],
    }


# client preview, client connect, client disconnect


async def _client(context: Context) -> AppId:
    """By id or name."""
    text = str(context["client"])
    for app in await context.router.apps.list():
        if text.casefold() in (app.id, app.name.casefold()):
            return app.id
    raise NotFound(f'There is no app "{text}".', "List them with: toolbooth client list")


def _warning_json(plan: AppConnectionPlan) -> JsonObject:
    exposed = "Other users of this computer can read this file, and the token with it."
    return {"warning": exposed if plan.open_to_others else None}


def _warning_lines(result: JsonObject) -> list[str]:
    return [f"! {result['warning']}"] if result["warning"] else []


@COMMANDS.add(
    "client preview",
    "Show how connecting an app would change its configuration file.",
    _CLIENT,
    examples=["cursor"],
    lines=lambda result: [result["path"], *result["diff"], *_warning_lines(result)],
)
async def preview(context: Context) -> JsonObject:
    plan = await context.router.apps.plan(await _client(context))
    lines = [f"{line.sign}{line.text}" for line in plan.lines]
    return {**json_fields(plan, "client path"), "diff": lines, **_warning_json(plan)}


def _connect_lines(result: JsonObject) -> list[str]:
    backup = f"Backup: {result['backup']}" if result["backup"] else "The file did not exist before."
    return [f"Connected {result['name']} in {result['path']}.", backup, *_warning_lines(result)]


@COMMANDS.add(
    "client connect",
    "Connect an app: add Toolbooth to its configuration file, with a new token.",
    _CLIENT,
    examples=["cursor"],
    lines=_connect_lines,
)
async def connect(context: Context) -> JsonObject:
    plan = await context.router.apps.plan(await _client(context))
    connection = await context.router.apps.connect(plan)
    return {**json_fields(connection, _CONNECTION), **_warning_json(plan)}


def _disconnect_lines(result: JsonObject) -> list[str]:
    return [f"Disconnected {result['name']} in {result['path']}.", f"Backup: {result['backup']}"]


@COMMANDS.add(
    "client disconnect",
    "Disconnect an app: remove Toolbooth from its configuration file.",
    _CLIENT,
    examples=["cursor"],
    lines=_disconnect_lines,
)
async def disconnect(context: Context) -> JsonObject:
    connection = await context.router.apps.disconnect(await _client(context))
    return json_fields(connection, _CONNECTION)


# import


def _import_request(given: JsonObject) -> JsonObject:
    file, app = given["file"], given["from"]
    if (file is None) == (app is None):
        raise UsageError(
            "Specify either a file or an app.",
            "Run: toolbooth import FILE, or toolbooth import --from CLIENT",
        )
    return {**given, "file": file and str(file.resolve()), "answers": pairs(given["answers"])}


@COMMANDS.add(
    "import",
    "Add servers from a file or another app.",
    WORKSPACE,
    Argument("file", "FILE", "JSON file with mcpServers", type=Path, nargs="?"),
    option("--from", "CLIENT", "app; see: toolbooth client servers"),
    repeated("--answer", "ID=VALUE", "value for an ${input:ID}", dest="answers"),
    examples=["~/mcp.json", "--from cursor"],
    lines=lambda result: server_lines(result["servers"]),
    request=_import_request,
    warns=True,
)
async def import_servers(context: Context) -> JsonObject:
    """From a file, or all that one app has."""
    apps, workspace, findings = context.router.apps, context.workspace, await _findings(context)
    added = await apps.import_servers(workspace, findings.servers, context.get("answers") or {})
    refs = [ServerRef(workspace, server) for server in added]
    return {
        "servers": [server_json(context.status(ref)) for ref in refs],
        "problems": [entry.sentence for entry in findings.skipped],
        "warnings": [text for ref in refs for text in secret_warnings(context, ref)],
    }


async def _findings(context: Context) -> FoundServers:
    from router.api.apps import FoundServers

    if file := context.get("file"):
        try:
            return await context.router.apps.read_file(Path(str(file)))
        except ConfigError as error:  # whose own hint is about files of ours
            raise InvalidInput(f"{error.message.rstrip('.')}.", "Nothing was added.") from None
    wanted = str(context.get("from"))
    known = await context.router.apps.find_servers()
    servers = tuple(each for each in known.servers if _is_of(each, wanted))
    left_out = tuple(each for each in known.skipped if _is_of(each, wanted))
    if not servers:
        reasons = [*known.problems, *(each.sentence for each in left_out)]
        raise NotFound(
            f'No servers of "{wanted}" were found.',
            " ".join(reasons) or "List them with: toolbooth client servers",
        )
    return FoundServers(servers, skipped=left_out)


def _is_of(entry: FoundServer | SkippedEntry, client: str) -> bool:
    return client.casefold() in (entry.source.casefold(), entry.prefix)
