"""The commands about other apps: our entry in their files, and the servers they have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from router.commands.command import (
    WORKSPACE,
    Argument,
    Command,
    Group,
    UsageError,
    nonempty,
    pairs,
    repeated,
)
from router.commands.context import Context
from router.commands.output import table
from router.commands.servers import server_json, server_lines
from router.domain.errors import ConfigError, InvalidInput, NotFound
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject

if TYPE_CHECKING:
    from router.api.apps import (
        AppConnection,
        AppConnectionPlan,
        ClientId,
        FoundServer,
        FoundServers,
        SkippedEntry,
    )

_CLIENT = Argument("client", metavar="CLIENT", help="app name or ID; see: toolbooth client list")


# client list


async def _list(context: Context) -> list[JsonObject]:
    return [
        {
            "id": app.id,
            "name": app.name,
            "path": str(app.path),
            "state": app.state,
            "token": app.token,
            "reason": app.reason or None,
        }
        for app in await context.router.apps.list()
    ]


def _app_lines(apps: list[JsonObject]) -> list[str]:
    return table((a["id"], a["state"], a["reason"] or a["path"]) for a in apps)


# client preview, client connect, client disconnect


async def _client(context: Context) -> ClientId:
    """By id or name."""
    text = str(context["client"])
    for app in await context.router.apps.list():
        if text.casefold() in (app.id, app.name.casefold()):
            return app.id
    raise NotFound(f'There is no app "{text}".', "List them with: toolbooth client list")


async def _preview(context: Context) -> JsonObject:
    plan = await context.router.apps.plan(await _client(context))
    lines = [f"{line.sign}{line.text}" for line in plan.lines]
    return {"client": plan.client, "path": str(plan.path), "diff": lines, **_warning_json(plan)}


async def _connect(context: Context) -> JsonObject:
    plan = await context.router.apps.plan(await _client(context))
    return {**_connection_json(await context.router.apps.connect(plan)), **_warning_json(plan)}


async def _disconnect(context: Context) -> JsonObject:
    return _connection_json(await context.router.apps.disconnect(await _client(context)))


def _connection_json(connection: AppConnection) -> JsonObject:
    return {
        "client": connection.client,
        "name": connection.name,
        "path": str(connection.path),
        "backup": str(connection.backup) if connection.backup else None,
    }


def _warning_json(plan: AppConnectionPlan) -> JsonObject:
    exposed = "Other users of this computer can read this file, and the token with it."
    return {"warning": exposed if plan.open_to_others else None}


def _warning_lines(result: JsonObject) -> list[str]:
    return [f"! {result['warning']}"] if result["warning"] else []


def _preview_lines(result: JsonObject) -> list[str]:
    return [str(result["path"]), *result["diff"], *_warning_lines(result)]


def _connect_lines(result: JsonObject) -> list[str]:
    backup = f"Backup: {result['backup']}" if result["backup"] else "The file did not exist before."
    return [f"Connected {result['name']} in {result['path']}.", backup, *_warning_lines(result)]


def _disconnect_lines(result: JsonObject) -> list[str]:
    return [f"Disconnected {result['name']} in {result['path']}.", f"Backup: {result['backup']}"]


# client servers


async def _servers(context: Context) -> JsonObject:
    findings = await context.router.apps.find_servers()
    left_out = (f"{entry.source}: {entry.sentence}" for entry in findings.skipped)
    return {
        "servers": [_found_json(found) for found in findings.servers],
        "problems": [*findings.problems, *left_out],
    }


def _found_json(found: FoundServer) -> JsonObject:
    """Without environment and headers, which may hold secrets."""
    return {
        "name": found.name,
        "source": found.source,
        "path": str(found.path),
        "transport": found.config.transport,
        "target": found.config.target,
        "asksFor": [prompt.id for prompt in found.prompts],
    }


def _found_lines(result: JsonObject) -> list[str]:
    servers: list[JsonObject] = result["servers"]
    lines = table((s["source"], s["name"], s["transport"], s["target"]) for s in servers)
    problems = [f"! {problem}" for problem in result["problems"]]
    return [*(lines or ["No servers were found in other apps."]), *problems]


# import


def _import_request(given: JsonObject) -> JsonObject:
    file, app = given["file"], given["from"]
    if (file is None) == (app is None):
        raise UsageError(
            "Name either a file or an app.",
            "toolbooth import FILE, or toolbooth import --from CLIENT",
        )
    return {**given, "file": file and str(file.resolve()), "answers": pairs(given["answers"])}


async def _import(context: Context) -> JsonObject:
    """From a file, or all that one app has."""
    apps, workspace, findings = context.router.apps, context.workspace, await _findings(context)
    added = await apps.import_servers(workspace, findings.servers, context.get("answers") or {})
    refs = [ServerRef(workspace, server) for server in added]
    return {
        "servers": [server_json(context.status(ref)) for ref in refs],
        "problems": [entry.sentence for entry in findings.skipped],
        "warnings": [text for ref in refs for text in context.router.servers.secret_warnings(ref)],
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


COMMANDS = (
    Group("client", "Connect apps and list their servers."),
    Command("client list", "List the apps that can be connected.", _list, lines=_app_lines),
    Command("client servers", "List the servers of other apps.", _servers, lines=_found_lines),
    Command(
        "client preview",
        "Show how connecting an app would change its configuration file.",
        _preview,
        (_CLIENT,),
        ("cursor",),
        _preview_lines,
    ),
    Command(
        "client connect",
        "Connect an app: add Toolbooth to its configuration file, with a new token.",
        _connect,
        (_CLIENT,),
        ("cursor",),
        _connect_lines,
    ),
    Command(
        "client disconnect",
        "Disconnect an app: remove Toolbooth from its configuration file.",
        _disconnect,
        (_CLIENT,),
        ("cursor",),
        _disconnect_lines,
    ),
    Command(
        "import",
        "Add servers from a file or another app.",
        _import,
        (
            WORKSPACE,
            Argument(
                "file", type=Path, nargs="?", metavar="FILE", help="JSON file with mcpServers"
            ),
            Argument(
                "--from", type=nonempty, metavar="CLIENT", help="app; see: toolbooth client servers"
            ),
            repeated(
                "--answer", dest="answers", metavar="ID=VALUE", help="value for an ${input:ID}"
            ),
        ),
        ("~/mcp.json", "--from cursor"),
        lambda result: server_lines(result["servers"]),
        request=_import_request,
        warns=True,
    ),
)
