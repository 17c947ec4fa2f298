"""Scripts that people keep, as window and CLI see and change them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from router.model import JsonObject, Parameter, ToolKey, WorkspaceId


@dataclass(frozen=True, slots=True)
class SavedScript:
    """A script that a person keeps: its file, and what the comment at its top says about it."""

    name: str
    text: str
    description: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class TrialCall:
    """A call in a dry run. `made`: it really happened, because its tool only reads."""

    key: ToolKey
    arguments: str
    made: bool


@dataclass(frozen=True, slots=True)
class ScriptTrial:
    """What came of a dry run: a result in JSON, or why there is none, and the calls on the way."""

    result: str | None
    problem: str | None
    printed: str
    calls: tuple[TrialCall, ...]


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
