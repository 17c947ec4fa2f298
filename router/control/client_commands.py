"""Commands about other applications: their servers, and our entry in their files."""

from __future__ import annotations

from pathlib import Path

from router.clients import ClientApp, ClientId, Connection, FoundServer
from router.control.asking import Command, ControlledRouter, status_of, workspace_of
from router.errors import NotFound
from router.model import JsonObject, ServerRef


async def _list(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    return [_app(app) for app in await router.apps.list()]


async def _preview(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    plan = await router.apps.plan(await _client(router, arguments))
    lines = [f"{line.sign}{line.text}" for line in plan.lines]
    return {"client": plan.client, "path": str(plan.path), "diff": lines}


async def _connect(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    plan = await router.apps.plan(await _client(router, arguments))
    return _connection(await router.apps.connect(plan))


async def _disconnect(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    return _connection(await router.apps.disconnect(await _client(router, arguments)))


async def _servers(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    findings = await router.apps.find_servers()
    return {
        "servers": [_found(found) for found in findings.servers],
        "problems": list(findings.problems),
    }


async def _import(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    """From a file, or all that one application has."""
    workspace = workspace_of(router, arguments)
    problems: tuple[str, ...] = ()
    if file := arguments.get("file"):
        findings = await router.apps.read_file(Path(str(file)))
        chosen, problems = findings.servers, findings.problems
    else:
        wanted = str(arguments.get("from")).casefold()
        findings = await router.apps.find_servers()
        chosen = tuple(s for s in findings.servers if wanted in (s.source.casefold(), s.prefix))
        if not chosen:
            raise NotFound(
                f'No servers of "{arguments.get("from")}" were found.',
                "List them with: toolbooth client servers",
            )
    added = await router.apps.import_servers(workspace, chosen, arguments.get("answers") or {})
    refs = [ServerRef(workspace, server) for server in added]
    return {
        "servers": [status_of(router, ref) for ref in refs],
        "problems": list(problems),
        "warnings": [sentence for ref in refs for sentence in router.secret_warnings(ref)],
    }


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
