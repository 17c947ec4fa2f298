"""Saved scripts as the window and the command line use them."""

from __future__ import annotations

from typing import Protocol

from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.scripts import SavedScript, ScriptTrial


class ScriptsPort(Protocol):
    """The scripts that a person keeps in a workspace: tools of the pseudo-server `scripts`."""

    def list(self, workspace: WorkspaceId) -> tuple[SavedScript, ...]: ...
    def get(self, workspace: WorkspaceId, name: str) -> SavedScript: ...
    async def save(
        self, workspace: WorkspaceId, name: str, text: str, *, replacing: str | None = None
    ) -> SavedScript:
        """Keep `text` under `name`; `replacing` names the script that it was until now."""
        ...

    async def remove(self, workspace: WorkspaceId, name: str) -> None: ...
    async def try_out(
        self, workspace: WorkspaceId, text: str, arguments: JsonObject
    ) -> ScriptTrial:
        """Run a script that need not be kept, calling only tools that say they just read."""
        ...
