"""The router: composes the packages, one facet per subject, and starts and stops them.

`Router` is the production implementation of `api.router.RouterPort`. Everything runs on one asyncio
loop; only queries may come from other threads, and read values that are replaced, never changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from router.api.events import Event, StorageStateChanged, WindowRequested, WorkspacesChanged
from router.apps.locations import AppLocations
from router.commands.registry import dispatch
from router.config.server import ServerConfig
from router.domain.errors import Conflict, ToolboothError
from router.runtime.clock import Clock, utc_now
from router.runtime.garbage_collection import no_collection
from router.runtime.local_ipc import LocalServer, socket_address
from router.runtime.shutdown import Shutdown
from router.runtime.tasks import spawn, stop
from router.search.cloud import CloudSearch
from router.search.provider import Provider
from router.service.activity import Activity
from router.service.apps import Apps
from router.service.config_watcher import ConfigWatcher
from router.service.confirmations import Confirmations
from router.service.context import ServiceContext
from router.service.discovery import Discovery
from router.service.endpoint import Endpoint
from router.service.event_publisher import EventPublisher
from router.service.permissions import Permissions
from router.service.projects import Projects
from router.service.scripts import Scripts
from router.service.search import SearchService
from router.service.search_feedback import UsageRecorder
from router.service.servers import Servers
from router.service.settings import SettingsService
from router.service.tokens import Tokens
from router.service.tools import Tools
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.service.workspace_editor import WorkspaceEditor
from router.service.workspaces import Workspaces
from router.service.write_retry import RETRY_S, WriteRetry
from router.store.config_store import ConfigStore
from router.store.deferred_writes import DeferredWrites
from router.store.instance_lock import InstanceLock
from router.store.redaction import Redactor
from router.store.secrets import KeyringSecrets, LayeredSecrets
from router.store.tokens import TokenStore
from router.upstream.process.tracking import may_be_server, owner_of

log = logging.getLogger(__name__)


class Router:
    """`open()` reads the files and can work on them; `start()` also serves clients."""

    def __init__(
        self,
        data_dir: Path,
        *,
        port: int | None = None,
        clock: Clock = utc_now,
        extra_servers: Mapping[str, ServerConfig] | None = None,
        app_locations: AppLocations | None = None,
        attended: bool = False,
        instance: InstanceLock | None = None,
    ) -> None:
        """`port` is used instead of the settings' one; `extra_servers` are added to the active
        workspace without being written; `attended` says that a window shows permission requests;
        `instance` may be held already."""
        self._port = port
        self._attended = attended
        self._extra_servers = extra_servers or {}
        self._shutdown = Shutdown()
        self._instance = instance or InstanceLock(data_dir)
        self._local_ipc = LocalServer(
            socket_address(data_dir),
            lambda name, arguments: dispatch(self, name, arguments),
            admits=lambda pid: not may_be_server(pid, owner_of(data_dir)),
        )
        self._publisher = EventPublisher()
        self._redactor = Redactor()
        self._deferred_writes = DeferredWrites(
            lambda reason: self._publisher.publish(StorageStateChanged(reason))
        )
        self._config = config = ConfigStore(data_dir, self._deferred_writes)
        secrets = LayeredSecrets(KeyringSecrets())
        cloud = CloudSearch(lambda: config.settings.cloud_search_url, secrets)
        self._search_provider = Provider(cloud)
        self._write_retry = WriteRetry(self._deferred_writes)
        folder = data_dir / "workspaces"
        self._catalogs = catalogs = WorkspaceCatalogs(
            folder, config, self._search_provider, self._deferred_writes
        )
        context = ServiceContext(
            catalogs=catalogs,
            settings=lambda: config.settings,
            secrets=secrets,
            redactor=self._redactor,
            deferred_writes=self._deferred_writes,
            publish=self._publisher.publish,
            clock=clock,
        )
        token_store = TokenStore(data_dir / "tokens.json", clock)
        self._usage = UsageRecorder(
            folder, lambda: config.settings.learn_from_use, clock, self._deferred_writes
        )
        self._upstreams = UpstreamManager(context, state_dir=data_dir, owner=owner_of(data_dir))
        self._editor = editor = WorkspaceEditor(config, catalogs, self._upstreams, context.publish)
        self.activity = Activity(
            data_dir / "activity.sqlite",
            context,
            lambda view: self.endpoint.tool_methods.tool_listings.of(view).context_tokens,
        )
        self.endpoint = Endpoint(
            context,
            self._upstreams,
            token_store,
            record=self.activity.record,
            attended=attended,
            feedback=self._usage,
        )
        self._publisher.subscribe(self.endpoint.on_event)
        tool_methods = self.endpoint.tool_methods
        self.settings = SettingsService(
            config,
            catalogs,
            self._upstreams,
            self.activity,
            self._deferred_writes,
            context.publish,
            self._move_endpoint,
        )
        self.workspaces = Workspaces(config, catalogs, editor, self.settings)
        self.projects = Projects(catalogs, editor)
        self.servers = Servers(catalogs, editor, self._upstreams, secrets)
        self.sign_ins = self._upstreams.sign_ins
        self.confirmations = Confirmations(
            attended, context.publish, lambda: config.settings.ask_timeout_s, self.redact
        )
        self.discovery = Discovery(catalogs, self._upstreams)
        self.tools = Tools(catalogs, editor, self._upstreams, tool_methods)
        self.permissions = Permissions(
            self.projects, editor, self.endpoint.permission_requests, catalogs
        )
        self.tokens = Tokens(token_store, catalogs, context.publish, clock)
        self.search = SearchService(self.settings, catalogs, tool_methods, self._usage, secrets)
        self.scripts = Scripts(catalogs, tool_methods.script_tools, context.publish)
        self.apps = Apps(context, self.endpoint, self.servers, self.tokens, app_locations)
        self._watcher = ConfigWatcher(
            config, editor, self.settings, self.scripts, self.tokens, context.publish
        )

    async def open(self) -> None:
        """Read everything from disk; nothing is started. If that fails, all is undone."""
        try:
            await self._open()
        except BaseException:
            await self.stop()
            raise

    async def start(self) -> None:
        """Serve clients. If that fails, all is undone. Raises `Conflict` if another instance has
        the data directory."""
        try:
            self._shutdown.add("release the instance lock", self._instance.release)
            await asyncio.to_thread(self._acquire_instance)
            await self._upstreams.kill_leftovers()
            await self._open()
            await self._serve()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Stop accepting, close the servers, write what is still in memory. Safe to call twice."""
        await self._shutdown.run()

    def redact(self, text: str) -> str:
        """`text` without the secrets this router knows of."""
        return self._redactor.text(text)

    def subscribe(self, consumer: Callable[[Event], None]) -> Callable[[], None]:
        return self._publisher.subscribe(consumer)

    def request_window(self, words: Sequence[str]) -> bool:
        if self._attended:
            self._publisher.publish(WindowRequested(tuple(words)))
        return self._attended

    async def _open(self) -> None:
        changes = await asyncio.to_thread(self._config.load)
        self._shutdown.add("close the activity log", self.activity.close)
        await self.activity.open()
        self._shutdown.add("write what could not be written", self._write_retry.close)
        self._shutdown.add("write when tokens were last used", self.tokens.flush)
        self._upstreams.register(self._shutdown)
        self._shutdown.add("stop the search thread", self._search_provider.close)
        self._shutdown.add("write the usage history", self._usage.close)
        self._shutdown.add("stop building indexes", self.search.close)
        self._shutdown.add("end the script workers", self.endpoint.script_runner.close)
        self._catalogs.add_extra(self.settings.current().active_workspace, self._extra_servers)
        with no_collection():
            for workspace in self._config.workspaces:
                await self._editor.reconcile(workspace)
        await self.search.open()
        for change in changes:
            await self._watcher.apply(change)
        await self.scripts.reload()

    async def _serve(self) -> None:
        # Clients come first at shutdown, so what ends after them is added before them.
        self._shutdown.add("stop watching the files", self._watcher.close)
        self._shutdown.add("close local IPC", self._local_ipc.stop)
        self._shutdown.add("stop the endpoint", self.endpoint.stop)
        port = self.settings.current().port if self._port is None else self._port
        await self.endpoint.start(port)
        # Last of what waits: a request that comes in finds everything there, subscribers too.
        await self._start_local_ipc()
        await self._announce()
        self._write_retry.start()
        self._watcher.start()
        self._upstreams.start_serving()
        self.subscribe(self.search.on_event)
        self.search.on_event(WorkspacesChanged(self.workspaces.active()))

    async def _move_endpoint(self, port: int) -> None:
        await self.endpoint.stop()
        await self.endpoint.start(port)
        await self._announce()

    def _acquire_instance(self) -> None:
        """On a full or read-only disk we do without the lock until it can be had."""
        try:
            self._instance.acquire()
        except Conflict:
            raise
        except ToolboothError as error:
            log.warning("Starting without the lock of the data directory: %s", error.message)

    async def _start_local_ipc(self) -> None:
        """On a full or read-only disk there can be no socket until there can."""
        try:
            await self._local_ipc.start()
        except OSError as error:
            log.warning("Commands from the terminal can't be taken yet: %s", error)
            self._shutdown.add("stop waiting for the socket", lambda: stop(waiting))
            waiting = spawn(self._start_local_ipc_later(), name="start local IPC")

    async def _start_local_ipc_later(self) -> None:
        while True:
            await asyncio.sleep(RETRY_S)
            with suppress(OSError):
                await self._local_ipc.start()
                return

    async def _announce(self) -> None:
        """Record where this instance can be reached."""

        def announce() -> None:
            self._instance.acquire()
            self._instance.update(url=self.endpoint.state().url)

        await asyncio.to_thread(self._deferred_writes.write, "instance", announce)
