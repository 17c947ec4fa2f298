"""What users see of a tool besides its definition: whether and since when it can be called."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from router.domain.ids import ServerRef, ToolKey
from router.domain.permissions import Permission
from router.domain.tool_lists import Approval
from router.domain.tools import DataSource, ToolView
from router.service import Router
from tests.support.listed_server import ListedServer
from tests.support.running_router import (
    PERSONAL,
    STDIO_SERVER,
    RunningRouter,
    running_router,
    stdio_config,
)

ECHO = "echo"


def view_of(router: Router, ref: ServerRef, name: str = ECHO) -> ToolView:
    return next(view for view in router.tools.list(ref) if view.key.tool == name)


@pytest.mark.proves("DISC-14")
async def test_a_tool_has_its_server_and_the_time_it_was_last_seen(tmp_path: Path) -> None:
    before = datetime.now(UTC)
    async with running_router(tmp_path) as first:
        ref = await first.add("Test")
        resting = view_of(first.router, ref)
        assert (resting.available, resting.source) == (True, DataSource.CACHED)
        await first.call("tool_execute", {"toolKey": str(resting.key)})
        running = view_of(first.router, ref)
        assert (running.available, running.source) == (True, DataSource.RUNTIME)
    seen = running.last_seen
    assert seen is not None
    assert before <= seen <= datetime.now(UTC)
    async with running_router(tmp_path) as second:
        known = view_of(second.router, ref)
        assert known.source is DataSource.CACHED
        assert known.last_seen is not None
        assert before <= known.last_seen <= datetime.now(UTC)


@pytest.mark.proves("DISC-14")
async def test_a_tool_has_its_permission(running: RunningRouter) -> None:
    ref = await running.add("Test")
    key = ToolKey(ref.server, ECHO)
    await running.router.permissions.set(PERSONAL, key, Permission.ASK)
    assert view_of(running.router, ref).permission is Permission.ASK


@pytest.mark.proves("DISC-14")
async def test_a_tool_is_not_available_while_its_server_may_not_run(running: RunningRouter) -> None:
    ref = await running.add("Test")
    await running.router.servers.set_enabled(ref, False)
    assert not view_of(running.router, ref).available
    await running.router.servers.set_enabled(ref, True)
    assert view_of(running.router, ref).available


@pytest.mark.proves("DISC-14", "U-2")
async def test_a_tool_that_needs_approval_is_not_available(
    running: RunningRouter, tmp_path: Path
) -> None:
    listed = ListedServer(tmp_path / "tools.json")
    listed.has({"name": "read"})
    ref = await running.add("Listed", listed.config)
    listed.has({"name": "read"}, {"name": "erase"})
    await running.router.discovery.refresh(PERSONAL, ref.server)
    views = {view.key.tool: view for view in running.router.tools.list(ref)}
    assert (views["erase"].available, views["erase"].approval) == (False, Approval.PENDING)
    assert views["read"].available


@pytest.mark.proves("DISC-14")
async def test_a_tool_is_not_available_while_its_server_fails_to_start(
    running: RunningRouter, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    shutil.copy(STDIO_SERVER, script)
    ref = await running.add("Test", stdio_config(script=script))
    assert view_of(running.router, ref).available
    script.write_text("raise SystemExit('out of order')")
    await running.call("tool_execute", {"toolKey": f"{ref.server}:{ECHO}"})
    assert not view_of(running.router, ref).available
