"""The inverted index, compared with rank-bm25 as the reference."""

from __future__ import annotations

import random
from typing import Any

import pytest
from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingTypeStubs] - it has none

from router.search.lexical import LexicalIndex
from router.search.postings import Weights, postings_of
from router.search.segments import Segment, Vocabulary, segment, segment_of
from router.search.tokens import tokenize
from router.search.typos import Typos
from tests.router.search.catalogue import TOOLS, tool

ONE_FIELD = Weights(weight=(1.0,), b=(0.75,), k1=1.5, name=0.0)


def one_field_index(parts: list[list[list[str]]]) -> LexicalIndex:
    vocabulary = Vocabulary()
    blocks = [postings_of([one_field_segment(part, vocabulary)], ONE_FIELD) for part in parts]
    return LexicalIndex(blocks, vocabulary, ONE_FIELD)


def one_field_segment(documents: list[list[str]], vocabulary: Vocabulary) -> Segment:
    read = [[[vocabulary.number(token) for token in document]] for document in documents]
    return segment_of([TOOLS[0]] * len(documents), read)


def ours(index: LexicalIndex, query: list[str]) -> list[float]:
    numbers = [number for token in query if (number := index.number(token)) is not None]
    return [float(score) for score in index.find(dict.fromkeys(numbers, 1.0)).scores]


@pytest.mark.proves("META-4")
def test_the_index_scores_as_the_reference_does_for_the_same_tokens() -> None:
    chance = random.Random(7)
    words = [f"word{number}" for number in range(60)]
    documents = [chance.choices(words, k=chance.randint(1, 40)) for _ in range(80)]
    index = one_field_index([documents[:30], documents[30:31], documents[31:]])
    reference: Any = BM25Okapi(documents)
    # The reference lets common words count against a document; ours never do.
    reference.idf = {token: index.idf(index.number(token)) for token in reference.idf}
    for _ in range(20):
        query = chance.sample(words, k=5)
        theirs = reference.get_scores(query)
        assert ours(index, query) == pytest.approx(list(theirs), abs=1e-9)


def test_segments_and_blocks_put_together_score_as_one_that_was_read_whole() -> None:
    vocabulary = Vocabulary()
    cut = (TOOLS[:2], TOOLS[2:3], TOOLS[3:])
    first, second, third = (segment(tools, vocabulary) for tools in cut)
    whole = LexicalIndex([postings_of([segment(TOOLS, vocabulary)])], vocabulary)
    parts = LexicalIndex([postings_of([first, second]), postings_of([third])], vocabulary)
    asked = tokenize("list the current time of a github file info")
    found = [whole.number(token) for token in asked]
    weights = {number: 1 / (1 + place) for place, number in enumerate(found) if number is not None}
    ours, theirs = parts.find(weights), whole.find(weights)
    assert list(ours.scores) == pytest.approx(list(theirs.scores), abs=1e-12)
    assert ours.scores[:-1].min() > 0
    everyone = range(len(TOOLS))
    assert ours.tokens == theirs.tokens
    assert ours.having(everyone) == theirs.having(everyone)


def test_an_index_does_not_see_words_that_later_ones_bring() -> None:
    vocabulary = Vocabulary()
    first = one_field_segment([["old"]], vocabulary)
    index = LexicalIndex([postings_of([first], ONE_FIELD)], vocabulary, ONE_FIELD)
    one_field_segment([["new"]], vocabulary)
    assert (index.number("old"), index.number("new")) == (0, None)


def test_an_index_of_nothing_scores_nothing() -> None:
    assert list(one_field_index([[[]]]).find({}).scores) == [0.0]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("repositry", "repository"), ("reposiotry", "repository"), ("repositoryy", "repository")],
)
def test_one_slip_of_the_finger_is_understood(typed: str, meant: str) -> None:
    assert list(Typos({"repository": 0, "report": 1}).meant(typed)) == [meant]


@pytest.mark.parametrize("typed", ["xepository", "repostory2", "rsitory", "tim", "repository"])
def test_what_differs_by_more_is_not_guessed(typed: str) -> None:
    assert list(Typos({"repository": 0, "time": 1}).meant(typed)) == []


def test_a_field_with_a_schema_that_is_none_is_read_as_empty() -> None:
    from router.search.documents import field_texts

    odd = tool("odd", "odd_tool")
    odd.wire["inputSchema"] = {"properties": {"a": "no object", "b": {"description": 7}}}
    assert field_texts(odd)[-1] == "a  b 7"
