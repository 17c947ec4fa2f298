"""A configured server with its tools, as far as they are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from router.catalog.tool_definition import described
from router.config.server import ServerConfig
from router.config.workspace import WorkspaceConfig
from router.domain.ids import ServerId, ToolKey
from router.domain.names import assign_server_ids
from router.domain.tool_lists import Approval, CachedListing, Held, PreparedListing, PreparedTool
from router.domain.tools import Tool, ToolView


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


def configured_servers(config: WorkspaceConfig) -> dict[ServerId, tuple[str, ServerConfig]]:
    """The servers of a configuration by id, with the name a person gave each."""
    ids = assign_server_ids(config.mcp_servers)
    return {ids[name]: (name, server) for name, server in config.mcp_servers.items()}


def _approval(tool: Tool, held: Mapping[str, Held]) -> Approval:
    waiting = held.get(tool.key.tool)
    return waiting.approval if waiting else Approval.APPROVED
