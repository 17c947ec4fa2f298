"""Cloud search over real HTTP: the reference service, and services that misbehave."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import HTTPServer

import pytest

from examples import search_service
from examples.search_service import answer, serve
from router.domain.json_values import JsonObject
from router.domain.search import SearchRequest
from router.domain.workspaces import Optimization
from router.search.cloud import TOKEN_NAME, CircuitBreaker, CloudFailed, CloudSearch, parse_response
from router.search.provider import Provider
from tests.router.search.sample_tools import TOOLS
from tests.support.fakes import FakeSecrets

REQUEST = SearchRequest(("create an issue",), 3, Optimization.CLOUD)
UNUSABLE_RELEVANCES = (7, -1, 1.001, "high", "0.5", True, None, math.nan, math.inf)
KNOWN = {str(tool.key): tool for tool in TOOLS}


@contextmanager
def running(server: HTTPServer) -> Generator[str]:
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def silent() -> Generator[str]:
    """A server that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def cloud(url: str, token: str = "right", **options: object) -> CloudSearch:
    secrets = FakeSecrets()
    secrets.values[TOKEN_NAME] = token
    return CloudSearch(lambda: url, secrets, **options)  # pyright: ignore[reportArgumentType]


@pytest.mark.proves("META-7")
async def test_the_ranking_of_the_service_is_used() -> None:
    with running(serve(0, "right")) as url:
        hits = await cloud(url).search(TOOLS, REQUEST)
    assert str(hits[0].tool.key) == "github:create_issue"
    assert hits[0].explanation == "has create, issue"
    assert all(0 <= hit.relevance <= 1 for hit in hits)


@pytest.mark.proves("META-7")
async def test_a_wrong_token_falls_back_to_local_search_and_says_so() -> None:
    with running(serve(0, "right")) as url:
        index = Provider(cloud(url, "wrong")).index(TOOLS)
        reply = await index.search(REQUEST)
    assert reply.strategy is Optimization.HYBRID
    assert str(reply.hits[0].tool.key) == "github:create_issue"
    assert reply.note == "cloud search failed (it rejected the token): answered by hybrid"


@pytest.mark.proves("META-7")
async def test_a_service_that_does_not_respond_times_out() -> None:
    with silent() as url, pytest.raises(CloudFailed, match="no response within"):
        await cloud(url, timeout_s=0.2).search(TOOLS, REQUEST)


@pytest.mark.proves("META-7")
async def test_without_a_url_local_search_is_used() -> None:
    reply = await Provider(cloud("")).index(TOOLS).search(REQUEST)
    assert reply.strategy is Optimization.HYBRID
    assert "no address is set" in reply.note


async def test_a_service_that_fails_repeatedly_is_paused() -> None:
    now = [0.0]
    breaker = CircuitBreaker(clock=lambda: now[0])
    with running(serve(0, "right")) as url:
        broken = cloud(url, "wrong", breaker=breaker)
        for _ in range(3):
            with pytest.raises(CloudFailed, match="rejected the token"):
                await broken.search(TOOLS, REQUEST)
        with pytest.raises(CloudFailed, match="paused for one minute"):
            await broken.search(TOOLS, REQUEST)
        now[0] = 61.0
        hits = await cloud(url, breaker=breaker).search(TOOLS, REQUEST)
        assert hits
    assert breaker.failures == 0


@pytest.mark.parametrize("url", ["http://search.example", "ftp://127.0.0.1", "nonsense"])
async def test_queries_leave_this_computer_only_encrypted(url: str) -> None:
    with pytest.raises(CloudFailed, match="https://"):
        await cloud(url).search(TOOLS, REQUEST)


@pytest.mark.proves("META-7")
async def test_only_names_and_descriptions_are_sent() -> None:
    from router.search.cloud import request_body

    sent = request_body(TOOLS[:1], SearchRequest(("q",), 3, context="because"))
    assert sent == {
        "schemaVersion": 1,
        "query": ["q"],
        "context": "because",
        "maxResults": 3,
        "tools": [
            {
                "toolKey": "github:create_issue",
                "toolName": "create_issue",
                "serverName": "Github",
                "description": "Open a new issue in a repository",
            }
        ],
    }
    assert answer(sent)["results"] == []


UNUSABLE: list[object] = [
    {"toolKey": "other:tool", "relevance": 1},
    {"relevance": 1},
    {"toolKey": "github:create_issue"},
    *({"toolKey": "github:create_issue", "relevance": each} for each in UNUSABLE_RELEVANCES),
    "nonsense",
    None,
    3,
]


@pytest.mark.parametrize("result", UNUSABLE, ids=repr)
def test_a_result_that_cannot_be_used_is_refused(result: object) -> None:
    other = next(key for key in KNOWN if key != "github:create_issue")
    usable = {"toolKey": other, "relevance": 0.25}
    [hit] = parse_response({"results": [result, usable, usable]}, KNOWN, 8)
    assert (str(hit.tool.key), hit.relevance) == (other, 0.25)
    with pytest.raises(CloudFailed, match="none of its results can be used"):
        parse_response({"results": [result]}, KNOWN, 8)


def test_a_service_may_find_nothing() -> None:
    assert parse_response({"results": []}, KNOWN, 8) == []


@pytest.mark.proves("META-7")
async def test_only_unusable_results_fall_back_to_local_search_and_say_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(_: JsonObject) -> JsonObject:
        return {"results": [{"toolKey": "github:create_issue", "relevance": 7}]}

    monkeypatch.setattr(search_service, "answer", wrong)
    with running(serve(0, "right")) as url:
        reply = await Provider(cloud(url)).index(TOOLS).search(REQUEST)
    assert str(reply.hits[0].tool.key) == "github:create_issue"
    failed = "cloud search failed (none of its results can be used)"
    assert reply.note == f"{failed}: answered by hybrid"


@pytest.mark.parametrize("answered", [{}, {"results": 3}, {"schemaVersion": 2, "results": []}])
def test_an_unexpected_response_is_a_failure(answered: dict[str, object]) -> None:
    with pytest.raises(CloudFailed):
        parse_response(answered, KNOWN, 8)
