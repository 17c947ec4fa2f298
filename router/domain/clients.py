"""Who is calling: client tokens, and the authenticated principal of a request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from router.domain.ids import ProjectId, ServerId, TokenId, WorkspaceId


@dataclass(frozen=True, slots=True)
class TokenSummary:
    id: TokenId
    name: str
    workspace: WorkspaceId | None
    project: ProjectId | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    servers: tuple[ServerId, ...] | None = None
    """The servers it is limited to; `None` means all of its workspace and project."""
    generation: str | None = None
    """Which workspace or project of this id it is for: one made later under the same id is
    another."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token with its secret, which is shown once and stored nowhere."""

    summary: TokenSummary
    secret: str


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated client of a request and its scope; decided before anything else."""

    client: str
    token: TokenId | None
    workspace: WorkspaceId
    project: ProjectId | None
    servers: frozenset[ServerId] | None = None
    """The servers its token is limited to; `None` means all."""
    chose_project: bool = False
    """Whether the request named the project, not its token: then what the workspace asks for or
    denies outside any project holds too."""

    @property
    def identity(self) -> tuple[TokenId | None, WorkspaceId, ProjectId | None]:
        """What is kept for one principal may only be used by one with the same identity."""
        return self.token, self.workspace, self.project
