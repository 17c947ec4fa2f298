"""Search by words, compared with rank-bm25 as the reference."""

from __future__ import annotations

from typing import Any

import pytest
from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingTypeStubs] - it has none

from router.catalog.reading import read_tool
from router.model import ServerId, Tool
from router.search.bm25 import Bm25Provider, InvertedIndex
from router.search.tokens import tokenize


def tool(server: str, name: str, description: str = "", **parameters: str) -> Tool:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    wire = {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties},
    }
    return read_tool(ServerId(server), server.title(), wire)


TOOLS = [
    tool("github", "create_issue", "Open a new issue in a repository", title="Short summary"),
    tool("github", "list_pull_requests", "List pull requests of a repository"),
    tool("files", "read_text_file", "Read the contents of a file as text", path="Where it lies"),
    tool("time", "get_current_time", "Get the current time in a time zone"),
    tool("日本", "天気予報", "東京の天気予報を取得する"),
]


def found(*queries: str, limit: int = 3) -> list[str]:
    return [hit.tool.key.tool for hit in Bm25Provider().index(TOOLS).search(queries, limit)]


@pytest.mark.proves("META-2")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("creating issues", "create_issue"),
        ("createIssue", "create_issue"),
        ("read a file", "read_text_file"),
        ("what time is it in a zone", "get_current_time"),
        ("github pull request", "list_pull_requests"),
        ("天気", "天気予報"),
    ],
)
def test_a_tool_is_found_by_what_it_does(query: str, expected: str) -> None:
    assert found(query)[0] == expected


@pytest.mark.proves("META-2")
def test_a_task_of_three_steps_finds_all_three_tools() -> None:
    assert set(found("create an issue", "read file", "current time")) == {
        "create_issue",
        "read_text_file",
        "get_current_time",
    }


@pytest.mark.proves("META-2")
def test_relevance_lies_between_zero_and_one_and_falls() -> None:
    hits = Bm25Provider().index(TOOLS).search(["list issues of a repository"], 10)
    relevances = [hit.relevance for hit in hits]
    assert relevances == sorted(relevances, reverse=True)
    assert all(0 < relevance <= 1 for relevance in relevances)


def test_what_matched_is_said_in_the_words_of_the_query() -> None:
    hit = Bm25Provider().index(TOOLS).search(["creating two issues"], 1)[0]
    assert hit.explanation == "matches creating, issues"


@pytest.mark.parametrize("query", ["", "  ", "the of and", "zzzz"])
def test_a_query_without_known_words_finds_nothing(query: str) -> None:
    assert found(query) == []


def test_an_empty_catalogue_can_be_searched() -> None:
    assert Bm25Provider().index([]).search(["anything"], 5) == []


def test_the_index_scores_as_the_reference_does_for_the_same_tokens() -> None:
    documents = [tokenize(f"{t.key.tool} {t.description}") for t in TOOLS]
    counts = [{token: float(doc.count(token)) for token in doc} for doc in documents]
    index = InvertedIndex(counts)
    reference: Any = BM25Okapi(documents)
    # The reference lets common words count against a document; ours never do.
    reference.idf = {token: index.idf(token) for token in reference.idf}
    query = tokenize("list the current issues of a file in a repository")
    ours = index.scores(query)
    theirs = reference.get_scores(query)
    for number in range(len(documents)):
        assert ours.get(number, 0.0) == pytest.approx(theirs[number], abs=1e-9)
