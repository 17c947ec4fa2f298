"""What a handler gets: the router, the command's arguments, and what they name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from router.domain.clients import Principal
from router.domain.errors import InvalidInput, NoWorkspace
from router.domain.ids import ProjectId, ServerId, ServerRef, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS
from router.domain.servers import ServerStatus

if TYPE_CHECKING:  # slow to import, and not needed to parse a command line
    from pydantic import BaseModel

    from router.api.router import RouterPort


ShapeT = TypeVar("ShapeT", bound="BaseModel")


@dataclass(frozen=True)
class Context:
    """One command to run. What its arguments name is looked up once, at its first use; an unknown
    name raises `InvalidInput`."""

    router: RouterPort
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
        return self.router.workspaces.active() if named is None else self.workspace_named(named)

    def workspace_named(self, text: str) -> WorkspaceId:
        known = self.router.workspaces.list()
        by_id = (each.id for each in known if each.id == text)
        by_name = (each.id for each in known if each.name == text)
        if (found := next(chain(by_id, by_name), None)) is None:
            raise NoWorkspace(text)
        return found

    @cached_property
    def project(self) -> ProjectId | None:
        """By id or name; the router checks that it exists."""
        if not (text := self.get("project")):
            return None
        known = self.router.projects.list(self.workspace)
        by_name = (each.id for each in known if each.name == text and each.id)
        is_id = any(each.id == text for each in known)
        return ProjectId(text) if is_id else next(by_name, ProjectId(text))

    @cached_property
    def server(self) -> ServerRef:
        """By id or name."""
        ref = self.router.servers.find(self.workspace, str(self["server"]))
        if ref.server == SCRIPTS:
            raise InvalidInput("Saved scripts are not a server.", "See: toolbooth script list")
        return ref

    @property
    def only_server(self) -> ServerId | None:
        """The server a listing is limited to; None for all."""
        return self.server.server if self.get("server") else None

    @property
    def listed_servers(self) -> list[ServerStatus]:
        """The server a listing is limited to, or all of the workspace."""
        only = self.only_server
        return [s for s in self.router.servers.list(self.workspace) if only in (None, s.id)]

    @cached_property
    def servers(self) -> list[ServerId] | None:
        """By id or name; None if none are named."""
        if not (named := self.get("servers")):
            return None
        return [self.router.servers.find(self.workspace, str(text)).server for text in named]

    @property
    def caller(self) -> Principal:
        return self.router.projects.local_principal(self.workspace, self.project)

    def status(self, ref: ServerRef) -> ServerStatus:
        return next(s for s in self.router.servers.list(ref.workspace) if s.id == ref.server)


def validated(shape: type[ShapeT], entry: object) -> ShapeT:
    """A value of ours from JSON, or `InvalidInput` with the first thing wrong with it."""
    from pydantic import ValidationError

    from router.config.base import first_problem

    try:
        return shape.model_validate(entry)
    except ValidationError as error:
        raise InvalidInput(f"{first_problem(error)}.") from None
