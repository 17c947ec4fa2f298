"""The inverted index, compared with rank-bm25 as the reference."""

from __future__ import annotations

import random
from typing import Any

import pytest
from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingTypeStubs] - it has none

from router.search.index.bm25_index import BM25Index
from router.search.index.postings import BM25FParameters, build_postings
from router.search.index.segments import Segment, Vocabulary, build_segment, tokenize_tools
from router.search.text.spelling import SpellingIndex
from router.search.text.tokenizer import tokenize
from tests.router.search.sample_tools import TOOLS, tool

ONE_FIELD = BM25FParameters(field_weights=(1.0,), b=(0.75,), k1=1.5, name_bonus=0.0)


def one_field_index(parts: list[list[list[str]]]) -> BM25Index:
    vocabulary = Vocabulary()
    blocks = [build_postings([one_field_segment(part, vocabulary)], ONE_FIELD) for part in parts]
    return BM25Index(blocks, vocabulary, ONE_FIELD)


def one_field_segment(documents: list[list[str]], vocabulary: Vocabulary) -> Segment:
    read = [[[vocabulary.id_of(token) for token in document]] for document in documents]
    return build_segment([TOOLS[0]] * len(documents), read)


def ours(index: BM25Index, query: list[str]) -> list[float]:
    numbers = [number for token in query if (number := index.token_id(token)) is not None]
    return [float(score) for score in index.match(dict.fromkeys(numbers, 1.0)).scores]


@pytest.mark.proves("META-4")
def test_the_index_scores_as_the_reference_does_for_the_same_tokens() -> None:
    chance = random.Random(7)
    words = [f"word{number}" for number in range(60)]
    documents = [chance.choices(words, k=chance.randint(1, 40)) for _ in range(80)]
    index = one_field_index([documents[:30], documents[30:31], documents[31:]])
    reference: Any = BM25Okapi(documents)
    # The reference lets common words lower a score; ours never do.
    reference.idf = {token: index.idf(index.token_id(token)) for token in reference.idf}
    for _ in range(20):
        query = chance.sample(words, k=5)
        theirs = reference.get_scores(query)
        assert ours(index, query) == pytest.approx(list(theirs), abs=1e-9)


def test_several_segments_and_blocks_score_as_one() -> None:
    vocabulary = Vocabulary()
    cut = (TOOLS[:2], TOOLS[2:3], TOOLS[3:])
    first, second, third = (tokenize_tools(tools, vocabulary) for tools in cut)
    whole = BM25Index([build_postings([tokenize_tools(TOOLS, vocabulary)])], vocabulary)
    parts = BM25Index([build_postings([first, second]), build_postings([third])], vocabulary)
    asked = tokenize("list the current time of a github file info")
    found = [whole.token_id(token) for token in asked]
    weights = {number: 1 / (1 + place) for place, number in enumerate(found) if number is not None}
    ours, theirs = parts.match(weights), whole.match(weights)
    assert list(ours.scores) == pytest.approx(list(theirs.scores), abs=1e-12)
    assert ours.scores[:-1].min() > 0
    everyone = range(len(TOOLS))
    assert ours.tokens == theirs.tokens
    assert ours.tokens_in(everyone) == theirs.tokens_in(everyone)


def test_an_index_ignores_words_that_were_added_to_the_vocabulary_later() -> None:
    vocabulary = Vocabulary()
    first = one_field_segment([["old"]], vocabulary)
    index = BM25Index([build_postings([first], ONE_FIELD)], vocabulary, ONE_FIELD)
    one_field_segment([["new"]], vocabulary)
    assert (index.token_id("old"), index.token_id("new")) == (0, None)


def test_an_empty_index_scores_nothing() -> None:
    assert list(one_field_index([[[]]]).match({}).scores) == [0.0]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("repositry", "repository"), ("reposiotry", "repository"), ("repositoryy", "repository")],
)
def test_one_edit_is_corrected(typed: str, meant: str) -> None:
    assert list(SpellingIndex({"repository": 0, "report": 1}).corrections(typed)) == [meant]


@pytest.mark.parametrize("typed", ["xepository", "repostory2", "rsitory", "tim", "repository"])
def test_more_than_one_edit_is_not_corrected(typed: str) -> None:
    assert list(SpellingIndex({"repository": 0, "time": 1}).corrections(typed)) == []


def test_a_field_with_an_invalid_schema_is_read_as_empty() -> None:
    from router.search.index.tool_document import field_texts

    odd = tool("odd", "odd_tool")
    odd.wire["inputSchema"] = {"properties": {"a": "no object", "b": {"description": 7}}}
    assert field_texts(odd)[-1] == "a  b 7"
