"""The servers of one workspace and their tools, and the views that projects have of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

from router.catalog.config_edits import project_entry
from router.catalog.listed_items import item_subject
from router.catalog.permission_policy import ALLOWED, Layer, Policy, Subject, policy_of
from router.catalog.saved_scripts import script_tool
from router.catalog.server_entry import ServerEntry, configured_servers
from router.catalog.view import FailureOf, View
from router.config.workspace import ProjectConfig, WorkspaceConfig
from router.domain.errors import NoServer
from router.domain.ids import ProjectId, ServerId
from router.domain.names import SCRIPTS
from router.domain.permissions import PermissionKind
from router.domain.scripts import SavedScript
from router.domain.search import SearchProvider
from router.domain.tool_lists import CachedListing, PendingApproval
from router.domain.tools import Tool

_ViewKey: TypeAlias = tuple[ProjectId | None, frozenset[ServerId] | None, bool]


class WorkspaceCatalog:
    """Changed only on the router's loop; read from any thread, so dicts are replaced, never
    resized."""

    def __init__(
        self,
        config: WorkspaceConfig,
        provider: SearchProvider,
        failure_of: FailureOf = lambda _: None,
    ) -> None:
        """`failure_of` returns why a server's tools could not be discovered."""
        self.config = config
        self._failure_of = failure_of
        self.servers: dict[ServerId, ServerEntry] = {}
        self.scripts: dict[str, SavedScript] = {}
        self._provider = provider
        self._views: dict[_ViewKey, View] = {}
        self._pending: dict[ServerId, tuple[ServerEntry, Mapping[str, PendingApproval]]] = {}
        self.configure(config)

    def configure(self, config: WorkspaceConfig) -> None:
        """Apply a changed configuration; lists of servers that stayed the same are kept."""
        servers: dict[ServerId, ServerEntry] = {}
        for server, (name, entry) in configured_servers(config).items():
            known = self.servers.get(server, ServerEntry(server, name, entry))
            servers[server] = known.reconfigured(name, entry)
        self.config, self.servers, self._views, self._pending = config, servers, {}, {}

    def set_listing(self, server: ServerId, cached: CachedListing | None) -> None:
        self._put(self.servers[server].with_listing(cached))

    def put(self, before: ServerEntry, after: ServerEntry) -> bool:
        """Replace `before` by `after`, unless `before` was replaced meanwhile; whether it was
        done."""
        if self.servers.get(before.id) is not before:
            return False
        self._put(after)
        return True

    def _put(self, entry: ServerEntry) -> None:
        self.servers = {**self.servers, entry.id: entry}
        self._views = {}

    def checked(self, server: ServerId, moment: datetime) -> None:
        """Discovery found the same list: only its age changes."""
        entry = self.servers[server]
        if entry.cached is not None:
            cached = replace(entry.cached, checked_at=moment)
            self.servers = {**self.servers, server: replace(entry, cached=cached)}

    def set_scripts(self, scripts: Iterable[SavedScript]) -> None:
        """Set the saved scripts, which are tools of a pseudo-server."""
        self.scripts = {script.name: script for script in scripts}
        self._views = {}

    def entry(self, server: ServerId) -> ServerEntry:
        if (entry := self.servers.get(server)) is None:
            raise NoServer(server, self.config.name)
        return entry

    def pending(self, entry: ServerEntry) -> Mapping[str, PendingApproval]:
        """What of a server the user has yet to approve or block. A tool that the
        workspace blocks is decided, and pending again once it is no longer blocked."""
        of, pending = self._pending.get(entry.id, (None, entry.unapproved))
        if of is not entry:  # Another configuration makes another entry.
            pending = self._undecided(entry)
            self._pending[entry.id] = entry, pending
        return pending

    def _undecided(self, entry: ServerEntry) -> Mapping[str, PendingApproval]:
        if not entry.unapproved or not self._layers(None):
            return entry.unapproved
        subjects = {
            **{item.name: item_subject(entry.id, item) for item in entry.held_items},
            **{tool.key.tool: _subject(tool) for tool in entry.tools},
        }
        layers = self._layers(None)
        return {
            name: pending
            for name, pending in entry.unapproved.items()
            if (subject := subjects[name]) is None or not policy_of(subject, layers).hidden
        }

    def policy(self, tool: Tool, project: ProjectId | None = None) -> Policy:
        layers = self._layers(project)
        return policy_of(_subject(tool), layers) if layers else ALLOWED

    def _layers(self, project: ProjectId | None) -> list[Layer]:
        """The permissions and rules in force in a project, by precedence; empty if there are
        none."""
        configs = [self.config] if project is None else [self.project(project), self.config]
        layers = [(config.permissions, config.rules) for config in configs]
        return [layer for layer in layers if any(layer)]

    def project(self, project: ProjectId) -> ProjectConfig:
        return project_entry(self.config, project)

    def view(
        self,
        project: ProjectId | None,
        only: frozenset[ServerId] | None = None,
        *,
        chosen: bool = False,
    ) -> View:
        """The view of a project, or with None of the whole workspace; `only` narrows it to some
        servers. For a client that has `chosen` the project itself, what the workspace asks for or
        denies outside any project holds too."""
        # The catalog may change meanwhile: then this view is not cached.
        views, key = self._views, (project, only, chosen)
        if (view := views.get(key)) is None:
            view = views[key] = self._build_view(project, only, chosen)
        return view

    def _build_view(
        self, project: ProjectId | None, only: frozenset[ServerId] | None, chosen: bool
    ) -> View:
        options = self.config if project is None else self.project(project)
        of_project = None if project is None else self.project(project).servers
        scopes = [scope for scope in (of_project, only) if scope is not None]

        def in_scope(server: ServerId) -> bool:
            return all(server in scope for scope in scopes)

        servers = [self.servers[server] for server in sorted(self.servers) if in_scope(server)]
        servers = [entry for entry in servers if not entry.config.disabled]
        tools = [tool for entry in servers for tool in entry.tools]
        if self.scripts and in_scope(SCRIPTS):
            tools += map(script_tool, self.scripts.values())
            tools.sort(key=lambda tool: tool.key)
        layers = self._layers(project)
        at_least = self._layers(None) if chosen else []
        restricted = tools if layers else ()
        policies = {
            tool.key: policy_of(_subject(tool), layers, at_least=at_least) for tool in restricted
        }
        hidden = {key for key, policy in policies.items() if policy.hidden}
        unapproved = {entry.id: entry.unapproved for entry in servers}
        return View(
            tools={
                tool.key: tool
                for tool in tools
                if tool.key not in hidden
                and tool.key.tool not in unapproved.get(tool.key.server, ())
            },
            servers=servers,
            policies=policies,
            layers=layers,
            at_least=at_least,
            optimization=options.optimization,
            exposure=options.exposure,
            offer_search=options.offer_search,
            pinned_keys=frozenset(options.pinned),
            # Decided by the configuration, not by the servers that happen to exist: names that
            # change with the next server would break clients.
            prefixed=of_project is None or len(of_project) != 1,
            provider=self._provider,
            failure_of=self._failure_of,
        )


def _subject(tool: Tool) -> Subject:
    return Subject(PermissionKind.TOOL, tool.key.server, tool.key.tool, tool.annotations)
