"""A server made with the MCP Python SDK, over stdio. Like every such server it converts what a
client sends to the types it declares, and answers with what it got."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

server = MCPServer("converting")


class Options(BaseModel):
    force: bool | None = None
    paths: list[str] = []


@server.tool()
def change(options: Options | None = None, count: int = 0, everything: bool = False) -> str:
    """Change something."""
    asked = options or Options()
    return f"force={asked.force} paths={asked.paths} count={count} everything={everything}"


if __name__ == "__main__":
    server.run("stdio")
