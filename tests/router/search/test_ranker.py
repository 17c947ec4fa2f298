"""Ranking in large catalogs: candidates are selected, then scored exactly."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import resources
from bench.search import make_catalog
from router.domain.search import SearchRequest, UsageSignal
from router.domain.workspaces import Optimization
from router.search import candidates
from router.search.index.embeddings import word_embeddings
from router.search.provider import Provider

MEBIBYTE = 1 << 20


@pytest.fixture(scope="module")
def words() -> list[str]:
    return [word for word in word_embeddings().words if word.isalpha() and len(word) > 4][:1500]


@pytest.mark.parametrize("strategy", [Optimization.BM25, Optimization.HYBRID])
def test_candidates_of_a_large_catalog_include_what_scoring_all_tools_finds(
    words: list[str], strategy: Optimization, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1)
    tools = make_catalog(1_500, words, chance)
    built = Provider().build(tools, embeddings=strategy is Optimization.HYBRID)
    asked = [tuple(" ".join(chance.sample(words, 4)) for _ in range(n)) for n in (1, 1, 1, 3)]
    exact = [built.search(SearchRequest(queries, 5)) for queries in asked]
    monkeypatch.setattr(candidates, "SCORE_ALL_UP_TO", 100)
    monkeypatch.setattr(candidates, "CANDIDATES_PER_TEXT", 300)
    selected = [built.search(SearchRequest(queries, 5)) for queries in asked]
    found = [[hit.tool.key for hit in hits] for hits in selected]
    assert found == [[hit.tool.key for hit in hits] for hits in exact]


def test_a_tool_that_was_used_before_is_among_the_candidates(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "SCORE_ALL_UP_TO", 100)
    monkeypatch.setattr(candidates, "CANDIDATES_PER_TEXT", 5)
    tools = make_catalog(300, words, random.Random(2))
    signal = UsageSignal(frozenset({"zzz"}), str(tools[123].key), 1.0)
    request = SearchRequest(("zzz",), 3, Optimization.BM25, usage=(signal,))
    [hit] = Provider().build(tools, embeddings=False).search(request)
    assert (hit.tool, hit.explanation) == (tools[123], "used before for this")


@pytest.mark.proves("META-4")
def test_the_embeddings_are_small_on_disk() -> None:
    folder = Path(str(resources.__file__)).parent / "embeddings"
    assert sum(file.stat().st_size for file in folder.iterdir()) < 20 * MEBIBYTE
