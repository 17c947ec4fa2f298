"""A configured server with its tools, as far as they are known."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from router.catalog.listed_items import listed_items, without
from router.catalog.tool_definition import tool_view
from router.config.server import ServerConfig
from router.config.workspace import WorkspaceConfig
from router.domain.ids import ServerId, ToolKey
from router.domain.names import assign_server_ids
from router.domain.tool_lists import (
    Approval,
    CachedListing,
    ListedItem,
    PendingApproval,
    PreparedListing,
    PreparedTool,
)
from router.domain.tools import Tool, ToolView

_NOTHING = PreparedListing()


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """A configured server with its tools, as far as they are known."""

    id: ServerId
    name: str
    config: ServerConfig
    cached: CachedListing | None = None
    tools: tuple[Tool, ...] = ()
    """In order of name."""
    items: tuple[ListedItem, ...] = ()
    """What it lists besides its tools."""
    visible: PreparedListing = _NOTHING
    """What it lists, without the items that need approval."""
    suspicious_count: int = 0
    unapproved: Mapping[str, PendingApproval] = field(default_factory=dict[str, PendingApproval])
    """Tools and items that need approval, by name: in no view, and requests for them are
    refused."""
    dismissed: Collection[str] = ()
    """Tools whose findings the user has seen and dismissed, by name: they are not shown."""

    @property
    def listing(self) -> PreparedListing:
        """What the server listed, as far as that is known."""
        return self.cached.listing if self.cached else _NOTHING

    @property
    def unapproved_tools(self) -> Collection[str]:
        return [tool.key.tool for tool in self.tools if tool.key.tool in self.unapproved]

    @property
    def held_items(self) -> Collection[ListedItem]:
        """The items that need approval."""
        return [item for item in self.items if item.name in self.unapproved]

    @property
    def listed_at(self) -> datetime | None:
        """When discovery last confirmed these tools."""
        return self.cached.seen_at if self.cached else None

    def with_listing(
        self,
        cached: CachedListing | None,
        unapproved: Mapping[str, PendingApproval] | None = None,
        dismissed: Collection[str] = (),
    ) -> ServerEntry:
        """Takes a while for thousands of tools: call it in a thread."""
        listing = cached.listing if cached else _NOTHING
        tools = tuple(
            self._tool(replace(each, findings=()) if each.name in dismissed else each)
            for each in listing.tools
        )
        return replace(
            self,
            cached=cached,
            tools=tools,
            items=listed_items(listing),
            visible=without(listing, unapproved) if unapproved else listing,
            suspicious_count=sum(bool(tool.findings) for tool in tools),
            unapproved=unapproved or {},
            dismissed=dismissed,
        )

    def views(self) -> tuple[ToolView, ...]:
        """The tools for display, before permissions and the server's state are applied."""
        return tuple(tool_view(tool, _approval(tool, self.unapproved)) for tool in self.tools)

    def _tool(self, prepared: PreparedTool) -> Tool:
        return Tool(
            ToolKey(self.id, prepared.name),
            self.name,
            prepared.shown,
            prepared.signature,
            prepared.context_tokens,
            prepared.definition_hash,
            prepared.findings,
        )

    def reconfigured(self, name: str, config: ServerConfig) -> ServerEntry:
        """This entry with a changed configuration; its list stays valid unless the hash changes."""
        if name == self.name and config is self.config:
            return self
        if config.config_hash != self.config.config_hash:
            return ServerEntry(self.id, name, config)
        renamed = replace(self, name=name, config=config)
        if name == self.name:
            return renamed
        return renamed.with_listing(self.cached, self.unapproved, self.dismissed)


def configured_servers(config: WorkspaceConfig) -> dict[ServerId, tuple[str, ServerConfig]]:
    """The servers of a configuration by id, each with its configured name."""
    ids = assign_server_ids(config.mcp_servers)
    return {ids[name]: (name, server) for name, server in config.mcp_servers.items()}


def _approval(tool: Tool, unapproved: Mapping[str, PendingApproval]) -> Approval:
    pending = unapproved.get(tool.key.tool)
    return pending.approval if pending else Approval.APPROVED
