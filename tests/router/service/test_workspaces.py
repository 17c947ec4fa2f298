"""Workspaces and projects of a running router: what each contains, and for whom."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from router.api.events import WorkspaceSwitched
from router.config.server import ServerConfig
from router.domain.errors import Conflict, InvalidInput, NotFound
from router.domain.ids import ProjectId, ServerRef, ToolKey
from router.domain.permissions import Permission
from router.domain.result import Ok
from router.domain.workspaces import Exposure
from tests.support.running_router import PERSONAL, RunningRouter, running_router, stdio_config


@pytest.mark.proves("META-4", "META-5")
async def test_projects_have_servers_permissions_and_options_of_their_own(
    running: RunningRouter,
) -> None:
    one, two = await running.add("One"), await running.add("Two")
    await running.add("Three")
    chosen = [one.server, two.server]
    project = await running.router.projects.create(PERSONAL, "Web site", chosen)
    await running.router.projects.set_options(
        PERSONAL, project, optimization=None, exposure=Exposure.SEARCH
    )
    await running.router.permissions.set(
        PERSONAL, ToolKey(one.server, "echo"), Permission.DENY, project
    )
    answer = await running.modern("tools/list", path="/w/personal/p/web_site")
    names = [tool["name"] for tool in answer["result"]["tools"]]
    assert {"one__raw", "two__echo"} <= set(names)
    assert "one__echo" not in names
    assert not any(name.startswith("three__") for name in names)


async def test_a_token_for_a_project_must_name_one_that_exists(running: RunningRouter) -> None:
    with pytest.raises(NotFound):
        await running.router.tokens.issue("X", PERSONAL, ProjectId("nobody"))
    with pytest.raises(InvalidInput):
        await running.router.tokens.issue("X", None, ProjectId("nobody"))


@pytest.mark.proves("CARD-4")
async def test_the_url_without_a_workspace_serves_the_active_one(running: RunningRouter) -> None:
    await running.add("Home")
    work = await running.router.workspaces.create("Work")
    await running.router.workspaces.switch(work)
    await running.trace.until(WorkspaceSwitched, lambda event: event.workspace == work)
    assert await _found(running, "") == []
    assert await _found(running, "/w/personal") == ["home:echo"]


async def test_without_the_active_workspace_the_first_one_is_served(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"schemaVersion": 1, "activeWorkspace": "gone"}')
    async with running_router(tmp_path) as running:
        assert running.router.workspaces.active() == PERSONAL
        assert (await running.modern("tools/list"))["result"]["tools"]


async def _found(running: RunningRouter, path: str) -> list[str]:
    arguments = {"query": ["echo"], "maxResults": 1}
    result = await running.call("tool_discovery", arguments, path=path)
    return [hit["toolKey"] for hit in result["structuredContent"]["results"]]


async def test_a_local_call_is_recorded_with_toolbooth_as_client(running: RunningRouter) -> None:
    ref = await running.add("Test")
    caller = running.router.projects.local_principal(PERSONAL, None)
    result = await running.router.tools.call(caller, ToolKey(ref.server, "echo"), {"a": 1})
    assert isinstance(result, Ok)
    assert running.router.activity.recent()[0].client == "Toolbooth"


async def test_a_restored_workspace_is_complete(running: RunningRouter) -> None:
    work = await running.router.workspaces.create("Work")
    config = ServerConfig(url="http://127.0.0.1:9/mcp")
    await running.router.servers.add(work, "Home", config, consent=True)
    await running.router.workspaces.remove(work)
    assert [w.id for w in running.router.workspaces.list()] == [PERSONAL]
    await running.router.workspaces.restore(work)
    assert [s.name for s in running.router.servers.list(work)] == ["Home"]
    with pytest.raises(Conflict):
        await running.router.workspaces.restore(work)


async def test_the_last_workspace_stays(running: RunningRouter) -> None:
    with pytest.raises(InvalidInput, match="last workspace"):
        await running.router.workspaces.remove(PERSONAL)


async def test_workspaces_and_projects_can_be_renamed_and_keep_their_ids(
    running: RunningRouter,
) -> None:
    await running.router.workspaces.rename(PERSONAL, "Mine")
    one = await running.add("One")
    project = await running.router.projects.create(PERSONAL, "Site", None)
    await running.router.projects.update(PERSONAL, project, "Web site", [one.server])
    assert [w.name for w in running.router.workspaces.list()] == ["Mine"]
    summary = running.router.projects.list(PERSONAL)[1]
    assert (summary.id, summary.name, summary.servers) == (project, "Web site", (one.server,))
    await running.router.projects.remove(PERSONAL, project)
    assert len(running.router.projects.list(PERSONAL)) == 1


async def test_trying_a_tool_returns_its_result_and_stderr_goes_to_the_log(
    running: RunningRouter,
) -> None:
    one = await running.add("One")
    result = await running.router.tools.try_out(
        PERSONAL, ToolKey(one.server, "echo"), {"text": "hi"}
    )
    assert "hi" in str(result)
    with pytest.raises(InvalidInput):
        await running.router.tools.try_out(PERSONAL, ToolKey(one.server, "nothing"), {})
    await running.router.tools.call(
        running.router.projects.local_principal(PERSONAL, None),
        ToolKey(one.server, "crash"),
        {"code": 1, "words": "out of paper"},
    )
    assert [line.text for line in running.router.servers.log(one)] == ["out of paper"]


async def test_a_server_added_again_has_no_log_lines_of_the_removed_one(
    running: RunningRouter,
) -> None:
    one = await running.add("One")
    await running.router.tools.call(
        running.router.projects.local_principal(PERSONAL, None),
        ToolKey(one.server, "crash"),
        {"code": 1, "words": "out of paper"},
    )
    assert running.router.servers.log(one)
    await running.router.servers.remove(one)
    assert await running.add("One") == one
    assert running.router.servers.log(one) == ()


async def test_servers_can_be_added_and_removed_at_the_same_time(tmp_path: Path) -> None:
    async with running_router(tmp_path) as running:
        servers = running.router.servers
        old = [await servers.add(PERSONAL, f"Old {n}", stdio_config(), consent=True) for n in "abc"]
        removals = [servers.remove(ServerRef(PERSONAL, server)) for server in old]
        additions = [servers.add(PERSONAL, f"New {n}", stdio_config(), consent=True) for n in "abc"]
        await asyncio.gather(*removals, *additions)
        assert {status.name for status in servers.list(PERSONAL)} == {"New a", "New b", "New c"}
