"""The tool methods over one workspace with one server, for the tests of the gateway."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from router.api.events import Event
from router.catalog.catalog import WorkspaceCatalog
from router.catalog.server_status import ServerStatuses
from router.config.settings import Settings
from router.config.workspace import WorkspaceConfig
from router.discovery.vetting.preparation import prepare
from router.domain.activity import ActivityEntry
from router.domain.clients import Principal
from router.domain.ids import ProjectId, ServerId, ServerRef, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.tool_lists import CachedListing, ServerListing
from router.gateway.client_request import ClientRequest
from router.gateway.tools.activity_recorder import ActivityRecorder
from router.gateway.tools.execution import Execution
from router.gateway.tools.permission_requests import PermissionRequests
from router.gateway.tools.tool_methods import ToolMethods
from router.scripts.limits import ScriptLimits
from router.scripts.runner import ScriptRunner
from router.search.provider import Provider
from router.store.redaction import Redactor
from tests.support.fake_search import FakeSearchFeedback
from tests.support.fake_tool_list_waits import FakeToolListWaits
from tests.support.fake_upstreams import FakeUpstreams

NOW = datetime(2026, 5, 1, tzinfo=UTC)
HOME, FILES = WorkspaceId("home"), ServerId("files")
READ: JsonObject = {
    "name": "read_file",
    "description": "Read a file",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
}
WRITE: JsonObject = {"name": "write_file", "description": "Write a file", "inputSchema": {}}
ODD_RESULT: JsonObject = {
    "content": [{"type": "text", "text": "hello", "annotations": None}],
    "structuredContent": {"value": None, "deep": {"list": [1, None]}},
    "_meta": {"vendor/key": 1},
    "unknownField": True,
}


Answer = Callable[[ServerRef, str, JsonObject], JsonObject]


def odd_answer(ref: ServerRef, method: str, params: JsonObject) -> JsonObject:
    return ODD_RESULT


class GatewayHarness:
    """The tool methods over one workspace with one server, and what they recorded."""

    def __init__(
        self,
        answer: Answer = odd_answer,
        *,
        tools: tuple[JsonObject, ...] = (READ, WRITE),
        ask_timeout_s: float = 5,
        **config: object,
    ) -> None:
        workspace = WorkspaceConfig.model_validate(
            {"name": "Home", "mcpServers": {"Files": {"command": "files"}}, **config}
        )
        catalog = WorkspaceCatalog(workspace, Provider())
        config_hash = catalog.servers[FILES].config.config_hash
        listing = CachedListing(prepare(ServerListing(tools)), config_hash, NOW - timedelta(days=3))
        catalog.set_listing(FILES, listing)
        self.catalog = catalog
        self.upstreams = FakeUpstreams(answer)
        self.feedback = FakeSearchFeedback()
        self.recorded: list[ActivityEntry] = []
        self.statuses = ServerStatuses({HOME: catalog}, lambda _: None)
        self.statuses.update(ServerRef(HOME, FILES), consented=True)
        self.events: list[Event] = []
        self.published = asyncio.Event()
        self.attended = False
        self.redactor = Redactor()
        self.permission_requests = PermissionRequests(
            self._publish, lambda: NOW, lambda: ask_timeout_s, lambda: self.attended, self.redactor
        )
        self.tool_list_waits = FakeToolListWaits()
        self.execution = Execution(
            {HOME: catalog},
            self.upstreams,
            lambda: 5.0,
            self.permission_requests,
            self.redactor,
            self.tool_list_waits,
            lambda ref, folder: False,
        )
        self.runner = ScriptRunner(ScriptLimits)
        self.offers_execute = False
        self.tool_methods = ToolMethods(
            self.execution,
            ActivityRecorder(self.recorded.append, lambda: NOW),
            self.statuses.status,
            self.feedback,
            self.runner,
            lambda: Settings(offer_execute=self.offers_execute),
        )

    def _publish(self, event: Event) -> None:
        self.events.append(event)
        self.published.set()

    def relist(self, **facts: Any) -> None:
        """Let the server list another definition."""
        cached = self.catalog.servers[FILES].cached
        assert cached is not None
        listing = replace(cached.listing, **facts)
        self.catalog.set_listing(FILES, replace(cached, listing=listing))

    def request(self, project: str | None = None, **params: Any) -> ClientRequest:
        principal = Principal("Editor", None, HOME, ProjectId(project) if project else None)
        return ClientRequest.local(principal, "1", params)

    async def call(self, name: str, arguments: JsonObject, **params: Any) -> JsonObject:
        request = self.request(name=name, arguments=arguments, **params)
        return await self.tool_methods.call_tool(request)

    async def discover(self, *queries: str, **more: Any) -> list[JsonObject]:
        answer = await self.call("tool_discovery", {"query": list(queries), **more})
        assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]
        return answer["structuredContent"]["results"]
