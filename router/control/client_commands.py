"""Commands about other applications: their servers, and our entry in their files."""

from __future__ import annotations

from pathlib import Path

from router.api.apps import (
    ClientApp,
    ClientId,
    Connection,
    ConnectionPlan,
    FoundServer,
    FoundServers,
    SkippedEntry,
)
from router.control.asking import Command, ControlledRouter, status_of, workspace_of
from router.domain.errors import ConfigError, InvalidInput, NotFound
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject


async def _list(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    return [_app(app) for app in await router.apps.list()]


async def _preview(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    plan = await router.apps.plan(await _client(router, arguments))
    lines = [f"{line.sign}{line.text}" for line in plan.lines]
    return {"client": plan.client, "path": str(plan.path), "diff": lines, **_warning(plan)}


async def _connect(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    plan = await router.apps.plan(await _client(router, arguments))
    return {**_connection(await router.apps.connect(plan)), **_warning(plan)}


async def _disconnect(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    return _connection(await router.apps.disconnect(await _client(router, arguments)))


async def _servers(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    findings = await router.apps.find_servers()
    return {
        "servers": [_found(found) for found in findings.servers],
        "problems": [
            *findings.problems,
            *(f"{entry.source}: {entry.sentence}" for entry in findings.skipped),
        ],
    }


async def _import(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    """From a file, or all that one application has."""
    workspace = workspace_of(router, arguments)
    findings = await _findings(router, arguments)
    chosen = findings.servers
    added = await router.apps.import_servers(workspace, chosen, arguments.get("answers") or {})
    refs = [ServerRef(workspace, server) for server in added]
    return {
        "servers": [status_of(router, ref) for ref in refs],
        "problems": [entry.sentence for entry in findings.skipped],
        "warnings": [sentence for ref in refs for sentence in router.secret_warnings(ref)],
    }


async def _findings(router: ControlledRouter, arguments: JsonObject) -> FoundServers:
    if file := arguments.get("file"):
        try:
            return await router.apps.read_file(Path(str(file)))
        except ConfigError as error:  # whose own hint is about files of ours
            raise InvalidInput(f"{error.message.rstrip('.')}.", "Nothing was added.") from None
    wanted = str(arguments.get("from"))
    known = await router.apps.find_servers()
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


async def _client(router: ControlledRouter, arguments: JsonObject) -> ClientId:
    """The application meant by id or name."""
    text = str(arguments["client"])
    for app in await router.apps.list():
        if text.casefold() in (app.id, app.name.casefold()):
            return app.id
    raise NotFound(f'There is no app "{text}".', "List them with: toolbooth client list")


def _app(app: ClientApp) -> JsonObject:
    return {
        "id": app.id,
        "name": app.name,
        "path": str(app.path),
        "state": app.state,
        "token": app.token,
        "reason": app.reason or None,
    }


def _connection(connection: Connection) -> JsonObject:
    return {
        "client": connection.client,
        "name": connection.name,
        "path": str(connection.path),
        "backup": str(connection.backup) if connection.backup else None,
    }


def _warning(plan: ConnectionPlan) -> JsonObject:
    exposed = "Other users of this computer can read this file, and the token with it."
    return {"warning": exposed if plan.open_to_others else None}


def _found(found: FoundServer) -> JsonObject:
    """Without environment and headers, which may hold secrets."""
    return {
        "name": found.name,
        "source": found.source,
        "path": str(found.path),
        "transport": found.config.transport,
        "target": found.config.target,
        "asksFor": [prompt.id for prompt in found.prompts],
    }


COMMANDS: dict[str, Command] = {
    "client list": _list,
    "client preview": _preview,
    "client connect": _connect,
    "client disconnect": _disconnect,
    "client servers": _servers,
    "import": _import,
}
