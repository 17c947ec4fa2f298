"""The commands about a workspace's projects."""

from __future__ import annotations

from router.commands.command import (
    NAME,
    NEW_NAME,
    SERVERS,
    WORKSPACE,
    Argument,
    Command,
    Group,
    UsageError,
    flag,
)
from router.commands.context import Context
from router.commands.output import single, table
from router.commands.servers import removed_line
from router.domain.errors import InvalidInput
from router.domain.ids import ProjectId
from router.domain.json_values import JsonObject
from router.domain.workspaces import OFF, Exposure, Optimization, ProjectSummary


def _project_or_none(text: str) -> str | None:
    """`-` stands for clients outside any project."""
    return None if text == "-" else text


_PROJECT = Argument(
    "project",
    type=_project_or_none,
    metavar="PROJECT",
    help="project name or ID; - for clients without a project",
)


def _project_json(summary: ProjectSummary) -> JsonObject:
    return {
        "id": summary.id,
        "name": summary.name,
        "servers": None if summary.servers is None else list(summary.servers),
        "optimization": summary.optimization,
        "exposure": summary.exposure,
    }


def _project_lines(projects: list[JsonObject]) -> list[str]:
    return table(
        (
            p["id"] or "-",
            p["name"],
            p["optimization"] or "off",
            p["exposure"],
            "all servers" if p["servers"] is None else ", ".join(p["servers"]),
        )
        for p in projects
    )


_one_project = single(_project_lines)


def _summary(context: Context, project: ProjectId | None) -> ProjectSummary:
    found = (p for p in context.router.projects.list(context.workspace) if p.id == project)
    if summary := next(found, None):
        return summary
    raise InvalidInput(
        f'There is no project "{project}".', "List them with: toolbooth project list"
    )


def _id(project: ProjectSummary) -> ProjectId:
    if project.id is None:
        raise InvalidInput(
            "Clients without a project have all servers of the workspace.", "Name a project."
        )
    return project.id


async def _new(context: Context) -> JsonObject:
    workspace, servers = context.workspace, context.servers
    project = await context.router.projects.create(workspace, context.name, servers)
    return _project_json(_summary(context, project))


def _set_request(given: JsonObject) -> JsonObject:
    if not any(given[each] for each in ("optimization", "exposure", "servers", "allServers")):
        raise UsageError("Nothing to change was given.", "See: toolbooth project set --help")
    return given


async def _set(context: Context) -> JsonObject:
    """Options that are not named stay as they are."""
    workspace, current = context.workspace, _summary(context, context.project)
    chosen = context.get("optimization") or current.optimization
    optimization = Optimization(chosen) if chosen not in (None, OFF) else None
    exposure = Exposure(context.get("exposure") or current.exposure)
    servers = context.servers
    if servers is not None or context.get("allServers"):
        await context.router.projects.update(workspace, _id(current), current.name, servers)
    await context.router.projects.set_options(
        workspace, current.id, optimization=optimization, exposure=exposure
    )
    return _project_json(_summary(context, current.id))


async def _rename(context: Context) -> JsonObject:
    workspace, current = context.workspace, _summary(context, context.project)
    name = str(context["newName"])
    await context.router.projects.update(workspace, _id(current), name, current.servers)
    return _project_json(_summary(context, current.id))


async def _remove(context: Context) -> JsonObject:
    current = _summary(context, context.project)
    await context.router.projects.remove(context.workspace, _id(current))
    return _project_json(current)


async def _list(context: Context) -> list[JsonObject]:
    return [_project_json(p) for p in context.router.projects.list(context.workspace)]


COMMANDS = (
    Group("project", "Manage the projects of a workspace."),
    Command(
        "project new",
        "Create a project.",
        _new,
        (WORKSPACE, NAME, SERVERS),
        ("Site --server files --server github",),
        _one_project,
    ),
    Command(
        "project set",
        "Change a project.",
        _set,
        (
            WORKSPACE,
            _PROJECT,
            Argument(
                "--optimization",
                choices=[OFF, *map(str, Optimization)],
                help="search strategy; off gives clients all tools",
            ),
            Argument(
                "--exposure",
                choices=[*map(str, Exposure)],
                help="how clients reach tools: by search, or server by server with scripts",
            ),
            SERVERS,
            flag("--all-servers", "allow all servers of the workspace"),
        ),
        (
            "Site --optimization off",
            "Site --server files --server github",
            "- --exposure progressive",
        ),
        _one_project,
        request=_set_request,
    ),
    Command(
        "project rename",
        "Rename a project.",
        _rename,
        (WORKSPACE, _PROJECT, NEW_NAME),
        ("Site 'Web site'",),
        _one_project,
    ),
    Command(
        "project remove",
        "Remove a project.",
        _remove,
        (WORKSPACE, _PROJECT),
        ("Site",),
        removed_line,
    ),
    Command("project list", "List projects.", _list, (WORKSPACE,), ("",), _project_lines),
)
