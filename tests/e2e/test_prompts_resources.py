"""Prompts and resources of real servers, through the router to a real client."""

from __future__ import annotations

import asyncio

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import (
    PromptReference,
    ResourceTemplateReference,
    ResourceUpdatedNotification,
    TextContent,
    TextResourceContents,
)

from tests.support.router_process import RouterProcess, connected
from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.timeout(300)
MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


@MODES
async def test_prompts_of_a_server_are_listed_and_served(
    shared_router: RouterProcess, token: str, mode: str
) -> None:
    async with connected(shared_router.url, token, mode) as client:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert "everything__args-prompt" in names
        arguments = {"city": "Paris", "state": "Texas"}
        given = await client.get_prompt("everything__args-prompt", arguments)
        content = given.messages[0].content
        assert isinstance(content, TextContent)
        assert "Paris" in content.text


@MODES
async def test_resources_and_templates_are_listed_and_read(
    shared_router: RouterProcess, token: str, mode: str
) -> None:
    async with connected(shared_router.url, token, mode) as client:
        resources = (await client.list_resources()).resources
        assert resources
        read = await client.read_resource(str(resources[0].uri))
        assert read.contents
        templates = (await client.list_resource_templates()).resource_templates
        assert "demo://resource/dynamic/text/{resourceId}" in [t.uri_template for t in templates]
        [content] = (await client.read_resource("demo://resource/dynamic/text/3")).contents
        assert isinstance(content, TextResourceContents)
        assert "3" in content.text


@MODES
async def test_completion_reaches_the_server_of_a_prompt_or_template(
    shared_router: RouterProcess, token: str, mode: str
) -> None:
    async with connected(shared_router.url, token, mode) as client:
        prompt = PromptReference(type="ref/prompt", name="everything__completable-prompt")
        offered = await client.complete(prompt, {"name": "department", "value": "E"})
        assert "Engineering" in offered.completion.values
        uri = "demo://resource/dynamic/text/{resourceId}"
        template = ResourceTemplateReference(type="ref/resource", uri=uri)
        await client.complete(template, {"name": "resourceId", "value": "1"})


@MODES
async def test_an_unknown_prompt_or_resource_is_an_error(
    shared_router: RouterProcess, token: str, mode: str
) -> None:
    async with connected(shared_router.url, token, mode) as client:
        with pytest.raises(MCPError, match="Unknown prompt"):
            await client.get_prompt("everything__nothing")
        with pytest.raises(MCPError, match="not found"):
            await client.read_resource("nowhere://at/all")


@pytest.mark.proves("META-8")
@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
async def test_clients_of_both_eras_receive_the_updates_they_subscribed_to(
    shared_router: RouterProcess, token: str
) -> None:
    uri, received = "demo://resource/dynamic/text/3", asyncio.Event()

    async def note(message: object) -> None:
        if isinstance(message, ResourceUpdatedNotification) and str(message.params.uri) == uri:
            received.set()

    async with (
        connected(shared_router.url, token, "legacy", message_handler=note) as legacy,
        connected(shared_router.url, token, "auto") as modern,
        modern.listen(resource_subscriptions=[uri]) as changes,
    ):
        await legacy.subscribe_resource(uri)  # pyright: ignore[reportDeprecated]
        begin = {"toolKey": "everything:toggle-subscriber-updates"}
        await legacy.call_tool("tool_execute", begin)
        async with asyncio.timeout(WAIT_S):
            await received.wait()
            assert uri in repr(await anext(aiter(changes)))
