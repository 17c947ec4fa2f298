"""The names by which scripts call the servers and tools of a view.

A server's Lua name is its id, except for a few reserved words; a tool's is its own name, changed
into a Lua identifier. The original name works as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from router.domain.errors import NotFound
from router.domain.ids import ServerId, ToolKey
from router.domain.names import LUA_GLOBALS, lua_identifier, lua_identifiers, nearest
from router.domain.tools import Tool


class LuaNames:
    """`servers` are ids with their configured names."""

    def __init__(self, servers: Mapping[ServerId, str], tools: Iterable[Tool]) -> None:
        self._names = servers
        self._tools: dict[ServerId, dict[str, Tool]] = {}
        for tool in tools:
            self._tools.setdefault(tool.key.server, {})[tool.key.tool] = tool
        self._by_identifier: dict[ServerId, dict[str, Tool]] = {}

    @cached_property
    def servers(self) -> dict[str, ServerId]:
        """The servers by identifier, in order of id."""
        return {lua_identifier(server, LUA_GLOBALS): server for server in sorted(self._names)}

    def server(self, text: str) -> ServerId:
        """The server with this Lua identifier, id or configured name."""
        if (server := self.servers.get(text)) is not None:
            return server
        for server, name in self._names.items():
            if text in (server, name):
                return server
        raise NotFound(f'There is no server "{text}".', self.known_servers(text))

    def known_servers(self, text: str) -> str:
        """The servers there are, beginning with those that `text` may have meant."""
        known = ", ".join(self.servers) or "none"
        return f"{nearest(text, self.servers)} There are: {known}.".strip()

    def tools(self, server: ServerId) -> dict[str, Tool]:
        """A server's tools by identifier, in order of name."""
        if server not in self._by_identifier:
            own = self._tools.get(server, {})
            identifiers = lua_identifiers(own).items()
            self._by_identifier[server] = {each: own[name] for each, name in identifiers}
        return self._by_identifier[server]

    def tool(self, server: str, tool: str) -> Tool:
        """The tool with this Lua identifier or original name."""
        found = self.server(server)
        for own in (self.tools(found), self._tools.get(found, {})):
            if tool in own:
                return own[tool]
        raise NotFound(
            f'{self._names[found]} has no tool "{tool}".', nearest(tool, self.tools(found))
        )

    def qualified_name(self, key: ToolKey) -> str:
        """How a script calls a tool: `files.read_file`."""
        own = self.tools(key.server).items()
        identifier = next(identifier for identifier, tool in own if tool.key == key)
        return f"{lua_identifier(key.server, LUA_GLOBALS)}.{identifier}"
