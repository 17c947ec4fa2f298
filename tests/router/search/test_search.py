"""Search as clients use it: what is found, in which order, with which relevance and explanation."""

from __future__ import annotations

import pytest

from router.domain.search import UsageSignal
from router.domain.workspaces import Optimization
from router.search.calibration import MIN_RELEVANCE
from tests.router.search.sample_tools import TOOLS, names, search, tool

BOTH = pytest.mark.parametrize("strategy", [Optimization.BM25, Optimization.HYBRID])


@pytest.mark.proves("META-2")
@BOTH
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("creating issues", "create_issue"),
        ("createIssue", "create_issue"),
        ("read a file", "read_text_file"),
        ("what time is it in a zone", "get_current_time"),
        ("github pull request", "list_pull_requests"),
        ("天気", "天気予報"),
        ("reposiotry issue", "create_issue"),
        ("file system", "filesystem_info"),
        ("remaining room on the disc", "filesystem_info"),
    ],
)
def test_a_tool_is_found_by_what_it_does(query: str, expected: str, strategy: Optimization) -> None:
    assert names(search(query, strategy=strategy))[0] == expected


def test_many_parameters_do_not_lower_the_score_of_a_tool() -> None:
    others = {f"setting{letter}": "Something else" for letter in "abcdefghijklmnop"}
    few = tool("maps", "place", latitude="Degrees north")
    many = tool("charts", "spot", latitude="Degrees north", **others)
    by_few, by_many = search("latitude", tools=[few, many])
    assert by_few.relevance == by_many.relevance


@pytest.mark.proves("META-4")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("report a bug in the code base", "create_issue"),
        ("look inside a document", "read_text_file"),
        ("what hour is it now", "get_current_time"),
    ],
)
def test_hybrid_finds_a_tool_by_its_meaning(query: str, expected: str) -> None:
    assert names(search(query, strategy=Optimization.HYBRID))[0] == expected


@pytest.mark.proves("META-2")
@BOTH
def test_a_task_of_three_steps_finds_all_three_tools(strategy: Optimization) -> None:
    steps = ("create an issue", "read file", "current time")
    assert set(names(search(*steps, strategy=strategy))) == {
        "create_issue",
        "read_text_file",
        "get_current_time",
    }


@pytest.mark.proves("META-2")
@BOTH
def test_relevance_is_between_zero_and_one_and_descending(strategy: Optimization) -> None:
    hits = search("list issues of a repository", limit=10, strategy=strategy)
    relevances = [hit.relevance for hit in hits]
    assert relevances == sorted(relevances, reverse=True)
    assert all(0 < relevance <= 1 for relevance in relevances)


@BOTH
def test_relevance_is_comparable_between_queries(
    strategy: Optimization,
) -> None:
    good = search("create an issue in a github repository", strategy=strategy)[0]
    poor = search("bake a chocolate cake in the time zone", strategy=strategy)[0]
    assert good.relevance > 0.9
    assert poor.relevance < 0.65


@pytest.mark.proves("META-2")
@BOTH
@pytest.mark.parametrize("query", ["create an issue", "list pull requests", "get the current time"])
def test_an_obvious_hit_in_a_small_catalog_has_a_high_relevance(
    query: str, strategy: Optimization
) -> None:
    first, *others = search(query, strategy=strategy)
    assert first.relevance >= 0.6
    assert all(other.relevance < 0.2 for other in others)


@BOTH
def test_an_equally_good_second_tool_lowers_the_relevance(strategy: Optimization) -> None:
    equal_tool = tool(
        "gitlab", "create_issue", "Open a new issue in a project", title="Short summary"
    )
    alone = search("create an issue", strategy=strategy)[0]
    beside = search("create an issue", tools=[*TOOLS, equal_tool], strategy=strategy)[0]
    assert beside.relevance < alone.relevance - 0.2


@pytest.mark.proves("META-2")
@pytest.mark.parametrize("query", ["current weather in paris", "disk herniation exercises"])
def test_a_single_matching_word_does_not_give_a_high_relevance(
    query: str,
) -> None:
    (lone,) = search(query)
    assert MIN_RELEVANCE[Optimization.BM25] < lone.relevance < 0.5


@BOTH
def test_the_same_tool_on_another_server_does_not_lower_the_relevance(
    strategy: Optimization,
) -> None:
    again = tool("work", "create_issue", TOOLS[0].description, title="Short summary")
    found = search("create an issue", tools=[*TOOLS, again], strategy=strategy)[0]
    assert found.also_on
    assert found.relevance >= 0.6


@BOTH
def test_relevance_does_not_depend_on_the_limit(strategy: Optimization) -> None:
    one = search("issue of a repository", limit=1, strategy=strategy)
    assert one == search("issue of a repository", limit=5, strategy=strategy)[:1]


def test_the_best_of_poor_hits_is_not_relevant() -> None:
    hits = search("book a flight to paris", strategy=Optimization.HYBRID)
    assert all(hit.relevance < MIN_RELEVANCE[Optimization.HYBRID] for hit in hits)


def test_each_step_of_a_task_is_as_relevant_as_alone() -> None:
    steps = ("create an issue", "read file", "current time")
    together = {hit.tool.key: hit.relevance for hit in search(*steps, strategy=Optimization.HYBRID)}
    for step in steps:
        alone = search(step, strategy=Optimization.HYBRID)[0]
        assert together[alone.tool.key] == pytest.approx(alone.relevance, abs=0.1)


@pytest.mark.proves("META-2")
@BOTH
def test_relevance_does_not_depend_on_the_steps_asked_beside_it(strategy: Optimization) -> None:
    step = "create an issue"
    steps = (step, "read a file", "current time", "list pull requests")
    best, *_ = search(step, strategy=strategy)
    for others in ((), steps[1:], steps[1:2], (step,), ("bake a cake", "read file")):
        hits = search(step, *others, strategy=strategy, limit=20)
        relevances = {hit.tool.key: hit.relevance for hit in hits}
        assert list(relevances.values()) == sorted(relevances.values(), reverse=True)
        assert relevances[best.tool.key] == best.relevance
        for alone in search(step, strategy=strategy, limit=3):
            assert relevances[alone.tool.key] >= alone.relevance


def test_matches_are_explained_with_the_words_of_the_query() -> None:
    assert search("creating two issues")[0].explanation == "matches creating, issues"


def test_a_hit_by_meaning_alone_says_so() -> None:
    hit = search("bug report", strategy=Optimization.HYBRID)[0]
    assert (hit.tool.key.tool, hit.explanation) == ("create_issue", "similar meaning")


@pytest.mark.parametrize("query", ["", "  ", "the of and", "zzzz"])
def test_a_query_without_known_words_finds_nothing(query: str) -> None:
    assert search(query) == []


@BOTH
def test_an_empty_catalog_can_be_searched(strategy: Optimization) -> None:
    assert search("anything", tools=[], strategy=strategy) == []


@pytest.mark.proves("META-2")
def test_the_context_decides_only_between_equally_good_tools() -> None:
    twins = [
        tool("alpha", "send_message", "Send a message in the office chat"),
        tool("beta", "send_message", "Send a message to a football fan"),
    ]
    for context, first in (("about football", "beta"), ("in the office", "alpha")):
        hits = search("send message", tools=twins, context=context)
        assert hits[0].tool.key.server == first
    assert names(search("create issue", context="read the current time"))[0] == "create_issue"


@pytest.mark.proves("META-2")
def test_the_same_tool_on_two_servers_is_one_hit_that_names_both() -> None:
    doubled = [*TOOLS, tool("work", "create_issue", TOOLS[0].description, title="Summary")]
    hits = search("create issue", tools=doubled)
    assert names(hits).count("create_issue") == 1
    assert {str(hits[0].tool.key), *map(str, hits[0].also_on)} == {
        "github:create_issue",
        "work:create_issue",
    }


def test_tools_run_after_a_similar_search_come_first() -> None:
    signal = UsageSignal(frozenset({"repositori", "todo"}), "github:list_pull_requests", 0.9)
    before = search("repository todo")
    after = search("repository todo", usage=(signal,))
    assert names(before)[0] == "create_issue"
    assert names(after)[0] == "list_pull_requests"
    assert after[0].explanation.endswith("used before for this")


def test_tools_run_after_another_search_are_not_boosted() -> None:
    signal = UsageSignal(frozenset({"cake", "bake"}), "github:list_pull_requests", 0.9)
    assert search("repository issue", usage=(signal,)) == search("repository issue")


def test_usage_history_never_returns_an_unlisted_tool() -> None:
    signal = UsageSignal(frozenset({"issu"}), "github:delete_everything", 1.0)
    assert "delete_everything" not in names(search("issue", usage=(signal,)))


@BOTH
@pytest.mark.parametrize(
    "description",
    [
        "Deprecated: use read_text_file. Read the contents of a file as text",
        "Read the contents of a file as text. DEPRECATED: Use read_text_file instead.",
        "[deprecated] Read the contents of a file as text",
        "Read the contents of a file as text. This tool is deprecated.",
    ],
)
def test_a_deprecated_tool_comes_after_the_one_that_replaces_it(
    description: str, strategy: Optimization
) -> None:
    old = tool("files", "read_file", description, path="Where it lies")
    new = tool("files", "read_text_file", "Read the contents of a file as text", path="Where it is")
    found = names(search("read file", tools=[old, new], strategy=strategy))
    assert found == ["read_text_file", "read_file"]


@BOTH
def test_a_tool_about_deprecation_is_not_treated_as_deprecated(
    strategy: Optimization,
) -> None:
    first = tool("packages", "check", "Tell whether a package is deprecated")
    second = tool("tables", "check", "Tell whether a table is empty")
    found = search("check a deprecated package", tools=[first, second], strategy=strategy)
    assert found[0].tool is first
