"""Projects in a running router: reading and restoring one, pinned tools."""

from __future__ import annotations

import pytest

from router.config.workspace import PermissionRule
from router.domain.errors import InvalidInput, NotFound
from router.domain.ids import ServerId, ToolKey
from router.domain.permissions import Permission
from router.domain.workspaces import Optimization
from tests.support.running_router import PERSONAL, RunningRouter

ECHO = ToolKey(ServerId("odd"), "echo")


@pytest.mark.proves("META-1")
async def test_pinned_tools_follow_the_two_meta_tools_and_can_be_called(
    running: RunningRouter,
) -> None:
    await running.add("Odd")
    running.token = (await running.router.tokens.issue("Editor", None, None)).secret
    projects = running.router.projects
    before = (await running.modern("tools/list", {}))["result"]
    config = projects.config(PERSONAL, None)
    await projects.put(PERSONAL, None, config.model_copy(update={"pinned": (str(ECHO),)}))
    after = (await running.modern("tools/list", {}))["result"]
    assert after["tools"][: len(before["tools"])] == before["tools"]
    assert [tool["name"] for tool in after["tools"]][2:] == ["odd__echo"]
    call = {"name": "odd__echo", "arguments": {"text": "hello"}}
    answer = await running.modern("tools/call", call)
    assert answer["result"]["structuredContent"] == {"text": "hello"}
    savings = running.router.activity.savings(PERSONAL)
    await projects.put(PERSONAL, None, config)
    assert running.router.activity.savings(PERSONAL).exposed_tokens < savings.exposed_tokens
    refused = await running.post_modern("tools/call", call)
    assert "Unknown tool" in refused.text


async def test_a_restored_project_is_unchanged(running: RunningRouter) -> None:
    await running.add("Odd")
    router = running.router
    project = await router.projects.create(PERSONAL, "Frontend", [ECHO.server])
    await router.permissions.set(PERSONAL, ECHO, Permission.ASK, project)
    rule = PermissionRule(permission=Permission.DENY, tool="write_*")
    await router.permissions.set_rules(PERSONAL, project, [rule])
    whole = router.projects.config(PERSONAL, project)
    assert router.projects.permissions(PERSONAL, project)[ECHO] is Permission.ASK
    await router.projects.remove(PERSONAL, project)
    with pytest.raises(NotFound):
        router.projects.config(PERSONAL, project)
    await router.projects.put(PERSONAL, project, whole)
    assert router.projects.config(PERSONAL, project) == whole
    assert [each.id for each in router.projects.list(PERSONAL)] == [None, project]


async def test_the_unassigned_project_has_the_workspace_options(running: RunningRouter) -> None:
    await running.add("Odd")
    router = running.router
    config = router.projects.config(PERSONAL, None)
    words = {str(ECHO): Permission.DENY}
    changes = {"name": "ignored", "optimization": None, "permissions": words}
    changed = config.model_copy(update=changes)
    await router.projects.put(PERSONAL, None, changed)
    assert router.projects.list(PERSONAL)[0].optimization is None
    assert router.projects.permissions(PERSONAL, None)[ECHO] is Permission.DENY
    assert router.workspaces.list()[0].name == "Personal"
    await router.projects.put(PERSONAL, None, config)
    assert router.projects.list(PERSONAL)[0].optimization is Optimization.HYBRID


async def test_a_project_without_a_name_is_refused(running: RunningRouter) -> None:
    project = await running.router.projects.create(PERSONAL, "Frontend", None)
    config = running.router.projects.config(PERSONAL, project)
    nameless = config.model_copy(update={"name": " "})
    with pytest.raises(InvalidInput, match="1 to 80 characters"):
        await running.router.projects.put(PERSONAL, project, nameless)


@pytest.mark.proves("META-6")
async def test_a_token_of_a_removed_project_or_workspace_is_not_valid_for_the_next_of_that_name(
    running: RunningRouter,
) -> None:
    router = running.router
    work = await router.workspaces.create("Work")
    project = await router.projects.create(work, "Frontend", None)
    bound = {
        "project": (await router.tokens.issue("A", work, project)).secret,
        "workspace": (await router.tokens.issue("B", work, None)).secret,
    }

    async def statuses() -> dict[str, int]:
        return {
            name: (await running.post_modern("tools/list", token=secret)).status_code
            for name, secret in bound.items()
        }

    assert await statuses() == {"project": 200, "workspace": 200}
    entry = router.projects.config(work, project)
    await router.projects.remove(work, project)
    await router.projects.put(work, project, entry)
    assert await statuses() == {"project": 200, "workspace": 200}, "the removal was undone"
    await router.projects.remove(work, project)
    assert await router.projects.create(work, "Frontend", None) == project
    assert await statuses() == {"project": 403, "workspace": 200}
    await router.workspaces.remove(work)
    await router.workspaces.restore(work)
    assert await statuses() == {"project": 403, "workspace": 200}
    await router.workspaces.remove(work)
    assert await router.workspaces.create("Work") == work
    await router.projects.create(work, "Frontend", None)
    assert await statuses() == {"project": 403, "workspace": 403}


@pytest.mark.proves("META-5", "META-6")
async def test_a_client_that_chooses_a_project_itself_escapes_no_rule_of_the_workspace(
    running: RunningRouter,
) -> None:
    """A token for the project has the project's permissions alone."""
    await running.add("Odd")
    router = running.router
    project = await router.projects.create(PERSONAL, "Loose", [ECHO.server])
    await router.permissions.set(PERSONAL, ECHO, Permission.DENY)
    await router.permissions.set(PERSONAL, ECHO, Permission.ALLOW, project)
    call = {"toolKey": str(ECHO), "arguments": {"text": "hello"}}

    async def text(secret: str, **headers: str) -> str:
        result = await running.call("tool_execute", call, token=secret, **headers)
        return result["content"][0]["text"]

    unscoped = (await router.tokens.issue("Any", None, None)).secret
    whole = (await router.tokens.issue("Whole", PERSONAL, None)).secret
    bound = (await router.tokens.issue("Bound", PERSONAL, project)).secret
    assert "hello" in await text(bound)
    for secret in (unscoped, whole):
        assert "There is no tool" in await text(secret, Toolbooth_Project=project)
    ask = PermissionRule(permission=Permission.ASK, arguments={"text": "h*"})
    await router.permissions.set(PERSONAL, ECHO, Permission.ALLOW)
    await router.permissions.set_rules(PERSONAL, None, [ask])
    for secret in (unscoped, whole):
        assert "nobody is there" in await text(secret, Toolbooth_Project=project)
    assert "hello" in await text(bound)
