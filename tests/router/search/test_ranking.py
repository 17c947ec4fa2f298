"""Ranking very many tools: a rough look at all, a close one at the best."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import resources
from bench.search import catalogue
from router.domain.search import Experience, SearchRequest
from router.domain.workspaces import Optimization
from router.search import ranking
from router.search.meaning import meaning_table
from router.search.provider import Provider

MEBIBYTE = 1 << 20


@pytest.fixture(scope="module")
def words() -> list[str]:
    return [word for word in meaning_table().words if word.isalpha() and len(word) > 4][:1500]


@pytest.mark.parametrize("strategy", [Optimization.BM25, Optimization.HYBRID])
def test_a_rough_look_at_many_tools_finds_what_a_close_look_at_all_finds(
    words: list[str], strategy: Optimization, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1)
    tools = catalogue(1_500, words, chance)
    built = Provider().build(tools, meaning=strategy is Optimization.HYBRID)
    asked = [tuple(" ".join(chance.sample(words, 4)) for _ in range(n)) for n in (1, 1, 1, 3)]
    closely = [built.search(SearchRequest(queries, 5)) for queries in asked]
    monkeypatch.setattr(ranking, "ALL_WEIGHED", 100)
    monkeypatch.setattr(ranking, "CANDIDATES", 300)
    roughly = [built.search(SearchRequest(queries, 5)) for queries in asked]
    found = [[hit.tool.key for hit in hits] for hits in roughly]
    assert found == [[hit.tool.key for hit in hits] for hits in closely]


def test_a_tool_that_was_used_before_is_among_the_candidates(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "ALL_WEIGHED", 100)
    monkeypatch.setattr(ranking, "CANDIDATES", 5)
    tools = catalogue(300, words, random.Random(2))
    experience = Experience(frozenset({"zzz"}), str(tools[123].key), 1.0)
    request = SearchRequest(("zzz",), 3, Optimization.BM25, experiences=(experience,))
    [hit] = Provider().build(tools, meaning=False).search(request)
    assert (hit.tool, hit.explanation) == (tools[123], "used before for this")


@pytest.mark.proves("META-4")
def test_the_meaning_model_is_small_on_disk() -> None:
    folder = Path(str(resources.__file__)).parent / "meaning"
    assert sum(file.stat().st_size for file in folder.iterdir()) < 20 * MEBIBYTE
