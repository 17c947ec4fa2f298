"""Commands about what is running, tokens and workspaces."""

from __future__ import annotations

import os
from datetime import timedelta

from router.api.router import RouterPort
from router.control import views
from router.control.asking import Command, project_of, servers_of, workspace_of
from router.domain.ids import TokenId, WorkspaceId
from router.domain.json_values import JsonObject


async def _status_of_all(router: RouterPort, arguments: JsonObject) -> JsonObject:
    await router.servers.measure()
    return {
        "pid": os.getpid(),
        "listener": views.listener(router.endpoint.state()),
        "rejected": await _rejected(router, arguments),
        "workspaces": [views.workspace(w) for w in router.workspaces.list()],
        "servers": [
            views.server(s) for w in router.workspaces.list() for s in router.servers.list(w.id)
        ],
    }


async def _rejected(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    return [views.rejected(file) for file in router.settings.rejected_files()]


async def _token_new(router: RouterPort, arguments: JsonObject) -> JsonObject:
    """Projects and servers are a workspace's: a token that names one stays there."""
    scoped = any(arguments.get(each) for each in ("workspace", "project", "servers"))
    workspace = workspace_of(router, arguments)
    servers = servers_of(router, workspace, arguments)
    lifetime = arguments.get("lifetimeS")
    issued = await router.tokens.issue(
        str(arguments["name"]),
        workspace if scoped else None,
        project_of(router, workspace, arguments),
        servers=servers,
        lifetime=timedelta(seconds=float(lifetime)) if lifetime else None,
    )
    return {**views.token(issued.summary), "token": issued.secret}


async def _token_list(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    return [views.token(summary) for summary in router.tokens.list()]


async def _token_revoke(router: RouterPort, arguments: JsonObject) -> None:
    await router.tokens.revoke(TokenId(str(arguments["token"])))


async def _workspace_new(router: RouterPort, arguments: JsonObject) -> JsonObject:
    return _workspace(router, await router.workspaces.create(str(arguments["name"])))


async def _workspace_use(router: RouterPort, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, {"workspace": arguments["name"]})
    await router.workspaces.switch(workspace)
    return _workspace(router, workspace)


async def _workspace_rename(router: RouterPort, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, {"workspace": arguments["name"]})
    await router.workspaces.rename(workspace, str(arguments["newName"]))
    return _workspace(router, workspace)


async def _workspace_remove(router: RouterPort, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, {"workspace": arguments["name"]})
    gone = _workspace(router, workspace)
    await router.workspaces.remove(workspace)
    return gone


async def _workspace_restore(router: RouterPort, arguments: JsonObject) -> JsonObject:
    """By the id it had: its name is in the folder that was put aside."""
    workspace = WorkspaceId(str(arguments["name"]))
    await router.workspaces.restore(workspace)
    return _workspace(router, workspace)


def _workspace(router: RouterPort, workspace: WorkspaceId) -> JsonObject:
    return next(views.workspace(w) for w in router.workspaces.list() if w.id == workspace)


async def _workspace_list(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    return [views.workspace(summary) for summary in router.workspaces.list()]


COMMANDS: dict[str, Command] = {
    "status": _status_of_all,
    "rejected": _rejected,
    "token new": _token_new,
    "token list": _token_list,
    "token revoke": _token_revoke,
    "workspace new": _workspace_new,
    "workspace use": _workspace_use,
    "workspace rename": _workspace_rename,
    "workspace remove": _workspace_remove,
    "workspace restore": _workspace_restore,
    "workspace list": _workspace_list,
}
