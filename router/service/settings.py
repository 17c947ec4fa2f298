"""The settings: applies changes, whether they come from a command or from the file."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from router.api.events import ConfigRejected, Publish, SettingsApplied, WorkspaceSwitched
from router.config.settings import Settings
from router.service.activity import Activity
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.store.config_store import ConfigStore
from router.store.deferred_writes import DeferredWrites


@dataclass
class SettingsService:
    """The production implementation of `api.settings.SettingsPort`."""

    _config: ConfigStore
    _catalogs: WorkspaceCatalogs
    _upstreams: UpstreamManager
    _activity: Activity
    _deferred_writes: DeferredWrites
    _publish: Publish
    _on_port_changed: Callable[[int], Awaitable[None]]
    """Has the endpoint listen on another port."""

    def current(self) -> Settings:
        return self._config.settings

    def rejected_files(self) -> tuple[ConfigRejected, ...]:
        return self._config.rejected

    def unwritten_reason(self) -> str:
        return self._deferred_writes.reason

    async def update(self, changes: Mapping[str, object]) -> None:
        before = self.current()
        workspace = before.changed(changes).active_workspace
        if workspace != before.active_workspace:  # it may have been removed meanwhile
            self._catalogs.catalog(workspace)
        await asyncio.to_thread(self._config.update_settings, lambda now: now.changed(changes))
        await self.on_changed(before)

    async def on_changed(self, before: Settings) -> None:
        """Bring the running router in line with the settings, which have changed since `before`."""
        after = self.current()
        self._activity.apply(after)
        self._publish(SettingsApplied(after))
        if after.list_limits != before.list_limits:
            await self._upstreams.limits_changed()
        if after.active_workspace != before.active_workspace:
            self._publish(WorkspaceSwitched(after.active_workspace))
        if after.port != before.port and self._upstreams.is_serving:
            await self._on_port_changed(after.port)
