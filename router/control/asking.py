"""What a command needs to be carried out: the router, and whom its arguments mean."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from router.api.router import RouterPort
from router.config.base import first_problem
from router.control import views
from router.domain.clients import Principal
from router.domain.errors import InvalidInput, NoWorkspace
from router.domain.ids import ProjectId, ServerId, ServerRef, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS
from router.domain.permissions import Permission
from router.domain.result import ToolResult
from router.domain.search import SearchReply
from router.store.config_store import Rejected

ShapeT = TypeVar("ShapeT", bound=BaseModel)


class ControlledRouter(RouterPort, Protocol):
    """The router, with what only its own person may do: run tools without a token."""

    def find_server(self, workspace: WorkspaceId, text: str) -> ServerRef: ...
    def rejected_files(self) -> tuple[Rejected, ...]: ...
    def secret_warnings(self, ref: ServerRef) -> tuple[str, ...]: ...
    def local_caller(self, workspace: WorkspaceId, project: ProjectId | None) -> Principal: ...
    def permission_words(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> dict[str, Permission]: ...
    async def sign_in_ended(self, ref: ServerRef) -> None: ...
    async def search(
        self, caller: Principal, queries: Sequence[str], limit: int
    ) -> SearchReply: ...
    async def call_tool(
        self, caller: Principal, key: ToolKey, arguments: JsonObject
    ) -> ToolResult[JsonObject]: ...


Command: TypeAlias = Callable[[ControlledRouter, JsonObject], Awaitable[Any]]


def workspace_of(router: ControlledRouter, arguments: JsonObject) -> WorkspaceId:
    """The workspace meant by id or name; the active one if none is named."""
    text = arguments.get("workspace")
    if text is None:
        return router.active_workspace()
    known = router.workspaces()
    meant = [each.id for each in known if each.id == text]
    meant += [each.id for each in known if each.name == text]
    if meant:
        return meant[0]
    raise NoWorkspace(text)


def project_of(
    router: ControlledRouter, workspace: WorkspaceId, arguments: JsonObject
) -> ProjectId | None:
    """The project meant by id or name; whether there is one is seen where it is used."""
    if not (text := arguments.get("project")):
        return None
    known = router.projects(workspace)
    by_name = (each.id for each in known if each.name == text and each.id)
    is_id = any(each.id == text for each in known)
    return ProjectId(text) if is_id else next(by_name, ProjectId(text))


def servers_of(
    router: ControlledRouter, workspace: WorkspaceId, arguments: JsonObject
) -> list[ServerId] | None:
    """The servers that are named, by id or name; None if none are."""
    named = arguments.get("servers")
    return [router.find_server(workspace, str(text)).server for text in named] if named else None


def server_of(router: ControlledRouter, arguments: JsonObject) -> ServerRef:
    ref = router.find_server(workspace_of(router, arguments), str(arguments["server"]))
    if ref.server == SCRIPTS:
        raise InvalidInput(
            "The scripts you keep are no server of their own.", "See: toolbooth script list"
        )
    return ref


def status_of(router: ControlledRouter, ref: ServerRef) -> JsonObject:
    found = (s for s in router.servers(ref.workspace) if s.id == ref.server)
    return views.server(next(found))


def validated(shape: type[ShapeT], entry: object) -> ShapeT:
    """A value of ours from JSON, or `InvalidInput` with the first thing wrong with it."""
    try:
        return shape.model_validate(entry)
    except ValidationError as error:
        raise InvalidInput(f"{first_problem(error)}.") from None
