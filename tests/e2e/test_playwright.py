"""A server that must not be shared: each session has its own `@playwright/mcp`."""

from __future__ import annotations

from pathlib import Path

import pytest

from router.config.server import ServerConfig, Sharing
from tests.router.service.test_sessions import LEGACY, client_of, execute
from tests.support.router_process import NODE, NODE_SERVERS
from tests.support.running_router import PERSONAL, running_router

pytestmark = [pytest.mark.proof, pytest.mark.timeout(300)]
PLAYWRIGHT = NODE_SERVERS.parent / "@playwright" / "mcp" / "cli.js"


@pytest.mark.proves("PROG-9")
async def test_two_sessions_have_a_playwright_each(tmp_path: Path) -> None:
    """Whether a browser is installed does not matter here."""
    arguments = (str(PLAYWRIGHT), "--headless", "--isolated")
    config = ServerConfig(command=str(NODE), args=arguments, sharing=Sharing.PER_SESSION)
    async with running_router(tmp_path) as running:
        ref = await running.add("playwright", config)
        assert len(running.router.tools.list(ref)) >= 20
        async with client_of(running, LEGACY) as one, client_of(running, LEGACY) as two:
            for client in (one, two):
                await execute(client, "playwright:browser_close")
            await running.router.servers.measure()
            [status] = running.router.servers.list(PERSONAL)
    assert status.process is not None
    assert status.process.processes == 2
