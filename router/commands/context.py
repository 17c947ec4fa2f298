"""What a handler gets: the router, the command's arguments, and what these refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from router.domain.clients import Principal
from router.domain.errors import InvalidInput, NoWorkspace
from router.domain.ids import ProjectId, ServerId, ServerRef, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS
from router.domain.servers import ServerStatus

if TYPE_CHECKING:  # modules that take long to load, and that a command line is parsed without
    from pydantic import BaseModel

    from router.api.router import RouterPort
    from router.domain.permissions import Permission
    from router.domain.result import ToolResult
    from router.domain.search import SearchReply
    from router.store.config_store import Rejected

    class ControlledRouter(RouterPort, Protocol):
        """The router, with what only its own user may do: run tools without a token."""

        def find_server(self, workspace: WorkspaceId, text: str) -> ServerRef: ...
        def rejected_files(self) -> tuple[Rejected, ...]: ...
        def secret_warnings(self, ref: ServerRef) -> tuple[str, ...]: ...
        def local_caller(self, workspace: WorkspaceId, project: ProjectId | None) -> Principal: ...
        def permission_words(
            self, workspace: WorkspaceId, project: ProjectId | None
        ) -> dict[str, Permission]: ...
        def open_window(self, words: Sequence[str]) -> bool: ...
        async def sign_in_ended(self, ref: ServerRef) -> None: ...
        async def search(
            self, caller: Principal, queries: Sequence[str], limit: int
        ) -> SearchReply: ...
        async def call_tool(
            self, caller: Principal, key: ToolKey, arguments: JsonObject
        ) -> ToolResult[JsonObject]: ...


ShapeT = TypeVar("ShapeT", bound="BaseModel")


@dataclass(frozen=True)
class Context:
    """One command to carry out. What its arguments name is looked up at its first use and stays the
    same; an unknown name raises `InvalidInput`."""

    router: ControlledRouter
    arguments: JsonObject

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def get(self, name: str) -> Any:
        return self.arguments.get(name)

    @property
    def name(self) -> str:
        return str(self["name"])

    @cached_property
    def workspace(self) -> WorkspaceId:
        """By id or name; the active one if none is named."""
        named = self.get("workspace")
        return self.router.active_workspace() if named is None else self.workspace_named(named)

    def workspace_named(self, text: str) -> WorkspaceId:
        known = self.router.workspaces()
        matches = [each.id for each in known if each.id == text]
        matches += [each.id for each in known if each.name == text]
        if matches:
            return matches[0]
        raise NoWorkspace(text)

    @cached_property
    def project(self) -> ProjectId | None:
        """By id or name; the router checks that it exists."""
        if not (text := self.get("project")):
            return None
        known = self.router.projects(self.workspace)
        by_name = (each.id for each in known if each.name == text and each.id)
        is_id = any(each.id == text for each in known)
        return ProjectId(text) if is_id else next(by_name, ProjectId(text))

    @cached_property
    def server(self) -> ServerRef:
        """By id or name."""
        ref = self.router.find_server(self.workspace, str(self["server"]))
        if ref.server == SCRIPTS:
            raise InvalidInput("Saved scripts are not a server.", "See: toolbooth script list")
        return ref

    @property
    def only_server(self) -> ServerId | None:
        """The server a listing is limited to; None for all."""
        return self.server.server if self.get("server") else None

    @cached_property
    def servers(self) -> list[ServerId] | None:
        """By id or name; None if none are named."""
        if not (named := self.get("servers")):
            return None
        return [self.router.find_server(self.workspace, str(text)).server for text in named]

    @property
    def caller(self) -> Principal:
        return self.router.local_caller(self.workspace, self.project)

    def status(self, ref: ServerRef) -> ServerStatus:
        return next(s for s in self.router.servers(ref.workspace) if s.id == ref.server)


def validated(shape: type[ShapeT], entry: object) -> ShapeT:
    """A value of ours from JSON, or `InvalidInput` with the first thing wrong with it."""
    from pydantic import ValidationError

    from router.config.base import first_problem

    try:
        return shape.model_validate(entry)
    except ValidationError as error:
        raise InvalidInput(f"{first_problem(error)}.") from None
