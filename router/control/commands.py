"""The commands a terminal can give: names and JSON in, JSON out.

The same table serves a running instance, over the socket, and the CLI when none runs, on the files.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any, Protocol, TypeAlias

from pydantic import ValidationError

from router.control import views
from router.errors import InvalidInput
from router.model import (
    OFF,
    Caller,
    Exposure,
    JsonObject,
    Optimization,
    Permission,
    ProjectId,
    SearchHit,
    ServerRef,
    TokenId,
    ToolKey,
    WorkspaceId,
    as_object,
)
from router.names import parse_tool_key
from router.ports import RouterPort
from router.result import Failed, ToolResult
from router.settings import ServerConfig


class ControlledRouter(RouterPort, Protocol):
    """The router, with what only its own person may do: run tools without a token."""

    def find_server(self, workspace: WorkspaceId, text: str) -> ServerRef: ...
    def local_caller(self, workspace: WorkspaceId, project: ProjectId | None) -> Caller: ...
    async def sign_in_ended(self, ref: ServerRef) -> None: ...
    def search(self, caller: Caller, queries: Sequence[str], limit: int) -> list[SearchHit]: ...
    async def call_tool(
        self, caller: Caller, key: ToolKey, arguments: JsonObject
    ) -> ToolResult[JsonObject]: ...


Command: TypeAlias = Callable[[ControlledRouter, JsonObject], Awaitable[Any]]


async def dispatch(router: ControlledRouter, name: str, arguments: JsonObject) -> Any:
    if (command := COMMANDS.get(name)) is None:
        raise InvalidInput(f'This instance knows no command "{name}".', "Restart Toolbooth.")
    return await command(router, arguments)


def _workspace(router: ControlledRouter, arguments: JsonObject) -> WorkspaceId:
    """The workspace meant by id or name; the active one if none is named."""
    text = arguments.get("workspace")
    if text is None:
        return router.active_workspace()
    for summary in router.workspaces():
        if text in (summary.id, summary.name):
            return summary.id
    raise InvalidInput(
        f'There is no workspace "{text}".', "List them with: toolbooth workspace list"
    )


def _project(arguments: JsonObject) -> ProjectId | None:
    text = arguments.get("project")
    return ProjectId(text) if text else None


def _server(router: ControlledRouter, arguments: JsonObject) -> ServerRef:
    return router.find_server(_workspace(router, arguments), str(arguments["server"]))


def _status(router: ControlledRouter, ref: ServerRef) -> JsonObject:
    found = (s for s in router.servers(ref.workspace) if s.id == ref.server)
    return views.server(next(found))


def server_config(entry: object) -> ServerConfig:
    """A server's configuration from JSON, or `InvalidInput` with the first thing wrong with it."""
    try:
        return ServerConfig.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise InvalidInput(f"{place}: {message}" if place else f"{message}.") from None


async def _add(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    workspace = _workspace(router, arguments)
    config = server_config(arguments["config"])
    server = await router.add_server(workspace, str(arguments["name"]), config, consent=True)
    return _status(router, ServerRef(workspace, server))


async def _remove(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    ref = _server(router, arguments)
    gone = _status(router, ref)
    await router.remove_server(ref)
    return gone


async def _enable(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    ref = _server(router, arguments)
    await router.set_server_enabled(ref, True)
    return _status(router, ref)


async def _disable(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    ref = _server(router, arguments)
    await router.set_server_enabled(ref, False)
    return _status(router, ref)


async def _approve(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    ref = _server(router, arguments)
    await router.approve_server(ref)
    return _status(router, ref)


async def _sign_in(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    """Where to sign in; `sign-in wait` waits for the end of it."""
    return views.sign_in(await router.begin_sign_in(_server(router, arguments)))


async def _sign_in_wait(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    ref = _server(router, arguments)
    await router.sign_in_ended(ref)
    return _status(router, ref)


async def _sign_out(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    ref = _server(router, arguments)
    await router.sign_out(ref)
    return _status(router, ref)


async def _import(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    workspace = _workspace(router, arguments)
    servers = {
        name: server_config(entry) for name, entry in as_object(arguments["servers"]).items()
    }
    added = await router.import_servers(workspace, servers)
    return [_status(router, ServerRef(workspace, server)) for server in added]


async def _list(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    return [views.server(s) for s in router.servers(_workspace(router, arguments))]


async def _tools(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    workspace = _workspace(router, arguments)
    only = _server(router, arguments).server if arguments.get("server") else None
    rows: list[JsonObject] = []
    for status in router.servers(workspace):
        if only is not None and status.id != only:
            continue
        tools = [views.tool(tool) for tool in router.tools(status.ref)]
        rows += tools if status.tool_count is not None else [views.missing_list(status)]
    return rows


async def _search(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    caller = router.local_caller(_workspace(router, arguments), _project(arguments))
    limit = int(arguments.get("limit") or router.settings().results_per_search)
    return [views.hit(found) for found in router.search(caller, arguments["queries"], limit)]


async def _call(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    caller = router.local_caller(_workspace(router, arguments), _project(arguments))
    key = parse_tool_key(str(arguments["toolKey"]))
    result = await router.call_tool(caller, key, as_object(arguments.get("arguments")))
    if isinstance(result, Failed):
        raise InvalidInput(result.message, result.hint)
    return result.value


async def _refresh(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    workspace = _workspace(router, arguments)
    only = _server(router, arguments).server if arguments.get("server") else None
    await router.refresh(workspace, only)
    statuses = [s for s in router.servers(workspace) if only in (None, s.id)]
    return [views.server(status) for status in statuses]


async def _status_of_all(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    await router.measure()
    return {
        "pid": os.getpid(),
        "listener": views.listener(router.listener()),
        "workspaces": [views.workspace(w) for w in router.workspaces()],
        "servers": [views.server(s) for w in router.workspaces() for s in router.servers(w.id)],
    }


async def _token_new(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    """Projects and servers are a workspace's: a token that names one stays there."""
    named = arguments.get("servers")
    scoped = arguments.get("workspace") or arguments.get("project") or named
    workspace = _workspace(router, arguments)
    servers = [router.find_server(workspace, str(text)).server for text in named] if named else None
    lifetime = arguments.get("lifetimeS")
    issued = await router.issue_token(
        str(arguments["name"]),
        workspace if scoped else None,
        _project(arguments),
        servers=servers,
        lifetime=timedelta(seconds=float(lifetime)) if lifetime else None,
    )
    return {**views.token(issued.summary), "token": issued.secret}


async def _token_list(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    return [views.token(summary) for summary in router.tokens()]


async def _token_revoke(router: ControlledRouter, arguments: JsonObject) -> None:
    await router.revoke_token(TokenId(str(arguments["token"])))


async def _workspace_new(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    workspace = await router.create_workspace(str(arguments["name"]))
    return next(views.workspace(w) for w in router.workspaces() if w.id == workspace)


async def _workspace_use(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    workspace = _workspace(router, {"workspace": arguments["name"]})
    await router.switch_workspace(workspace)
    return next(views.workspace(w) for w in router.workspaces() if w.id == workspace)


async def _workspace_list(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    return [views.workspace(summary) for summary in router.workspaces()]


async def _project_new(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    workspace = _workspace(router, arguments)
    named = arguments.get("servers")
    servers = [router.find_server(workspace, str(text)).server for text in named] if named else None
    project = await router.create_project(workspace, str(arguments["name"]), servers)
    return next(views.project(p) for p in router.projects(workspace) if p.id == project)


async def _project_set(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    """Options that are not named stay as they are."""
    workspace, project = _workspace(router, arguments), _project(arguments)
    current = next((p for p in router.projects(workspace) if p.id == project), None)
    if current is None:
        raise InvalidInput(
            f'There is no project "{project}".', "List them with: toolbooth project list"
        )
    chosen = arguments.get("optimization")
    optimization = (
        None if chosen == OFF else Optimization(chosen) if chosen else current.optimization
    )
    exposure = Exposure(arguments.get("exposure") or current.exposure)
    await router.set_project_options(
        workspace, project, optimization=optimization, exposure=exposure
    )
    return next(views.project(p) for p in router.projects(workspace) if p.id == project)


async def _project_list(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    return [views.project(p) for p in router.projects(_workspace(router, arguments))]


async def _permission_set(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    workspace = _workspace(router, arguments)
    key = parse_tool_key(str(arguments["toolKey"]))
    permission = Permission(arguments["permission"])
    await router.set_permission(workspace, key, permission, _project(arguments))
    return {"toolKey": str(key), "permission": permission}


COMMANDS: dict[str, Command] = {
    "add": _add,
    "remove": _remove,
    "enable": _enable,
    "disable": _disable,
    "approve": _approve,
    "sign-in": _sign_in,
    "sign-in wait": _sign_in_wait,
    "sign-out": _sign_out,
    "import": _import,
    "list": _list,
    "tools": _tools,
    "search": _search,
    "call": _call,
    "refresh": _refresh,
    "status": _status_of_all,
    "token new": _token_new,
    "token list": _token_list,
    "token revoke": _token_revoke,
    "workspace new": _workspace_new,
    "workspace use": _workspace_use,
    "workspace list": _workspace_list,
    "project new": _project_new,
    "project set": _project_set,
    "project list": _project_list,
    "permission set": _permission_set,
}
