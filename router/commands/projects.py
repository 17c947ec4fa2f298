"""The commands about a workspace's projects."""

from __future__ import annotations

from router.commands.command import (
    NAME,
    NEW_NAME,
    SERVERS,
    WORKSPACE,
    Argument,
    Commands,
    Group,
    UsageError,
    choice,
    flag,
)
from router.commands.context import Context
from router.commands.output import json_fields, single, table
from router.commands.servers import removed_line
from router.domain.errors import InvalidInput
from router.domain.ids import ProjectId
from router.domain.json_values import JsonObject
from router.domain.workspaces import OFF, Exposure, Optimization, ProjectSummary

COMMANDS = Commands([Group("project", "Manage the projects of a workspace.")])


def _project_or_none(text: str) -> str | None:
    """`-` stands for clients outside any project."""
    return None if text == "-" else text


_PROJECT = Argument(
    "project",
    "PROJECT",
    "project name or ID; - for clients without a project",
    type=_project_or_none,
)


def _project_json(summary: ProjectSummary) -> JsonObject:
    return json_fields(summary, "id name servers optimization exposure offer_search")


def _lines(projects: list[JsonObject]) -> list[str]:
    return table(
        (
            p["id"] or "-",
            p["name"],
            p["optimization"] or "off",
            f"{p['exposure']} + search" if _searches_too(p) else p["exposure"],
            "all servers" if p["servers"] is None else ", ".join(p["servers"]),
        )
        for p in projects
    )


def _searches_too(project: JsonObject) -> bool:
    return project["offerSearch"] and project["exposure"] == Exposure.PROGRESSIVE


_one = single(_lines)


def _summary(context: Context, project: ProjectId | None) -> ProjectSummary:
    context.router.projects.config(context.workspace, project)  # refuses an unknown project
    return next(p for p in context.router.projects.list(context.workspace) if p.id == project)


def _id(project: ProjectSummary) -> ProjectId:
    if project.id is None:
        raise InvalidInput(
            "Clients without a project have all servers of the workspace.", "Specify a project."
        )
    return project.id


@COMMANDS.add(
    "project new",
    "Create a project.",
    WORKSPACE,
    NAME,
    SERVERS,
    examples=["Site --server files --server github"],
    lines=_one,
)
async def create(context: Context) -> JsonObject:
    workspace, servers = context.workspace, context.servers
    project = await context.router.projects.create(workspace, context.name, servers)
    return _project_json(_summary(context, project))


_OPTIONS = ("optimization", "exposure", "offerSearch", "servers", "allServers")


def _set_request(given: JsonObject) -> JsonObject:
    if not any(given[each] for each in _OPTIONS):
        raise UsageError("Specify what to change.", "See: toolbooth project set --help")
    return given


@COMMANDS.add(
    "project set",
    "Change a project.",
    WORKSPACE,
    _PROJECT,
    choice("--optimization", [OFF, *Optimization], "search strategy; off gives clients all tools"),
    choice(
        "--exposure",
        Exposure,
        "how clients reach tools: by search, or server by server with scripts",
    ),
    choice("--offer-search", ["on", "off"], "with progressive exposure, also offer tool_discovery"),
    SERVERS,
    flag("--all-servers", "allow all servers of the workspace"),
    examples=[
        "Site --optimization off",
        "Site --server files --server github",
        "- --exposure progressive --offer-search on",
    ],
    lines=_one,
    request=_set_request,
)
async def change(context: Context) -> JsonObject:
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
    if (offered := context.get("offerSearch")) is not None:
        config = context.router.projects.config(workspace, current.id)
        changed = config.model_copy(update={"offer_search": offered == "on"})
        await context.router.projects.put(workspace, current.id, changed)
    return _project_json(_summary(context, current.id))


@COMMANDS.add(
    "project rename",
    "Rename a project.",
    WORKSPACE,
    _PROJECT,
    NEW_NAME,
    examples=["Site 'Web site'"],
    lines=_one,
)
async def rename(context: Context) -> JsonObject:
    workspace, current = context.workspace, _summary(context, context.project)
    name = str(context["newName"])
    await context.router.projects.update(workspace, _id(current), name, current.servers)
    return _project_json(_summary(context, current.id))


@COMMANDS.add(
    "project remove",
    "Remove a project.",
    WORKSPACE,
    _PROJECT,
    examples=["Site"],
    lines=removed_line,
)
async def remove(context: Context) -> JsonObject:
    current = _summary(context, context.project)
    await context.router.projects.remove(context.workspace, _id(current))
    return _project_json(current)


@COMMANDS.add("project list", "List projects.", WORKSPACE, lines=_lines)
async def list_projects(context: Context) -> list[JsonObject]:
    return [_project_json(p) for p in context.router.projects.list(context.workspace)]
