"""Saved scripts as the window and the command line use them."""

from __future__ import annotations

from typing import Protocol

from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.scripts import SavedScript, ScriptTrial


class ScriptsPort(Protocol):
    """The saved scripts of a workspace: tools of the pseudo-server `scripts`."""

    def list(self, workspace: WorkspaceId) -> tuple[SavedScript, ...]: ...
    def get(self, workspace: WorkspaceId, name: str) -> SavedScript: ...
    async def save(
        self, workspace: WorkspaceId, name: str, text: str, *, replacing: str | None = None
    ) -> SavedScript:
        """Save `text` as `name`; `replacing` is the name of the script it replaces."""
        ...

    async def remove(self, workspace: WorkspaceId, name: str) -> None: ...
    async def try_out(
        self, workspace: WorkspaceId, text: str, arguments: JsonObject
    ) -> ScriptTrial:
        """Run a script without saving it. It can call only read-only tools."""
        ...
