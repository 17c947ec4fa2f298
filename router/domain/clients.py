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
    """The only servers it is good for; `None` means all that its workspace and project have."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token with its secret: shown to the person once, stored nowhere."""

    summary: TokenSummary
    secret: str


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks and from inside which boundary; decided once per request, before anything else."""

    client: str
    token: TokenId | None
    workspace: WorkspaceId
    project: ProjectId | None
    servers: frozenset[ServerId] | None = None
    """The servers its token is good for; `None` means all."""
