"""The official conformance suite against us: as a server for clients, as a client of servers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from router.model import Optimization
from router.settings import ServerConfig
from tests.booth import ROOT
from tests.conformance import REVISIONS, Verdict, failing, required, run, table
from tests.running import PERSONAL, Running, running_router
from tests.servers.conformance_server import conformance_app
from tests.servers.http_server import serving

pytestmark = [pytest.mark.proof, pytest.mark.timeout(600)]
_AT_ONCE = 2
_BY_TOOL_NAME = ("tools-call-", "elicitation-", "input-required-result-", "server-stateless")
CLIENT = ROOT / "tests" / "conformance_client.py"


async def offer(running: Running, url: str, optimization: Optimization | None = None) -> str:
    """Where clients see the server at `url` as if they had connected to it directly."""
    router = running.router
    await router.apply_settings(router.settings().model_copy(update={"open_endpoint": True}))
    ref = await running.add("conformance", ServerConfig(url=f"{url}/mcp"))
    project = await router.create_project(PERSONAL, "Conformance", [ref.server])
    exposure = router.projects(PERSONAL)[0].exposure
    await router.set_project_options(
        PERSONAL, project, optimization=optimization, exposure=exposure
    )
    return f"{running.url}/w/{PERSONAL}/p/{project}"


async def verdicts_of(
    side: str, revision: str, folder: Path, scenarios: Sequence[str], *options: str
) -> list[Verdict]:
    """All scenarios, a few at a time; their table goes to the output."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        runs = [
            partial(run, side, revision, scenario, folder / scenario, *options)
            for scenario in scenarios
        ]
        verdicts = await asyncio.gather(*(loop.run_in_executor(pool, each) for each in runs))
    print("\n" + table(f"{side}, {revision}", verdicts))
    return verdicts


@pytest.mark.proves("META-4", "META-8")
@pytest.mark.parametrize("revision", REVISIONS)
async def test_clients_get_what_the_server_behind_us_offers(revision: str, tmp_path: Path) -> None:
    app = conformance_app(modern_only=revision == REVISIONS[-1])
    with serving(app) as url:
        async with running_router(tmp_path / "data") as running:
            address = await offer(running, url)
            scenarios = required(revision, "server")
            verdicts = await verdicts_of("server", revision, tmp_path, scenarios, "--url", address)
    assert failing(verdicts) == {}


@pytest.mark.parametrize("revision", REVISIONS)
async def test_with_the_meta_tools_all_that_applies_holds(revision: str, tmp_path: Path) -> None:
    """What names a tool of the server can't apply: tools are found and run by the two."""
    scenarios = [s for s in required(revision, "server") if not s.startswith(_BY_TOOL_NAME)]
    with serving(conformance_app(modern_only=revision == REVISIONS[-1])) as url:
        async with running_router(tmp_path / "data") as running:
            address = await offer(running, url, optimization=Optimization.BM25)
            verdicts = await verdicts_of("server", revision, tmp_path, scenarios, "--url", address)
    assert failing(verdicts) == {}


@pytest.mark.parametrize("revision", REVISIONS)
async def test_servers_get_a_client_as_they_should(revision: str, tmp_path: Path) -> None:
    command = f"{sys.executable} {CLIENT}"
    scenarios = required(revision, "client")
    verdicts = await verdicts_of("client", revision, tmp_path, scenarios, "--command", command)
    assert failing(verdicts) == {}
