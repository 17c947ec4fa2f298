"""Edits of a workspace's configuration: pure functions that return the changed one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain, count
from typing import Any

from router.catalog.server_entry import configured_servers
from router.config.server import ServerConfig
from router.config.workspace import ProjectConfig, WorkspaceConfig, new_generation
from router.domain.errors import Conflict, InvalidInput, NoProject, NoServer, sentence
from router.domain.ids import ProjectId, ServerId, ToolKey, WorkspaceId
from router.domain.names import SCRIPTS, assign_server_ids, slug
from router.domain.permissions import Permission

MAX_NAME_LENGTH = 80
MAX_LIFETIME = timedelta(days=3653)
_RESERVED_PROJECTS = frozenset({"unassigned", "unassigned_project_id"})
"""Ids that clients use for "no project"."""
_UNASSIGNED_FIELDS = (
    "optimization",
    "exposure",
    "offer_search",
    "permissions",
    "rules",
    "pinned",
)
"""The options of the unassigned project, which the workspace itself has."""


def checked_name(name: str) -> str:
    """`name` without surrounding space, if its length is valid."""
    stripped = name.strip()
    if not stripped or len(stripped) > MAX_NAME_LENGTH:
        raise InvalidInput(
            sentence("A name must have 1 to {most} characters.", most=MAX_NAME_LENGTH)
        )
    return stripped


def expiry(lifetime: timedelta | None, now: datetime) -> datetime | None:
    """When `lifetime` ends; None for an unlimited one."""
    if lifetime is None:
        return None
    if not timedelta(0) < lifetime <= MAX_LIFETIME:
        raise InvalidInput("A token can be valid for one second to ten years.")
    return now + lifetime


def with_server(config: WorkspaceConfig, name: str, server: ServerConfig) -> WorkspaceConfig:
    if name in config.mcp_servers:
        raise _server_exists(name)
    return config.model_copy(update={"mcp_servers": {**config.mcp_servers, name: server}})


def with_changed_server(
    config: WorkspaceConfig, server: ServerId, name: str, changed: ServerConfig
) -> WorkspaceConfig:
    """The server with its new name and settings, at its old position in the file."""
    old = server_name(config, server)
    if name != old and name in config.mcp_servers:
        raise _server_exists(name)
    servers = {
        (name if key == old else key): (changed if key == old else entry)
        for key, entry in config.mcp_servers.items()
    }
    return config.model_copy(update={"mcp_servers": servers})


def _server_exists(name: str) -> Conflict:
    return Conflict(
        sentence('There is already a server "{name}".', name=name), "Choose another name."
    )


def with_server_enabled(
    config: WorkspaceConfig, server: ServerId, *, enabled: bool
) -> WorkspaceConfig:
    name = server_name(config, server)
    switched = config.mcp_servers[name].model_copy(update={"disabled": not enabled})
    return with_changed_server(config, server, name, switched)


def without_server(config: WorkspaceConfig, server: ServerId) -> WorkspaceConfig:
    removed_name = server_name(config, server)
    servers = {key: entry for key, entry in config.mcp_servers.items() if key != removed_name}
    return config.model_copy(update={"mcp_servers": servers})


def with_imported(
    config: WorkspaceConfig, servers: Mapping[str, ServerConfig]
) -> tuple[WorkspaceConfig, list[str]]:
    """The servers, added under unused names, and those names."""
    merged = dict(config.mcp_servers)
    names: list[str] = []
    for wanted, server in servers.items():
        name = free_name(checked_name(wanted), " ", merged)
        merged[name] = server
        names.append(name)
    return config.model_copy(update={"mcp_servers": merged}), names


def free_name(wanted: str, separator: str, taken: Mapping[Any, object]) -> str:
    """`wanted`, numbered from 2 if it is in use."""
    numbered = (f"{wanted}{separator}{number}" for number in count(2))
    return next(name for name in chain([wanted], numbered) if name not in taken)


def server_name(config: WorkspaceConfig, server: ServerId) -> str:
    known = configured_servers(config)
    if server not in known:
        raise NoServer(server, config.name)
    return known[server][0]


def check_server(config: WorkspaceConfig, server: ServerId) -> None:
    """Raise `NotFound` unless the server exists; that of saved scripts always does."""
    if server != SCRIPTS:
        server_name(config, server)


def server_called(config: WorkspaceConfig, name: str) -> ServerId:
    """The id of the server with exactly this name, which must exist."""
    return assign_server_ids(config.mcp_servers)[name]


def find_server(config: WorkspaceConfig, text: str) -> ServerId:
    """The server with exactly that name, else the one with that id."""
    if text in config.mcp_servers:
        return server_called(config, text)
    if (server := ServerId(text)) in configured_servers(config) or server == SCRIPTS:
        return server
    raise NoServer(text, config.name)


def with_project(
    config: WorkspaceConfig, name: str, servers: Sequence[ServerId] | None
) -> tuple[WorkspaceConfig, ProjectId]:
    project = ProjectId(slug(name))
    if not project:
        raise InvalidInput(sentence('"{name}" must contain a letter or digit.', name=name))
    if project in _RESERVED_PROJECTS:
        raise InvalidInput(
            sentence('"{name}" is a reserved name.', name=name), "Choose another name."
        )
    if project in config.projects:
        raise _project_exists(project)
    entry = ProjectConfig(
        name=name, generation=new_generation(), servers=_checked_servers(config, servers)
    )
    return _with_project_entry(config, project, entry), project


def with_changed_project(
    config: WorkspaceConfig, project: ProjectId, name: str, servers: Sequence[ServerId] | None
) -> WorkspaceConfig:
    """The project under another name, or with other servers; its id stays."""
    others = (entry.name for key, entry in config.projects.items() if key != project)
    if name.casefold() in (other.casefold() for other in others):
        raise _project_exists(name)
    return with_changes(config, project, name=name, servers=_checked_servers(config, servers))


def _project_exists(name: str) -> Conflict:
    return Conflict(
        sentence('There is already a project "{name}".', name=name), "Choose another name."
    )


def _checked_servers(
    config: WorkspaceConfig, servers: Sequence[ServerId] | None
) -> tuple[ServerId, ...] | None:
    """Raises `NotFound` for a server that does not exist."""
    for server in servers or ():
        check_server(config, server)
    return None if servers is None else tuple(servers)


def without_project(config: WorkspaceConfig, project: ProjectId) -> WorkspaceConfig:
    project_entry(config, project)
    rest = {key: entry for key, entry in config.projects.items() if key != project}
    return config.model_copy(update={"projects": rest})


def with_permission(
    config: WorkspaceConfig, key: ToolKey, permission: Permission, project: ProjectId | None
) -> WorkspaceConfig:
    """Without rules `allow` is the default, so the workspace stores only other permissions; a
    project stores every one, since it may differ from the workspace's."""
    check_server(config, key.server)
    if project is not None:
        own = {**project_entry(config, project).permissions, str(key): permission}
        return with_changes(config, project, permissions=own)
    kept = {k: p for k, p in config.permissions.items() if k != str(key)}
    if permission is not Permission.ALLOW or config.rules:
        kept[str(key)] = permission
    return config.model_copy(update={"permissions": kept})


def project_entry(config: WorkspaceConfig, project: ProjectId) -> ProjectConfig:
    if project not in config.projects:
        raise NoProject(project, config.name)
    return config.projects[project]


def generation(config: WorkspaceConfig, project: ProjectId | None) -> str:
    """What a token for the workspace, or one of its projects, is bound to besides their ids."""
    of_project = "" if project is None else project_entry(config, project).generation
    return f"{config.generation}/{of_project}".strip("/")


def project_of(config: WorkspaceConfig, project: ProjectId | None) -> ProjectConfig:
    """The whole project; None is the workspace's own, for calls outside any project."""
    if project is not None:
        return project_entry(config, project)
    own = {field: getattr(config, field) for field in _UNASSIGNED_FIELDS}
    return ProjectConfig(name=config.name, **own)


def with_project_put(
    config: WorkspaceConfig, project: ProjectId | None, entry: ProjectConfig
) -> WorkspaceConfig:
    """The project as given, whether that id exists or not."""
    _checked_servers(config, entry.servers)
    if project is None:
        return config.model_copy(
            update={field: getattr(entry, field) for field in _UNASSIGNED_FIELDS}
        )
    named = entry.model_copy(update={"name": checked_name(entry.name)})
    return _with_project_entry(config, project, named)


def check_workspace_name(
    name: str, others: Mapping[WorkspaceId, WorkspaceConfig], renamed: WorkspaceId | None = None
) -> None:
    """Raise `Conflict` for a name that another workspace has."""
    for workspace, config in others.items():
        if workspace != renamed and config.name.casefold() == name.casefold():
            raise Conflict(
                sentence('There is already a workspace "{name}".', name=config.name),
                "Choose another name.",
            )


def new_workspace_id(name: str, taken: Mapping[WorkspaceId, object]) -> WorkspaceId:
    """An id for a new workspace: its name in snake_case, numbered if that is in use."""
    base = slug(name)[:40].strip("_") or "workspace"
    return WorkspaceId(free_name(base, "_", taken))


def with_changes(
    config: WorkspaceConfig, project: ProjectId | None, **changes: Any
) -> WorkspaceConfig:
    """Changed fields of a project; with None, of the workspace itself."""
    if project is None:
        return config.model_copy(update=changes)
    entry = project_entry(config, project).model_copy(update=changes)
    return _with_project_entry(config, project, entry)


def _with_project_entry(
    config: WorkspaceConfig, project: ProjectId, entry: ProjectConfig
) -> WorkspaceConfig:
    return config.model_copy(update={"projects": {**config.projects, project: entry}})
