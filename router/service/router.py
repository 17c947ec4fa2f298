"""The router: composes the rooms, keeps them in step with the configuration, tells what happens.

`Router` is the one production implementation of `ports.RouterPort`. Everything runs on one asyncio
loop; queries alone may come from other threads, and read values that are replaced, never changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import assert_never

from router.api.events import (
    ActivityRecorded,
    ConfigAccepted,
    ConfigRejected,
    Event,
    SettingsApplied,
    TokensChanged,
    WindowRequested,
    WorkspacesChanged,
    WorkspaceSwitched,
)
from router.apps.locations import Places
from router.commands.registry import dispatch
from router.config.server import ServerConfig
from router.config.settings import Settings
from router.domain.activity import ActivityEntry
from router.domain.clients import Principal
from router.domain.errors import InvalidInput
from router.domain.ids import ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.result import Failed, ToolResult
from router.gateway.client_request import ClientRequest
from router.runtime.clock import utc_now
from router.runtime.gc import no_collection
from router.runtime.local_ipc import LocalServer, socket_address
from router.runtime.tasks import spawn, stop
from router.runtime.tracing import begin_trace
from router.search.cloud import CloudSearch
from router.search.provider import Provider
from router.service.apps import Apps
from router.service.context import ServiceContext
from router.service.endpoint import Endpoint
from router.service.event_publisher import Announcer
from router.service.scripts import Scripts
from router.service.search import SearchService
from router.service.search_feedback import UsageRecorder
from router.service.secret_storage import open_activity, outlived, redacted
from router.service.servers import Servers
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import Workspaces
from router.store.config_store import (
    Accepted,
    Change,
    ConfigStore,
    Rejected,
    SettingsChanged,
    WorkspaceChanged,
    WorkspaceGone,
)
from router.store.instance_lock import InstanceLock
from router.store.redaction import Redactor
from router.store.secrets import KeyringSecrets, LayeredSecrets, SessionSecrets
from router.store.tokens import TokenStore
from router.upstream.process.tracking import owner_of

log = logging.getLogger(__name__)

_POLL_S = 1.0


class Router(Servers):
    """`open()` reads the files and can work on them; `start()` also serves clients."""

    def __init__(
        self,
        data_dir: Path,
        *,
        port: int | None = None,
        clock: Callable[[], datetime] = utc_now,
        lent: Mapping[str, ServerConfig] | None = None,
        places: Places | None = None,
        attended: bool = False,
        instance: InstanceLock | None = None,
    ) -> None:
        """`lent` are servers of the active workspace besides those in its file; `attended` says
        that a window shows permission requests; `instance` may be held already."""
        self._attended = attended
        self._announcer = Announcer()
        self._publish = self._announcer.publish
        config = ConfigStore(data_dir)
        secrets = LayeredSecrets(KeyringSecrets(), SessionSecrets())
        self._redactor = Redactor()
        cloud = CloudSearch(lambda: self.settings().cloud_search_url, secrets)
        provider = Provider(cloud)
        workspaces = Workspaces(data_dir / "workspaces", config, provider)
        tokens = TokenStore(data_dir / "tokens.json", clock)
        usage_recorder = UsageRecorder(
            data_dir / "workspaces", lambda: self.settings().learn_from_use, clock
        )
        context = ServiceContext(
            workspaces, self.settings, secrets, self._redactor, self._publish, clock
        )
        upstreams = UpstreamManager(context, state_dir=data_dir, owner=owner_of(data_dir))
        endpoint = Endpoint(
            workspaces=workspaces,
            upstreams=upstreams,
            tokens=tokens,
            settings=self.settings,
            active_workspace=self.active_workspace,
            record=self._record,
            publish=self._publish,
            clock=clock,
            redactor=self._redactor,
            attended=attended,
            feedback=usage_recorder,
        )
        self._announcer.subscribe(endpoint.note)
        super().__init__(
            config, workspaces, upstreams, endpoint, tokens, secrets, self._publish, clock
        )
        self.searches = SearchService(
            self, workspaces, endpoint.exposures, usage_recorder, provider, secrets
        )
        self.apps = Apps(self, tokens, secrets, clock, places)
        scripting = endpoint.exposures.script_tools
        folder = data_dir / "workspaces"
        self.scripts = Scripts(folder, workspaces, scripting, self.local_caller, self._publish)
        self._data_dir = data_dir
        self._instance = instance or InstanceLock(data_dir)
        self._control = LocalServer(
            socket_address(data_dir), lambda name, arguments: dispatch(self, name, arguments)
        )
        self._port = port
        self._lent = lent or {}
        self._watching: asyncio.Task[None] | None = None

    # Life

    async def open(self) -> None:
        """Read everything from disk; nothing is started."""
        changes = await asyncio.to_thread(self._config.load)
        self._activity = await asyncio.to_thread(
            open_activity, self._data_dir, self.settings(), self._clock
        )
        self._workspaces.lend(self.settings().active_workspace, self._lent)
        with no_collection():
            for workspace in self._config.workspaces:
                await self._reconcile(workspace)
        await self.searches.open()
        for change in changes:
            await self._follow(change)
        await self.scripts.look()

    async def start(self) -> None:
        """Serve clients. Raises `Conflict` if another instance has the data directory."""
        self._instance.acquire()
        await self._upstreams.sweep()
        await self.open()
        await self._endpoint.start(self.settings().port if self._port is None else self._port)
        # Last of what waits: a request that comes in finds everything there, subscribers too.
        await self._control.start()
        self._instance.update(url=self.listener().url)
        self._serving = True
        self._watching = spawn(self._watch(), name="watch files")
        self._upstreams.start_serving()
        self.subscribe(self.searches.follow)
        self.searches.follow(WorkspacesChanged(self.active_workspace()))

    async def stop(self) -> None:
        """Stop accepting, close the servers, write what is still in memory. Safe to call twice."""
        await self._endpoint.close()
        await self._control.stop()
        await stop(self._watching)
        await self.searches.close()
        await self._upstreams.close()
        await asyncio.to_thread(self._tokens.flush)
        if self._activity is not None:
            await asyncio.to_thread(self._activity.close)
        self._instance.release()

    def redact(self, text: str) -> str:
        """`text` without the secrets this router knows of."""
        return self._redactor.text(text)

    def subscribe(self, consumer: Callable[[Event], None]) -> Callable[[], None]:
        return self._announcer.subscribe(consumer)

    def open_window(self, words: Sequence[str]) -> bool:
        """Have the window come to the front for a start with `words`; False if there is none."""
        if self._attended:
            self._publish(WindowRequested(tuple(words)))
        return self._attended

    # Settings

    async def apply_settings(self, settings: Settings) -> None:
        known = dict(self.settings())
        await self._change_settings({k: v for k, v in settings if v != known[k]})

    async def switch_workspace(self, workspace: WorkspaceId) -> None:
        await self._change_settings({"active_workspace": workspace})

    # Trying tools out, as the person at the keyboard

    async def call_tool(
        self, caller: Principal, key: ToolKey, arguments: JsonObject
    ) -> ToolResult[JsonObject]:
        request = ClientRequest.local(caller, begin_trace())
        return await self._endpoint.exposures.run_tool(request, key, arguments)

    async def try_tool(
        self, workspace: WorkspaceId, key: ToolKey, arguments: JsonObject
    ) -> JsonObject:
        result = await self.call_tool(self.local_caller(workspace, None), key, arguments)
        if isinstance(result, Failed):
            raise InvalidInput(result.message, result.hint)
        return result.value

    # Keeping in step

    async def _watch(self) -> None:
        """Notice what people and other programs change on disk."""
        while True:
            await asyncio.sleep(_POLL_S)
            with outlived("look at the files"):
                await self._look()

    async def _look(self) -> None:
        before = self.settings()
        for change in await asyncio.to_thread(self._config.poll):
            with outlived(f"follow {change}"):
                await self._follow(change, before)
        await self.scripts.look()
        if await asyncio.to_thread(self._tokens.reload_if_changed):
            self._publish(TokensChanged())

    async def _follow(self, change: Change, before: Settings | None = None) -> None:
        match change:
            case SettingsChanged():
                await self._settings_changed(before or self.settings())
            case WorkspaceChanged(workspace):
                await self._reconcile(workspace)
            case WorkspaceGone(workspace):
                await self._upstreams.apply(self._workspaces.drop(workspace))
                self._publish(WorkspacesChanged(workspace))
            case Rejected(path, line, reason):
                log.warning("%s: %s", path if line is None else f"{path}, line {line}", reason)
                self._publish(ConfigRejected(path, line, reason))
            case Accepted(path):
                self._publish(ConfigAccepted(path))
            case _:
                assert_never(change)

    async def _change_settings(self, changes: JsonObject) -> None:
        """Change only these, whatever else the file says by now."""
        if "active_workspace" in changes:  # The one chosen before may be gone since.
            self._workspaces.catalog(changes["active_workspace"])
        before = self.settings()
        await asyncio.to_thread(
            self._config.update_settings, lambda now: now.model_copy(update=changes)
        )
        await self._settings_changed(before)

    async def _settings_changed(self, before: Settings) -> None:
        after = self.settings()
        if self._activity is not None:
            self._activity.apply(
                keep_days=after.activity_days,
                log_details=after.log_arguments,
                max_mb=after.activity_mb,
            )
        self._publish(SettingsApplied(after))
        if after.list_limits != before.list_limits:
            await self._upstreams.limits_changed()
        if after.active_workspace != before.active_workspace:
            self._publish(WorkspaceSwitched(after.active_workspace))
        if after.port != before.port and self._serving:
            self._port = None
            await self._endpoint.stop()
            await self._endpoint.start(after.port)
            self._instance.update(url=self.listener().url)

    def _record(self, entry: ActivityEntry) -> None:
        entry = redacted(entry, self._redactor)
        if self._activity is not None:
            self._activity.record(entry)
        self._publish(ActivityRecorded(entry))
