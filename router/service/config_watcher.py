"""Notices what users and other programs change in the files of the data directory."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import assert_never

from router.api.events import ConfigAccepted, ConfigRejected, Publish
from router.config.settings import Settings
from router.runtime.tasks import log_and_continue, spawn, stop
from router.service.scripts import Scripts
from router.service.settings import SettingsService
from router.service.tokens import Tokens
from router.service.workspace_editor import WorkspaceEditor
from router.store.config_store import (
    Change,
    ConfigStore,
    SettingsChanged,
    WorkspaceChanged,
    WorkspaceRemoved,
)

log = logging.getLogger(__name__)

_POLL_S = 1.0


@dataclass(slots=True)
class ConfigWatcher:
    _config: ConfigStore
    _editor: WorkspaceEditor
    _settings: SettingsService
    _scripts: Scripts
    _tokens: Tokens
    _publish: Publish
    _polling: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._polling = spawn(self._poll_forever(), name="watch files")

    async def close(self) -> None:
        await stop(self._polling)

    async def apply(self, change: Change, before: Settings | None = None) -> None:
        """Apply one change; `before` are the settings before it."""
        match change:
            case SettingsChanged():
                await self._settings.on_changed(before or self._settings.current())
            case WorkspaceChanged(workspace):
                await self._editor.reconcile(workspace)
            case WorkspaceRemoved(workspace):
                await self._editor.drop(workspace)
            case ConfigRejected(path, line, reason):
                log.warning("%s: %s", path if line is None else f"{path}, line {line}", reason)
                self._publish(change)
            case ConfigAccepted():
                self._publish(change)
            case _:
                assert_never(change)

    async def _poll_forever(self) -> None:
        while True:
            await asyncio.sleep(_POLL_S)
            with log_and_continue("check the files for changes"):
                await self._poll()

    async def _poll(self) -> None:
        before = self._settings.current()
        for change in await asyncio.to_thread(self._config.poll):
            with log_and_continue(f"apply {change}"):
                await self.apply(change, before)
        await self._scripts.reload()
        await self._tokens.reload()
