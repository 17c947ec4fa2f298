"""Search in the whole router: the playground, the cloud service, indexes built in advance."""

from __future__ import annotations

import pytest

from router.api.events import ToolsChanged
from router.domain.errors import Conflict, InvalidInput, NotFound
from router.domain.search import UsageHistory
from router.domain.workspaces import Optimization
from tests.support.fakes import FakeSecrets
from tests.support.running_router import PERSONAL, RunningRouter


@pytest.mark.proves("META-4", "META-10")
async def test_the_playground_returns_what_clients_get_by_each_strategy(
    running: RunningRouter,
) -> None:
    await running.add("Odd")
    trials = await running.router.search.try_out(PERSONAL, None, ["echo a text"])
    bm25, hybrid = (trial.reply for trial in trials)
    assert all(trial.duration_ms > 0 and trial.context_tokens > 20 for trial in trials)
    assert (bm25.strategy, hybrid.strategy) == (Optimization.BM25, Optimization.HYBRID)
    assert bm25.hits[0].tool.key.tool == hybrid.hits[0].tool.key.tool
    assert 0 < bm25.hits[0].relevance <= 1
    assert bm25.hits[0].explanation
    assert running.router.search.usage_history(PERSONAL, None) == UsageHistory()


@pytest.mark.proves("META-7")
async def test_trying_the_cloud_without_a_service_says_what_is_missing(
    running: RunningRouter,
) -> None:
    await running.add("Odd")
    [trial] = await running.router.search.try_out(
        PERSONAL, None, ["echo"], strategies=[Optimization.CLOUD]
    )
    assert trial.reply.strategy is Optimization.HYBRID
    assert "no address is set" in trial.reply.note


async def test_the_duration_of_a_strategy_is_known_after_its_first_search(
    running: RunningRouter,
) -> None:
    await running.add("Test")
    searches = running.router.search
    asked = [Optimization.BM25, Optimization.CLOUD]
    durations: list[float] = []
    for _ in range(3):
        assert searches.typical_ms(Optimization.BM25) is None
        [bm25, _] = await searches.try_out(PERSONAL, None, ["echo"], strategies=asked)
        durations.append(bm25.duration_ms)
    took = searches.typical_ms(Optimization.BM25)
    assert took is not None
    assert 0 < took <= max(durations)
    assert searches.typical_ms(Optimization.CLOUD) is None
    assert searches.typical_ms(Optimization.HYBRID) is None


async def test_an_empty_search_is_refused_with_a_message(running: RunningRouter) -> None:
    with pytest.raises(InvalidInput, match="list of strings"):
        await running.router.search.try_out(PERSONAL, None, [])


async def test_a_tool_change_builds_the_index_before_the_next_search(
    running: RunningRouter,
) -> None:
    ref = await running.add("Odd")
    searches = running.router.search
    searches.on_event(ToolsChanged(PERSONAL, ref.server, 1))
    await searches.prepare(PERSONAL)
    [trial] = await searches.try_out(PERSONAL, None, ["echo"], strategies=[Optimization.HYBRID])
    assert trial.reply.hits


async def test_new_workspaces_use_hybrid_search(running: RunningRouter) -> None:
    workspace = await running.router.workspaces.create("Second")
    assert running.router.projects.list(workspace)[0].optimization is Optimization.HYBRID


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The keyring of a router that is started after this."""
    secrets = FakeSecrets()
    monkeypatch.setattr("router.service.router.KeyringSecrets", lambda: secrets)
    return secrets.values


@pytest.mark.proves("META-7")
async def test_undoing_a_cloud_service_change_restores_its_key(
    keyring: dict[str, str], running: RunningRouter
) -> None:
    searches = running.router.search
    await searches.set_cloud("https://one.example", "planted-one")
    moved = await searches.set_cloud("https://two.example", "planted-two")
    gone = await searches.set_cloud("")
    assert "planted" not in str(keyring)
    await searches.undo_cloud(gone)
    assert running.router.settings.current().cloud_search_url == "https://two.example"
    assert "planted-two" in keyring.values()
    await searches.undo_cloud(moved)
    assert running.router.settings.current().cloud_search_url == "https://one.example"
    assert "planted-one" in keyring.values()
    with pytest.raises(NotFound, match="can no longer be undone"):
        await searches.undo_cloud(moved)


async def test_a_key_is_not_sent_to_another_service(
    keyring: dict[str, str], running: RunningRouter
) -> None:
    searches = running.router.search
    await searches.set_cloud("https://one.example/a", "planted-one")
    await searches.set_cloud("https://One.example/b")
    assert "planted-one" in keyring.values()
    moved = await searches.set_cloud("https://one.example.evil/b")
    assert "planted" not in str(keyring)
    await searches.undo_cloud(moved)
    assert "planted-one" in keyring.values()


async def test_a_refused_change_of_the_cloud_service_keeps_the_old_key(
    keyring: dict[str, str], running: RunningRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = running.router.search
    await searches.set_cloud("https://one.example", "planted-one")

    async def full(_: object) -> None:
        raise Conflict("The disk is full.")

    monkeypatch.setattr(running.router.settings, "update", full)
    for url, token in (("https://two.example", "planted-two"), ("", None)):
        with pytest.raises(Conflict):
            await searches.set_cloud(url, token)
        assert "planted-one" in keyring.values()
