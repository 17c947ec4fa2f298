"""The official conformance suite against the router: as a server for clients, as a client of
servers."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from router.config.server import ServerConfig
from router.domain.workspaces import Optimization
from tests.servers.conformance_server import conformance_app
from tests.servers.http_server import serving
from tests.support.conformance import REVISIONS, failing, required, run, table
from tests.support.conformance_client import waiting_for_scenarios
from tests.support.router_process import ROOT
from tests.support.running_router import PERSONAL, RunningRouter, running_router

pytestmark = pytest.mark.timeout(300)
_BY_TOOL_NAME = ("tools-call-", "elicitation-", "input-required-result-", "server-stateless")
_NOT_SCORED_YET = {
    REVISIONS[0]: ["json-schema-2020-12", "server-session-lifecycle"],
    REVISIONS[1]: [
        *("json-schema-2020-12", "http-header-validation"),
        "http-custom-header-server-validation",
    ],
}
FRONT = ROOT / "tests" / "support" / "conformance_front.py"


async def offer(running: RunningRouter, url: str, optimization: Optimization | None = None) -> str:
    """The URL where clients see the server at `url` as if they were connected to it directly."""
    router = running.router
    await router.settings.update({"open_endpoint": True})
    ref = await running.add("conformance", ServerConfig(url=f"{url}/mcp"))
    project = await router.projects.create(PERSONAL, "Conformance", [ref.server])
    exposure = router.projects.list(PERSONAL)[0].exposure
    await router.projects.set_options(
        PERSONAL, project, optimization=optimization, exposure=exposure
    )
    return f"{running.url}/w/{PERSONAL}/p/{project}"


async def as_server(
    revision: str, folder: Path, optimization: Optimization | None, scenarios: list[str]
) -> int:
    """Let the suite test us as a server; all of `scenarios` must pass. Returns the suite's exit
    code."""
    with serving(conformance_app(modern_only=revision == REVISIONS[-1])) as url:
        async with running_router(folder / "data") as running:
            address = await offer(running, url, optimization)
            verdicts, code = await asyncio.to_thread(
                run, "server", revision, folder / "out", "--url", address
            )
    judged = [verdict for verdict in verdicts if verdict.scenario in scenarios]
    print("\n" + table(f"server, {revision}", judged))
    assert len(judged) == len(scenarios)
    assert failing(judged) == {}
    return code


@pytest.mark.proves("META-4", "META-8")
@pytest.mark.parametrize("revision", REVISIONS)
async def test_the_server_scenarios_pass_through_the_router(revision: str, tmp_path: Path) -> None:
    scenarios = [*required(revision, "server"), *_NOT_SCORED_YET[revision]]
    assert await as_server(revision, tmp_path, None, scenarios) == 0


@pytest.mark.parametrize("revision", REVISIONS)
async def test_with_the_meta_tools_all_applicable_scenarios_pass(
    revision: str, tmp_path: Path
) -> None:
    """Scenarios that name a tool of the server don't apply: tools are found and run by the
    meta-tools."""
    scenarios = [s for s in required(revision, "server") if not s.startswith(_BY_TOOL_NAME)]
    await as_server(revision, tmp_path, Optimization.BM25, scenarios)


@pytest.mark.parametrize("revision", REVISIONS)
async def test_the_client_scenarios_pass_through_the_router(revision: str, tmp_path: Path) -> None:
    socket = tmp_path / "socket"
    command = f"{sys.executable} -I {FRONT} {socket}"
    scenarios = required(revision, "client")
    async with waiting_for_scenarios(scenarios, socket):
        verdicts, code = await asyncio.to_thread(
            run, "client", revision, tmp_path / "out", "--command", command
        )
    verdicts = [verdict for verdict in verdicts if verdict.scenario in scenarios]
    print("\n" + table(f"client, {revision}", verdicts))
    assert failing(verdicts) == {}
    assert code == 0
