"""FastMCP as a proxy for all servers in a configuration file, in its fastest documented form.

    .venv-bench/bin/python fastmcp_proxy.py FILE PORT

Each server has one connected client that all calls share; `fastmcp run FILE` would reconnect for
every call. Runs in `.venv-bench`, where FastMCP is installed.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.server import create_proxy


async def serve(servers: Mapping[str, Any], port: int) -> None:
    proxy = FastMCP("FastMCP proxy")
    clients = {name: Client({"mcpServers": {name: server}}) for name, server in servers.items()}
    async with AsyncExitStack() as stack:
        await asyncio.gather(*map(stack.enter_async_context, clients.values()))
        for name, client in clients.items():
            proxy.mount(create_proxy(client), namespace=name)
        await proxy.run_async(
            "http", host="127.0.0.1", port=port, show_banner=False, log_level="error"
        )


if __name__ == "__main__":
    config = json.loads(Path(sys.argv[1]).read_text())
    asyncio.run(serve(config["mcpServers"], int(sys.argv[2])))
