"""A proxy made of the SDK alone, as server and as client: the baseline without own code.

python sdk_proxy.py CONFIG PORT   serves the tools of the servers in CONFIG as `server_tool`
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import mcp_types as types
import uvicorn
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings


def transport(config: dict[str, Any]) -> Any:
    if "url" in config:
        return config["url"]
    return StdioServerParameters(command=config["command"], args=config["args"])


async def main(servers: dict[str, Any], port: int) -> None:
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(Client(transport(server)))
            for name, server in servers.items()
        }
        tools = {
            f"{name}_{tool.name}": (client, tool)
            for name, client in clients.items()
            for tool in (await client.list_tools()).tools
        }

        async def list_tools(ctx: ServerRequestContext[Any, Any], params: Any) -> Any:
            listed = [t.model_copy(update={"name": name}) for name, (_, t) in tools.items()]
            return types.ListToolsResult(tools=listed)

        async def call_tool(ctx: ServerRequestContext[Any, Any], params: Any) -> Any:
            client, tool = tools[params.name]
            return await client.call_tool(tool.name, params.arguments)

        server = Server("sdk-proxy", on_list_tools=list_tools, on_call_tool=call_tool)
        hosts = TransportSecuritySettings(allowed_hosts=[f"127.0.0.1:{port}"])
        manager = StreamableHTTPSessionManager(server, security_settings=hosts)
        await stack.enter_async_context(manager.run())
        app = StreamableHTTPASGIApp(manager)
        options = uvicorn.Config(app, port=port, log_level="error", lifespan="off")
        await uvicorn.Server(options).serve()


if __name__ == "__main__":
    config = json.loads(Path(sys.argv[1]).read_text())
    asyncio.run(main(config["mcpServers"], int(sys.argv[2])))
