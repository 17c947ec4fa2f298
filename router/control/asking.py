"""What a command needs to be carried out: the router, and whom its arguments mean."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from router.api.router import RouterPort
from router.config.base import first_problem
from router.control import views
from router.domain.errors import InvalidInput, NoWorkspace
from router.domain.ids import ProjectId, ServerId, ServerRef, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS

ShapeT = TypeVar("ShapeT", bound=BaseModel)


Command: TypeAlias = Callable[[RouterPort, JsonObject], Awaitable[Any]]


def workspace_of(router: RouterPort, arguments: JsonObject) -> WorkspaceId:
    """The workspace meant by id or name; the active one if none is named."""
    text = arguments.get("workspace")
    if text is None:
        return router.workspaces.active()
    known = router.workspaces.list()
    meant = [each.id for each in known if each.id == text]
    meant += [each.id for each in known if each.name == text]
    if meant:
        return meant[0]
    raise NoWorkspace(text)


def project_of(
    router: RouterPort, workspace: WorkspaceId, arguments: JsonObject
) -> ProjectId | None:
    """The project meant by id or name; whether there is one is seen where it is used."""
    if not (text := arguments.get("project")):
        return None
    known = router.projects.list(workspace)
    by_name = (each.id for each in known if each.name == text and each.id)
    is_id = any(each.id == text for each in known)
    return ProjectId(text) if is_id else next(by_name, ProjectId(text))


def servers_of(
    router: RouterPort, workspace: WorkspaceId, arguments: JsonObject
) -> list[ServerId] | None:
    """The servers that are named, by id or name; None if none are."""
    named = arguments.get("servers")
    return [router.servers.find(workspace, str(text)).server for text in named] if named else None


def server_of(router: RouterPort, arguments: JsonObject) -> ServerRef:
    ref = router.servers.find(workspace_of(router, arguments), str(arguments["server"]))
    if ref.server == SCRIPTS:
        raise InvalidInput(
            "The scripts you keep are no server of their own.", "See: toolbooth script list"
        )
    return ref


def status_of(router: RouterPort, ref: ServerRef) -> JsonObject:
    found = (s for s in router.servers.list(ref.workspace) if s.id == ref.server)
    return views.server(next(found))


def validated(shape: type[ShapeT], entry: object) -> ShapeT:
    """A value of ours from JSON, or `InvalidInput` with the first thing wrong with it."""
    try:
        return shape.model_validate(entry)
    except ValidationError as error:
        raise InvalidInput(f"{first_problem(error)}.") from None
