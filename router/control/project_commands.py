"""Commands about the projects of a workspace."""

from __future__ import annotations

from router.api.router import RouterPort
from router.control import views
from router.control.asking import Command, project_of, servers_of, workspace_of
from router.domain.errors import InvalidInput
from router.domain.ids import ProjectId, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.workspaces import OFF, Exposure, Optimization, ProjectSummary


async def _new(router: RouterPort, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, arguments)
    servers = servers_of(router, workspace, arguments)
    project = await router.projects.create(workspace, str(arguments["name"]), servers)
    return views.project(_found(router, workspace, project))


async def _set(router: RouterPort, arguments: JsonObject) -> JsonObject:
    """Options that are not named stay as they are."""
    workspace, current = _meant(router, arguments)
    chosen = arguments.get("optimization")
    optimization = (
        None if chosen == OFF else Optimization(chosen) if chosen else current.optimization
    )
    exposure = Exposure(arguments.get("exposure") or current.exposure)
    servers = servers_of(router, workspace, arguments)
    if servers is not None or arguments.get("allServers"):
        project = _named(current)
        await router.projects.update(workspace, project, current.name, servers)
    await router.projects.set_options(
        workspace, current.id, optimization=optimization, exposure=exposure
    )
    return views.project(_found(router, workspace, current.id))


async def _rename(router: RouterPort, arguments: JsonObject) -> JsonObject:
    workspace, current = _meant(router, arguments)
    name = str(arguments["newName"])
    await router.projects.update(workspace, _named(current), name, current.servers)
    return views.project(_found(router, workspace, current.id))


async def _remove(router: RouterPort, arguments: JsonObject) -> JsonObject:
    workspace, current = _meant(router, arguments)
    await router.projects.remove(workspace, _named(current))
    return views.project(current)


async def _list(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    return [views.project(p) for p in router.projects.list(workspace_of(router, arguments))]


def _meant(router: RouterPort, arguments: JsonObject) -> tuple[WorkspaceId, ProjectSummary]:
    workspace = workspace_of(router, arguments)
    return workspace, _found(router, workspace, project_of(router, workspace, arguments))


def _found(router: RouterPort, workspace: WorkspaceId, project: ProjectId | None) -> ProjectSummary:
    found = next((p for p in router.projects.list(workspace) if p.id == project), None)
    if found is None:
        raise InvalidInput(
            f'There is no project "{project}".', "List them with: toolbooth project list"
        )
    return found


def _named(project: ProjectSummary) -> ProjectId:
    if project.id is None:
        raise InvalidInput(
            "Those outside of any project have all servers of the workspace.", "Name a project."
        )
    return project.id


COMMANDS: dict[str, Command] = {
    "project new": _new,
    "project set": _set,
    "project rename": _rename,
    "project remove": _remove,
    "project list": _list,
}
