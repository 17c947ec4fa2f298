"""What a project may see of a workspace, computed once per change and shared by all requests.

It has the search index, the tool listing in wire form and the instructions: requests only look
things up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from router.catalog.instructions import instructions_of
from router.catalog.listed_items import item_subject
from router.catalog.lua_names import LuaNames
from router.catalog.permission_policy import ALLOWED, Layer, Policy, Subject, policy_of
from router.catalog.prompts_resources import (
    ExposedItem,
    exposed_prompts,
    exposed_resources,
    matches,
    resolve_uri,
)
from router.catalog.server_entry import ServerEntry
from router.catalog.text_forms import Located, nowhere
from router.domain.errors import InvalidInput, NotFound, UpstreamFailed
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS, SEPARATOR, exposed_names, folded, nearest
from router.domain.permissions import PermissionKind
from router.domain.search import SearchIndex, SearchProvider
from router.domain.tool_lists import Approval, ItemKind, ListedItem
from router.domain.tools import Tool
from router.domain.workspaces import Exposure, Optimization

_MAX_COMPARED = 500
FailureOf: TypeAlias = Callable[[ServerId], Failure | None]


@dataclass(frozen=True, eq=False)
class View:
    """What one project of a workspace may see and call."""

    tools: Mapping[ToolKey, Tool]
    servers: Sequence[ServerEntry]
    """In order of id."""
    policies: Mapping[ToolKey, Policy]
    """Of these tools and the hidden ones; empty if everything is allowed."""
    layers: Sequence[Layer]
    at_least: Sequence[Layer]
    """Those that hold too where they are stricter."""
    optimization: Optimization | None
    exposure: Exposure
    offer_search: bool
    """With progressive exposure: whether clients get `tool_discovery` too."""
    pinned_keys: frozenset[str]
    prefixed: bool
    """Whether exposed names begin with the server's id."""
    provider: SearchProvider
    failure_of: FailureOf

    def tool(self, key: ToolKey) -> Tool:
        """The tool. Raises `NotFound`, also for one that may not be used."""
        if (tool := self.tools.get(key)) is None:
            self.check_listed(key.server)
            self._check_approved(key)
            raise NotFound(f"There is no tool {key}.", self._suggestion(key))
        return tool

    def _suggestion(self, key: ToolKey) -> str:
        """The tool that was perhaps meant by `key`; else how to find one."""
        known = [str(each) for each in self.tools if each.server == key.server]
        if not known:
            known = [str(each) for each in self.keys_by_name.get(folded(key.tool), ())]
        if alike := nearest(str(key), known[:_MAX_COMPARED]):
            return alike
        return "Search for it with tool_discovery to get its toolKey." if self.searches else ""

    @cached_property
    def keys_by_name(self) -> Mapping[str, tuple[ToolKey, ...]]:
        """The tools by every name that agents give them, without case and separators."""
        found: dict[str, dict[ToolKey, None]] = {}
        for key, tool in self.tools.items():
            for name in (key.tool, tool.title):
                for written in (name, f"{key.server} {name}", f"{tool.server_name} {name}"):
                    found.setdefault(folded(written), {})[key] = None
        return {name: tuple(keys) for name, keys in found.items() if name}

    @property
    def searches(self) -> bool:
        """Whether clients get `tool_discovery` and `tool_execute`."""
        return self.optimization is not None and self.exposure is Exposure.SEARCH

    @cached_property
    def entries(self) -> Mapping[ServerId, ServerEntry]:
        return {entry.id: entry for entry in self.servers}

    @cached_property
    def lua(self) -> LuaNames:
        """The names by which scripts call these tools."""
        names = {entry.id: entry.name for entry in self.servers}
        if any(key.server == SCRIPTS for key in self.tools):
            names[SCRIPTS] = "Scripts"
        return LuaNames(names, self.tools.values())

    def check_listed(self, server: ServerId) -> None:
        """Raise `UpstreamFailed` for a server whose tools are not known yet."""
        entry = self.entries.get(server)
        if entry is not None and entry.cached is None:
            if (known := self.failure_of(server)) is not None:
                advice = advise(known, entry.name)
                raise UpstreamFailed(known, advice.cause, advice.suggestion, advice.terminal)
            failure = Failure(FailureKind.OTHER, entry.id, "its tools have not been discovered yet")
            raise UpstreamFailed(
                failure,
                f"The tools of {entry.name} have not been discovered yet.",
                "Try again in a moment.",
                f"Discover them with: toolbooth refresh {entry.id}",
            )

    def _check_approved(self, key: ToolKey) -> None:
        """For a tool or an item that needs approval, the error tells what the user has to do."""
        entry = self.entries.get(key.server)
        pending = entry.unapproved.get(key.tool) if entry is not None else None
        if pending is None or self.policy(key).hidden:
            return
        changed = pending.approval is Approval.CHANGED
        why = "has changed since the user approved it" if changed else "is new"
        raise InvalidInput(
            f"{key} {why} and waits for the user's approval.",
            "Only the user can approve it, in Toolbooth's window. Go on without it.",
            f"Look at it with: toolbooth pending. Approve it with: toolbooth approve {key}",
        )

    def policy(self, key: ToolKey) -> Policy:
        """The policy for a tool of this view."""
        return self.policies.get(key, ALLOWED)

    def policy_for(self, subject: Subject, located: Located = nowhere) -> Policy:
        """The policy for a prompt or a resource."""
        return policy_of(subject, self.layers, located, self.at_least)

    @cached_property
    def index(self) -> SearchIndex:
        return self.provider.index(tuple(self.tools.values()))

    @cached_property
    def exposed(self) -> dict[str, ToolKey]:
        """The names clients see when all tools are exposed, in order of name."""
        return exposed_names(self.tools, prefixed=self.prefixed)

    def server_of(self, exposed_name: str) -> ServerId | None:
        """The server that has the tool or prompt of this name, if any has."""
        if not self.prefixed and len(self.servers) == 1:
            return self.servers[0].id
        server, separator, _ = exposed_name.partition(SEPARATOR)
        return ServerId(server) if separator and server in self.entries else None

    @cached_property
    def pinned(self) -> dict[str, ToolKey]:
        """Of those names, the ones that are exposed beside the meta-tools."""
        names = self.exposed.items() if self.pinned_keys else ()
        return {name: key for name, key in names if str(key) in self.pinned_keys}

    @cached_property
    def direct_listing(self) -> JsonObject:
        wires = ((name, self.tools[key].wire) for name, key in self.exposed.items())
        return {"tools": [{**wire, "name": name} for name, wire in wires]}

    @cached_property
    def prompts(self) -> dict[str, ExposedItem]:
        listed = ((s.id, prompt) for s in self.servers for prompt in s.visible.prompts)
        return self._visible(PermissionKind.PROMPT, exposed_prompts(listed, prefixed=self.prefixed))

    @cached_property
    def resources(self) -> dict[str, ExposedItem]:
        listed = ((s.id, each) for s in self.servers for each in s.visible.resources)
        return self._visible(PermissionKind.RESOURCE, exposed_resources(listed, "uri"))

    @cached_property
    def templates(self) -> dict[str, ExposedItem]:
        listed = ((s.id, each) for s in self.servers for each in s.visible.resource_templates)
        return self._visible(PermissionKind.RESOURCE, exposed_resources(listed, "uriTemplate"))

    def _visible(
        self, kind: PermissionKind, items: dict[str, ExposedItem]
    ) -> dict[str, ExposedItem]:
        return {
            name: item
            for name, item in items.items()
            if not self.policy_for(Subject(kind, item.server, item.original)).hidden
        }

    def find_resource(self, uri: str) -> tuple[ServerId, str] | None:
        """The server a URI belongs to and its URI there; None if no single server has it. Raises
        `InvalidInput` for one that needs approval."""
        found = resolve_uri(uri, self.resources, self.templates)
        for server, original in [found] if found else [(entry.id, uri) for entry in self.servers]:
            if (held := _held_resource(self.entries[server], original)) is not None:
                self._check_item(server, held)
                return None
        return found

    def check_prompt(self, exposed_name: str) -> None:
        """Raise `InvalidInput` for a prompt that needs approval."""
        held = {
            ToolKey(entry.id, item.original): item
            for entry in self.servers
            for item in entry.held_items
            if item.kind is ItemKind.PROMPT
        }
        key = exposed_names(held, prefixed=self.prefixed).get(exposed_name)
        if key is not None:
            self._check_item(key.server, held[key])

    def _check_item(self, server: ServerId, held: ListedItem) -> None:
        """A blocked item is refused without a word about approval."""
        subject = item_subject(server, held)
        if subject is None or not self.policy_for(subject).hidden:
            self._check_approved(ToolKey(server, held.name))

    @cached_property
    def full_tokens(self) -> int:
        """What a listing of every tool would cost, in tokens."""
        return sum(tool.context_tokens for tool in self.tools.values())

    @cached_property
    def instructions(self) -> str:
        """At most 2 KB, one line per server, the same bytes for the same servers."""
        servers = [(s.id, s.visible.server_info if s.cached else None) for s in self.servers]
        exposure = None if self.optimization is None else self.exposure
        return instructions_of(exposure, servers, self.tools, offer_search=self.offer_search)


def _held_resource(entry: ServerEntry, uri: str) -> ListedItem | None:
    """The resource that needs approval and has this URI; or the template, if the URI is of no
    approved resource and matches no approved template. So no template opens a changed resource."""
    if not entry.unapproved:
        return None
    held = {(item.kind, item.original): item for item in entry.held_items}
    if (resource := held.get((ItemKind.RESOURCE, uri))) is not None:
        return resource
    listing = entry.visible
    if any(each.get("uri") == uri for each in listing.resources) or any(
        matches(str(each.get("uriTemplate")), uri) for each in listing.resource_templates
    ):
        return None
    templates = (item for (kind, _), item in held.items() if kind is ItemKind.RESOURCE_TEMPLATE)
    return next((item for item in templates if matches(item.original, uri)), None)
