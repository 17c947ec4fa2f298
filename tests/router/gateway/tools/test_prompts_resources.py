"""Prompts, resources and completion are forwarded to the server they belong to."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from router.catalog.catalog import WorkspaceCatalog
from router.config.workspace import WorkspaceConfig
from router.discovery.vetting.preparation import prepare
from router.domain.activity import ActivityEntry
from router.domain.clients import Principal
from router.domain.errors import ToolboothError, UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.tool_lists import CachedListing, ServerListing
from router.gateway.client_request import ClientRequest
from router.gateway.tools.activity_recorder import ActivityRecorder
from router.gateway.tools.execution import Execution
from router.gateway.tools.permission_requests import PermissionRequests
from router.gateway.tools.prompts_resources import PromptsAndResources
from router.search.provider import Provider
from router.store.redaction import Redactor
from router.wire.mcp import MCPError
from tests.support.fake_tool_list_waits import FakeToolListWaits
from tests.support.fake_upstreams import FakeUpstreams

NOW = datetime(2026, 5, 1, tzinfo=UTC)
HOME, FILES = WorkspaceId("home"), ServerId("files")
EDITOR = Principal("Editor", None, HOME, None)


def forwarding_to(*errors: ToolboothError, **more: object) -> PromptsAndResources:
    """A workspace whose only server has one prompt, and answers requests with `errors` in turn,
    then with a result."""
    left = list(errors)

    def answer(ref: ServerRef, method: str, params: JsonObject) -> JsonObject:
        if left:
            raise left.pop(0)
        return {"messages": []}

    config = {"name": "Home", "mcpServers": {"Files": {"command": "files"}}, **more}
    catalog = WorkspaceCatalog(WorkspaceConfig.model_validate(config), Provider())
    listing = prepare(
        ServerListing(
            (),
            prompts=({"name": "hi"},),
            resources=({"uri": "file:///home/a", "name": "a"},),
            resource_templates=({"uriTemplate": "file:///{path}", "name": "any"},),
        )
    )
    config_hash = catalog.servers[FILES].config.config_hash
    catalog.set_listing(FILES, CachedListing(listing, config_hash, NOW))
    recorded: list[ActivityEntry] = []
    permission_requests = PermissionRequests(
        lambda _: None, lambda: NOW, lambda: 5.0, lambda: False, Redactor()
    )
    execution = Execution(
        {HOME: catalog},
        FakeUpstreams(answer),
        lambda: 5.0,
        permission_requests,
        Redactor(),
        FakeToolListWaits(),
        lambda ref, folder: False,
    )
    return PromptsAndResources(execution, ActivityRecorder(recorded.append, lambda: NOW))


@pytest.mark.parametrize("method", ["completion/complete", "prompts/get"])
@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (UpstreamAnsweredError(-32099, "No.", {"why": 1}), -32099, "No."),
        (ToolboothError("It is gone.", "Start it."), -32603, "It is gone. Start it."),
    ],
)
async def test_an_error_of_the_server_reaches_the_client(
    method: str, error: ToolboothError, code: int, message: str
) -> None:
    params: JsonObject = {
        "name": "files__hi",
        "ref": {"type": "ref/prompt", "name": "files__hi"},
    }
    request = ClientRequest.local(EDITOR, "1", params)
    with pytest.raises(MCPError) as raised:
        await forwarding_to(error).methods[method](request)
    assert (raised.value.code, raised.value.message) == (code, message)


async def test_a_prompt_whose_server_was_lost_is_read_again() -> None:
    lost = UpstreamFailed(Failure(FailureKind.EXITED, "code 1"), "It exited.")
    request = ClientRequest.local(EDITOR, "1", {"name": "files__hi"})
    assert await forwarding_to(lost).methods["prompts/get"](request) == {"messages": []}


@pytest.mark.proves("META-5")
async def test_a_prompt_that_needs_permission_is_refused_where_nobody_can_be_asked() -> None:
    prompts = forwarding_to(
        ToolboothError("reached"), rules=[{"permission": "ask", "prompt": "h*"}]
    )
    request = ClientRequest.local(EDITOR, "1", {"name": "files__hi"})
    assert (await prompts.methods["prompts/list"](request))["prompts"]
    with pytest.raises(MCPError, match="nobody is there"):
        await prompts.methods["prompts/get"](request)


@pytest.mark.proves("META-5")
async def test_a_denied_prompt_is_neither_listed_nor_served() -> None:
    prompts = forwarding_to(
        ToolboothError("reached"), rules=[{"permission": "deny", "prompt": "hi"}]
    )
    request = ClientRequest.local(EDITOR, "1", {"name": "files__hi"})
    assert (await prompts.methods["prompts/list"](request))["prompts"] == []
    with pytest.raises(MCPError, match="Unknown prompt"):
        await prompts.methods["prompts/get"](request)


ETC = {"resource": "file:///etc/*"}


@pytest.mark.proves("META-5")
@pytest.mark.parametrize("permission", ["deny", "ask"])
@pytest.mark.parametrize("method", ["resources/read", "completion/complete"])
@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "file:///ETC/passwd",
        "file:///home/../etc/passwd",
        "file:///%65tc/passwd",
        "toolbooth://files/file%3A%2F%2F%2Fetc%2Fpasswd",
        "toolbooth://files/file%3A%2F%2F%2Fhome%2F..%2Fetc%2Fpasswd",
        "toolbooth://files/%2Fetc%2Fpasswd",
    ],
)
async def test_an_address_the_server_never_listed_obeys_the_rules(
    permission: str, method: str, uri: str
) -> None:
    server = forwarding_to(ToolboothError("reached"), rules=[{"permission": permission, **ETC}])
    params: JsonObject = {"uri": uri, "ref": {"type": "ref/resource", "uri": uri}}
    with pytest.raises(MCPError) as raised:
        await server.methods[method](ClientRequest.local(EDITOR, "1", params))
    assert "reached" not in raised.value.message
    allowed = {"uri": "file:///home/b", "ref": {"type": "ref/resource", "uri": "file:///home/b"}}
    with pytest.raises(MCPError, match="reached"):
        await server.methods[method](ClientRequest.local(EDITOR, "1", allowed))


@pytest.mark.proves("META-5")
@pytest.mark.parametrize("permission", ["deny", "ask"])
async def test_completion_needs_the_permission_of_what_it_completes(permission: str) -> None:
    rules = [
        {"permission": permission, "prompt": "hi", "arguments": {"a": "*"}},
        {"permission": permission, "prompt": "hi"},
        {"permission": permission, "resource": "*"},
    ]
    server = forwarding_to(ToolboothError("reached"), rules=rules)
    prompt = {"ref": {"type": "ref/prompt", "name": "files__hi"}}
    template = {"ref": {"type": "ref/resource", "uri": "file:///{path}"}}
    for params in (prompt, template):
        with pytest.raises(MCPError) as raised:
            await server.methods["completion/complete"](ClientRequest.local(EDITOR, "1", params))
        assert "reached" not in raised.value.message
