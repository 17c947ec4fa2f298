"""The tools of one workspace, and the view a caller has of them.

A `View` is what one project may see, computed once per change and shared by all requests: search
index, listing in wire form, instructions. Requests only look things up in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from router.advice import advise
from router.catalog.instructions import instructions_of
from router.catalog.lua_names import LuaNames
from router.catalog.offers import Offer, address_offers, find_address, pairs, prompt_offers
from router.catalog.policies import ALLOWED, Layer, Policy, Subject, policy_of
from router.catalog.reading import described
from router.catalog.saved_scripts import script_tool
from router.errors import InvalidInput, NotFound, UpstreamFailed
from router.lists import Approval, Held, PreparedListing, PreparedTool
from router.model import (
    Exposure,
    Failure,
    FailureKind,
    JsonObject,
    Optimization,
    ProjectId,
    ServerId,
    Tool,
    ToolKey,
    ToolView,
)
from router.names import SCRIPTS, assign_server_ids, exposed_names
from router.permissions import Kind
from router.ports import CachedListing
from router.saved import SavedScript
from router.searching import SearchIndex, SearchProvider
from router.settings import ProjectConfig, ServerConfig, WorkspaceConfig

TroubleOf: TypeAlias = Callable[[ServerId], Failure | None]


def _no_trouble(_: ServerId) -> None:
    """Nobody watches the servers."""


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """A configured server with its tools, as far as they are known."""

    id: ServerId
    name: str
    config: ServerConfig
    cached: CachedListing | None = None
    tools: tuple[Tool, ...] = ()
    """In order of name."""
    suspicious_count: int = 0
    held: Mapping[str, Held] = field(default_factory=dict[str, Held])
    """Tools that wait for a person, by name: in no view, and not to be called."""

    @property
    def listing(self) -> PreparedListing:
        """What the server offers, as far as that is known."""
        return self.cached.listing if self.cached else PreparedListing()

    @property
    def listed_at(self) -> datetime | None:
        """When the server last said that these are its tools."""
        return self.cached.seen_at if self.cached else None

    def with_listing(
        self, cached: CachedListing | None, held: Mapping[str, Held] | None = None
    ) -> ServerEntry:
        """Takes a while for thousands of tools: on a thread, where others wait."""
        prepared = cached.listing.tools if cached else ()
        tools = tuple(self._tool(each) for each in prepared)
        return replace(
            self,
            cached=cached,
            tools=tools,
            suspicious_count=sum(bool(tool.findings) for tool in tools),
            held=held or {},
        )

    def views(self) -> tuple[ToolView, ...]:
        """The same for people, before permissions and the server's state are looked at."""
        return tuple(described(tool, _approval(tool, self.held)) for tool in self.tools)

    def _tool(self, prepared: PreparedTool) -> Tool:
        return Tool(
            ToolKey(self.id, prepared.name),
            self.name,
            prepared.shown,
            prepared.signature,
            prepared.context_tokens,
            prepared.pin,
            prepared.findings,
        )

    def reconfigured(self, name: str, config: ServerConfig) -> ServerEntry:
        """This entry under a changed configuration; its list stays if it can still be the same."""
        if config.config_hash != self.config.config_hash:
            return ServerEntry(self.id, name, config)
        renamed = replace(self, name=name, config=config)
        return renamed if name == self.name else renamed.with_listing(self.cached, self.held)


class View:
    """What one project of a workspace may see and call. Immutable but for what it computes once."""

    def __init__(
        self,
        tools: Iterable[Tool],
        policies: Mapping[ToolKey, Policy],
        layers: Sequence[Layer],
        servers: Iterable[ServerEntry],
        optimization: Optimization | None,
        exposure: Exposure,
        provider: SearchProvider,
        prefixed: bool = True,
        trouble_of: TroubleOf = _no_trouble,
        pinned: Sequence[str] = (),
    ) -> None:
        """With `prefixed` names begin with their server's id; `pinned` are keys of tools."""
        self.tools = {tool.key: tool for tool in tools}
        self._policies = policies
        self._layers = layers
        self.optimization = optimization
        self.exposure = exposure
        self.servers = sorted(servers, key=lambda entry: entry.id)
        self._provider = provider
        self._prefixed = prefixed
        self._trouble_of = trouble_of
        self._pinned = frozenset(pinned)

    def tool(self, key: ToolKey) -> Tool:
        """The tool, or `NotFound`: one that may not be used does not exist for the caller."""
        if (tool := self.tools.get(key)) is None:
            self.check_listed(key.server)
            self._check_approved(key)
            raise NotFound(
                f"There is no tool {key}.", "Search for it with tool_discovery to get its toolKey."
            )
        return tool

    @cached_property
    def lua(self) -> LuaNames:
        """The names by which scripts call these tools."""
        names = {entry.id: entry.name for entry in self.servers}
        if any(key.server == SCRIPTS for key in self.tools):
            names[SCRIPTS] = "Scripts"
        return LuaNames(names, self.tools.values())

    def check_listed(self, server: ServerId) -> None:
        entry = next((entry for entry in self.servers if entry.id == server), None)
        if entry is not None and entry.cached is None:
            if (trouble := self._trouble_of(server)) is not None:
                advice = advise(trouble, entry.name)
                raise UpstreamFailed(trouble, advice.cause, advice.suggestion)
            failure = Failure(FailureKind.OTHER, entry.id, "its tools are not known yet")
            raise UpstreamFailed(
                failure,
                f"The tools of {entry.name} are not known yet.",
                f"Try again in a moment, or have them listed with: toolbooth refresh {entry.id}",
            )

    def _check_approved(self, key: ToolKey) -> None:
        """Who knows a tool that waits is told what the person has to do."""
        entry = next((entry for entry in self.servers if entry.id == key.server), None)
        held = entry.held.get(key.tool) if entry is not None else None
        if held is None or self.policy(key).hidden:
            return
        changed = held.approval is Approval.CHANGED
        why = "has changed since the user approved it" if changed else "is new"
        raise InvalidInput(
            f"{key} {why} and waits for the user's approval.",
            f"The user can look at it in Toolbooth's window, or with: toolbooth pending; "
            f"and approve it there or with: toolbooth approve {key}",
        )

    def policy(self, key: ToolKey) -> Policy:
        """What holds for a tool of this view."""
        return self._policies.get(key, ALLOWED)

    def policy_for(self, subject: Subject) -> Policy:
        """What holds for a prompt or a resource."""
        return policy_of(subject, self._layers)

    @cached_property
    def index(self) -> SearchIndex:
        return self._provider.index(tuple(self.tools.values()))

    @cached_property
    def exposed(self) -> dict[str, ToolKey]:
        """The names clients see when all tools are exposed, in order of name."""
        return exposed_names(self.tools, prefixed=self._prefixed)

    @cached_property
    def pinned(self) -> dict[str, ToolKey]:
        """Of those names, the ones that stand beside the tools by which others are found."""
        names = self.exposed.items() if self._pinned else ()
        return {name: key for name, key in names if str(key) in self._pinned}

    @cached_property
    def direct_listing(self) -> JsonObject:
        wires = ((name, self.tools[key].wire) for name, key in self.exposed.items())
        return {"tools": [{**wire, "name": name} for name, wire in wires]}

    @cached_property
    def prompts(self) -> dict[str, Offer]:
        offered = pairs((s.id, s.listing.prompts) for s in self.servers)
        return self._shown(Kind.PROMPT, prompt_offers(offered, prefixed=self._prefixed))

    @cached_property
    def resources(self) -> dict[str, Offer]:
        offered = pairs((s.id, s.listing.resources) for s in self.servers)
        return self._shown(Kind.RESOURCE, address_offers(offered, "uri"))

    @cached_property
    def templates(self) -> dict[str, Offer]:
        offered = pairs((s.id, s.listing.resource_templates) for s in self.servers)
        return self._shown(Kind.RESOURCE, address_offers(offered, "uriTemplate"))

    def _shown(self, kind: Kind, offers: dict[str, Offer]) -> dict[str, Offer]:
        return {
            name: offer
            for name, offer in offers.items()
            if not self.policy_for(Subject(kind, offer.server, offer.original)).hidden
        }

    def find_resource(self, address: str) -> tuple[ServerId, str] | None:
        """The server an address leads to and the address there; None if it leads nowhere."""
        return find_address(address, self.resources, self.templates)

    @cached_property
    def full_tokens(self) -> int:
        """What listing every tool would cost a client."""
        return sum(tool.context_tokens for tool in self.tools.values())

    @cached_property
    def instructions(self) -> str:
        """A map of at most 2 KB, one line per server, the same bytes for the same servers."""
        servers = [(s.id, s.listing.server_info) for s in self.servers]
        return instructions_of(self.exposure, servers, self.tools)


class WorkspaceCatalog:
    """The servers of a workspace and their tools; hands out views.

    Changed only on the router's loop; read from any thread, so dicts are replaced, never resized.
    """

    def __init__(
        self,
        config: WorkspaceConfig,
        provider: SearchProvider,
        trouble_of: TroubleOf = _no_trouble,
    ) -> None:
        """`trouble_of` tells why a server could not say what its tools are."""
        self.config = config
        self._trouble_of = trouble_of
        self.servers: dict[ServerId, ServerEntry] = {}
        self.scripts: dict[str, SavedScript] = {}
        self._provider = provider
        self._views: dict[tuple[ProjectId | None, frozenset[ServerId] | None], View] = {}
        self.configure(config)

    def configure(self, config: WorkspaceConfig) -> None:
        """Take over a changed configuration; lists of servers that stayed the same are kept."""
        servers: dict[ServerId, ServerEntry] = {}
        for server, (name, entry) in configured_servers(config).items():
            known = self.servers.get(server, ServerEntry(server, name, entry))
            servers[server] = known.reconfigured(name, entry)
        self.config, self.servers, self._views = config, servers, {}

    def set_listing(self, server: ServerId, cached: CachedListing | None) -> None:
        self._put(self.servers[server].with_listing(cached))

    def put(self, before: ServerEntry, after: ServerEntry) -> bool:
        """Take over an entry that was made of `before` elsewhere, unless there is another one by
        now; says whether it did."""
        if self.servers.get(before.id) is not before:
            return False
        self._put(after)
        return True

    def _put(self, entry: ServerEntry) -> None:
        self.servers = {**self.servers, entry.id: entry}
        self._views = {}

    def checked(self, server: ServerId, moment: datetime) -> None:
        """The server said again what is known: only the age of its list changes."""
        entry = self.servers[server]
        if entry.cached is not None:
            cached = replace(entry.cached, checked_at=moment)
            self.servers = {**self.servers, server: replace(entry, cached=cached)}

    def set_scripts(self, scripts: Iterable[SavedScript]) -> None:
        """Take over the scripts that people keep: tools of a server that is none."""
        self.scripts = {script.name: script for script in scripts}
        self._views = {}

    def entry(self, server: ServerId) -> ServerEntry:
        if (entry := self.servers.get(server)) is None:
            raise NotFound(
                f'There is no server "{server}" in workspace {self.config.name}.',
                "List the servers with: toolbooth list",
            )
        return entry

    def policy(self, tool: Tool, project: ProjectId | None = None) -> Policy:
        return policy_of(_subject(tool), self._layers(project))

    def _layers(self, project: ProjectId | None) -> list[Layer]:
        """The words and rules that hold in a project, those that go first in front."""
        places = [self.config] if project is None else [self.project(project), self.config]
        return [(place.permissions, place.rules) for place in places]

    def project(self, project: ProjectId) -> ProjectConfig:
        if (config := self.config.projects.get(project)) is None:
            raise NotFound(
                f'There is no project "{project}" in workspace {self.config.name}.',
                "List the projects with: toolbooth project list",
            )
        return config

    def view(self, project: ProjectId | None, only: frozenset[ServerId] | None = None) -> View:
        """The view of a project, or with None of the whole workspace; `only` narrows it to some
        servers."""
        if (view := self._views.get((project, only))) is None:
            view = self._views[project, only] = self._build_view(project, only)
        return view

    def _build_view(self, project: ProjectId | None, only: frozenset[ServerId] | None) -> View:
        options = self.config if project is None else self.project(project)
        visible = [entry for entry in self.servers.values() if self._visible(entry, project)]
        chosen = [entry for entry in visible if only is None or entry.id in only]
        servers = sorted(chosen, key=lambda entry: entry.id)
        tools = [tool for entry in servers for tool in entry.tools]
        if scripts := self._script_tools(project, only):
            tools = sorted([*tools, *scripts], key=lambda tool: tool.key)
        layers = self._layers(project)
        policies = {tool.key: policy_of(_subject(tool), layers) for tool in tools}
        held = {entry.id: entry.held for entry in servers}
        shown = [
            tool
            for tool in tools
            if not policies[tool.key].hidden and tool.key.tool not in held.get(tool.key.server, ())
        ]
        return View(
            tools=shown,
            policies=policies,
            layers=layers,
            servers=servers,
            optimization=options.optimization,
            exposure=options.exposure,
            provider=self._provider,
            prefixed=not self._is_of_one_server(project),
            trouble_of=self._trouble_of,
            pinned=options.pinned,
        )

    def _is_of_one_server(self, project: ProjectId | None) -> bool:
        """Decided by what a person chose, not by which servers happen to be there: names that
        change with the next server would break what clients have learnt."""
        chosen = None if project is None else self.project(project).servers
        return chosen is not None and len(chosen) == 1

    def _script_tools(
        self, project: ProjectId | None, only: frozenset[ServerId] | None
    ) -> list[Tool]:
        """The scripts, if they are inside the boundary: a server like any other there."""
        allowed = None if project is None else self.project(project).servers
        if any(chosen is not None and SCRIPTS not in chosen for chosen in (allowed, only)):
            return []
        return [script_tool(script) for script in self.scripts.values()]

    def _visible(self, entry: ServerEntry, project: ProjectId | None) -> bool:
        allowed = None if project is None else self.project(project).servers
        return not entry.config.disabled and (allowed is None or entry.id in allowed)


def configured_servers(config: WorkspaceConfig) -> dict[ServerId, tuple[str, ServerConfig]]:
    """The servers of a configuration by id, with the name a person gave each."""
    ids = assign_server_ids(config.mcp_servers)
    return {ids[name]: (name, server) for name, server in config.mcp_servers.items()}


def _subject(tool: Tool) -> Subject:
    return Subject(Kind.TOOL, tool.key.server, tool.key.tool, tool.annotations)


def _approval(tool: Tool, held: Mapping[str, Held]) -> Approval:
    waiting = held.get(tool.key.tool)
    return waiting.approval if waiting else Approval.APPROVED
