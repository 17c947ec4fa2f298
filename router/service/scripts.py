"""Saved scripts: their files, the tools made of them, and trying one out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TypeAlias

from router.api.events import Publish, WorkspacesChanged
from router.catalog.catalog import WorkspaceCatalog
from router.catalog.saved_scripts import (
    MAX_SCRIPT_BYTES,
    check_script,
    checked_script_name,
    read_script,
)
from router.domain.errors import Conflict, NotFound, sentence
from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.scripts import SavedScript, ScriptTrial
from router.gateway.client_request import ClientRequest
from router.gateway.tools.script_tools import ScriptTools
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.store.scripts import FolderVersion, ScriptStore

_Seen: TypeAlias = tuple[WorkspaceCatalog, FolderVersion]
"""The catalog, and the version of the folder that its scripts were read from."""


@dataclass(frozen=True, slots=True)
class Scripts:
    """The production implementation of `api.scripts.ScriptsPort`."""

    _catalogs: WorkspaceCatalogs
    _script_tools: ScriptTools
    _publish: Publish
    _seen: dict[WorkspaceId, _Seen] = field(default_factory=dict[WorkspaceId, "_Seen"])

    def list(self, workspace: WorkspaceId) -> tuple[SavedScript, ...]:
        return tuple(self._catalogs.catalog(workspace).scripts.values())

    def get(self, workspace: WorkspaceId, name: str) -> SavedScript:
        script = self._catalogs.catalog(workspace).scripts.get(name)
        if script is None:
            raise NotFound(
                sentence('There is no script "{name}".', name=name),
                "List them with: toolbooth script list",
            )
        return script

    async def save(
        self, workspace: WorkspaceId, name: str, text: str, *, replacing: str | None = None
    ) -> SavedScript:
        name = checked_script_name(name)
        check_script(text)
        if name != replacing and name in self._catalogs.catalog(workspace).scripts:
            raise Conflict(
                sentence('There is already a script "{name}".', name=name), "Choose another name."
            )
        await self._script_tools.check(self._request(workspace), text)
        store = self._store(workspace)
        await asyncio.to_thread(store.write, name, text)
        if replacing is not None and replacing != name:
            await asyncio.to_thread(store.remove, replacing)
        await self.reload()
        return self.get(workspace, name)

    async def remove(self, workspace: WorkspaceId, name: str) -> None:
        self.get(workspace, name)
        await asyncio.to_thread(self._store(workspace).remove, name)
        await self.reload()

    async def try_out(
        self, workspace: WorkspaceId, text: str, arguments: JsonObject
    ) -> ScriptTrial:
        check_script(text)
        return await self._script_tools.try_out(self._request(workspace), text, arguments)

    async def reload(self) -> None:
        """Bring the catalogs in step with the files."""
        for workspace, catalog in list(self._catalogs.catalogs.items()):
            store = self._store(workspace)
            version = await asyncio.to_thread(store.version)
            if self._seen.get(workspace) == (catalog, version):
                continue
            had_scripts = bool(catalog.scripts)
            texts = await asyncio.to_thread(store.read)
            catalog.set_scripts(read_script(name, text) for name, text in texts.items())
            self._seen[workspace] = catalog, version
            if texts or had_scripts:
                self._publish(WorkspacesChanged(workspace))

    def _request(self, workspace: WorkspaceId) -> ClientRequest:
        return ClientRequest.local(self._catalogs.local_principal(workspace, None), "local")

    def _store(self, workspace: WorkspaceId) -> ScriptStore:
        self._catalogs.catalog(workspace)
        return ScriptStore(self._catalogs.folder(workspace) / "scripts", MAX_SCRIPT_BYTES)
