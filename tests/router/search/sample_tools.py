"""Tools for the tests of search."""

from __future__ import annotations

import asyncio

from router.catalog.tool_definition import read_tool
from router.domain.ids import ServerId
from router.domain.search import SearchHit, SearchRequest, UsageSignal
from router.domain.tools import Tool
from router.domain.workspaces import Optimization
from router.search.provider import Provider


def tool(server: str, name: str, description: str = "", **parameters: str) -> Tool:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    wire = {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties},
    }
    return read_tool(ServerId(server), server.title(), wire)


TOOLS = [
    tool("github", "create_issue", "Open a new issue in a repository", title="Short summary"),
    tool("github", "list_pull_requests", "List pull requests of a repository"),
    tool("files", "read_text_file", "Read the contents of a file as text", path="Where it lies"),
    tool("files", "filesystem_info", "How much room is left on the disk"),
    tool("time", "get_current_time", "Get the current time in a time zone"),
    tool("日本", "天気予報", "東京の天気予報を取得する"),
]


def search(
    *queries: str,
    limit: int = 3,
    strategy: Optimization = Optimization.BM25,
    tools: list[Tool] | None = None,
    context: str = "",
    usage: tuple[UsageSignal, ...] = (),
) -> list[SearchHit]:
    """The hits a client would get, through the same code."""
    index = Provider().index(TOOLS if tools is None else tools)
    request = SearchRequest(queries, limit, strategy, context, usage)
    return list(asyncio.run(index.search(request)).hits)


def names(hits: list[SearchHit]) -> list[str]:
    return [hit.tool.key.tool for hit in hits]
