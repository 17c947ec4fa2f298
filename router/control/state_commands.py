"""Commands about what is running, tokens and workspaces."""

from __future__ import annotations

import os
from datetime import timedelta

from router.control import views
from router.control.asking import Command, ControlledRouter, project_of, servers_of, workspace_of
from router.domain.ids import TokenId, WorkspaceId
from router.domain.json_values import JsonObject


async def _status_of_all(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    await router.measure()
    return {
        "pid": os.getpid(),
        "listener": views.listener(router.listener()),
        "rejected": await _rejected(router, arguments),
        "workspaces": [views.workspace(w) for w in router.workspaces()],
        "servers": [views.server(s) for w in router.workspaces() for s in router.servers(w.id)],
    }


async def _rejected(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    return [views.rejected(file) for file in router.rejected_files()]


async def _token_new(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    """Projects and servers are a workspace's: a token that names one stays there."""
    scoped = any(arguments.get(each) for each in ("workspace", "project", "servers"))
    workspace = workspace_of(router, arguments)
    servers = servers_of(router, workspace, arguments)
    lifetime = arguments.get("lifetimeS")
    issued = await router.issue_token(
        str(arguments["name"]),
        workspace if scoped else None,
        project_of(router, workspace, arguments),
        servers=servers,
        lifetime=timedelta(seconds=float(lifetime)) if lifetime else None,
    )
    return {**views.token(issued.summary), "token": issued.secret}


async def _token_list(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    return [views.token(summary) for summary in router.tokens()]


async def _token_revoke(router: ControlledRouter, arguments: JsonObject) -> None:
    await router.revoke_token(TokenId(str(arguments["token"])))


async def _workspace_new(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    return _workspace(router, await router.create_workspace(str(arguments["name"])))


async def _workspace_use(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, {"workspace": arguments["name"]})
    await router.switch_workspace(workspace)
    return _workspace(router, workspace)


async def _workspace_rename(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, {"workspace": arguments["name"]})
    await router.rename_workspace(workspace, str(arguments["newName"]))
    return _workspace(router, workspace)


async def _workspace_remove(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, {"workspace": arguments["name"]})
    gone = _workspace(router, workspace)
    await router.remove_workspace(workspace)
    return gone


async def _workspace_restore(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    """By the id it had: its name is in the folder that was put aside."""
    workspace = WorkspaceId(str(arguments["name"]))
    await router.restore_workspace(workspace)
    return _workspace(router, workspace)


def _workspace(router: ControlledRouter, workspace: WorkspaceId) -> JsonObject:
    return next(views.workspace(w) for w in router.workspaces() if w.id == workspace)


async def _workspace_list(router: ControlledRouter, arguments: JsonObject) -> list[JsonObject]:
    return [views.workspace(summary) for summary in router.workspaces()]


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
