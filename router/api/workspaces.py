"""Workspaces: each has its own servers, projects and permissions."""

from __future__ import annotations

from typing import Protocol

from router.domain.ids import WorkspaceId
from router.domain.workspaces import WorkspaceSummary


class WorkspacesPort(Protocol):
    def list(self) -> tuple[WorkspaceSummary, ...]:
        """By name."""
        ...

    def active(self) -> WorkspaceId: ...
    def check(self, workspace: WorkspaceId) -> None:
        """Raises a `ConfigError` if its file can't be used as it is now."""
        ...

    async def create(self, name: str) -> WorkspaceId: ...
    async def rename(self, workspace: WorkspaceId, name: str) -> None: ...
    async def remove(self, workspace: WorkspaceId) -> None:
        """Can be undone by `restore`. The last workspace can't be removed."""
        ...

    async def restore(self, workspace: WorkspaceId) -> None:
        """Undo the last `remove` of this id."""
        ...

    async def switch(self, workspace: WorkspaceId) -> None: ...
