"""The official conformance suite against us: as a server for clients, as a client of servers."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from router.settings import ServerConfig
from tests.conformance import REVISIONS, failing, required, run, table
from tests.running import PERSONAL, Running, running_router
from tests.servers.conformance_server import conformance_app
from tests.servers.http_server import serving

pytestmark = [pytest.mark.proof, pytest.mark.timeout(600)]
_AT_ONCE = 2


async def offer(running: Running, url: str) -> str:
    """Where clients see the server at `url` as if they had connected to it directly."""
    router = running.router
    await router.apply_settings(router.settings().model_copy(update={"open_endpoint": True}))
    ref = await running.add("conformance", ServerConfig(url=f"{url}/mcp"))
    project = await router.create_project(PERSONAL, "Conformance", [ref.server])
    exposure = router.projects(PERSONAL)[0].exposure
    await router.set_project_options(PERSONAL, project, optimization=None, exposure=exposure)
    return f"{running.url}/w/{PERSONAL}/p/{project}"


@pytest.mark.proves("META-4", "META-8")
@pytest.mark.parametrize("revision", REVISIONS)
async def test_clients_get_what_the_server_behind_us_offers(revision: str, tmp_path: Path) -> None:
    modern = revision == REVISIONS[-1]
    scenarios = required(revision, "server")
    loop = asyncio.get_running_loop()
    with serving(conformance_app(modern_only=modern)) as url, ThreadPoolExecutor(_AT_ONCE) as pool:
        async with running_router(tmp_path / "data") as running:
            address = await offer(running, url)
            verdicts = await asyncio.gather(
                *(
                    loop.run_in_executor(
                        pool,
                        lambda scenario=scenario: run(
                            "server", revision, scenario, tmp_path / scenario, "--url", address
                        ),
                    )
                    for scenario in scenarios
                )
            )
    print("\n" + table(f"server, {revision}", verdicts))
    assert failing(verdicts) == {}
