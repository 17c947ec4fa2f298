"""A typed fake of the facet about saved scripts."""

from __future__ import annotations

from router.domain.errors import NotFound
from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.scripts import SavedScript, ScriptTrial
from tests.support.fake_state import FakeContext


class FakeScripts:
    """`ScriptsPort` that answers from its fields and records each command with the router's."""

    def __init__(self, context: FakeContext) -> None:
        self._record = context.record
        self.kept: dict[str, SavedScript] = {}
        self.trial = ScriptTrial("42", None, "", ())

    def list(self, workspace: WorkspaceId) -> tuple[SavedScript, ...]:
        return tuple(self.kept.values())

    def get(self, workspace: WorkspaceId, name: str) -> SavedScript:
        if name not in self.kept:
            raise NotFound(f'There is no script "{name}".')
        return self.kept[name]

    async def save(
        self, workspace: WorkspaceId, name: str, text: str, *, replacing: str | None = None
    ) -> SavedScript:
        self._record("scripts.save", workspace, name, text, replacing)
        self.kept.pop(replacing or "", None)
        self.kept[name] = SavedScript(name, text, "", ())
        return self.kept[name]

    async def remove(self, workspace: WorkspaceId, name: str) -> None:
        self._record("scripts.remove", workspace, name)
        del self.kept[name]

    async def try_out(
        self, workspace: WorkspaceId, text: str, arguments: JsonObject
    ) -> ScriptTrial:
        self._record("scripts.try_out", workspace, text, arguments)
        return self.trial
