"""The tools clients see, and what happens when they call them."""

from __future__ import annotations

import json

import pytest

from router.domain.activity import ActivityKind, Outcome
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.servers import ServerState
from router.gateway.tools import meta_tools, progressive, script_tools
from router.upstream.errors import HttpRefused, failed
from router.wire.mcp import MCPError
from tests.router.gateway.harness import (
    FILES,
    HOME,
    NOW,
    ODD_RESULT,
    READ,
    WRITE,
    Answer,
    GatewayHarness,
)


@pytest.mark.proves("META-1")
def test_optimized_listing_is_the_two_meta_tools_byte_for_byte() -> None:
    gateway = GatewayHarness()
    first = json.dumps(gateway.tool_methods.list_tools(gateway.request()).result)
    assert first == json.dumps(gateway.tool_methods.list_tools(gateway.request()).result)
    names = [tool["name"] for tool in json.loads(first)["tools"]]
    assert names == ["tool_discovery", "tool_execute"]


def test_the_definition_has_the_limit_that_is_checked() -> None:
    max_results = meta_tools.TOOLS[0]["inputSchema"]["properties"]["maxResults"]
    assert max_results["maximum"] == meta_tools.MAX_RESULTS


@pytest.mark.proves("META-1")
def test_meta_tools_ask_to_be_always_loaded() -> None:
    gateway = GatewayHarness()
    for tool in gateway.tool_methods.list_tools(gateway.request()).result["tools"]:
        assert tool["_meta"] == {"anthropic/alwaysLoad": True}


@pytest.mark.proves("META-2")
async def test_discovery_returns_key_signature_and_readiness() -> None:
    [hit] = await GatewayHarness().discover("read a file", maxResults=1)
    assert hit["toolKey"] == "files:read_file"
    assert hit["toolName"] == "read_file"
    assert hit["serverName"] == "Files"
    assert hit["signature"] == "read_file(path: str)"
    assert hit["readiness"] == "cached 3 d ago"
    assert 0 < hit["relevance"] <= 1
    assert "inputSchema" not in hit


@pytest.mark.proves("META-2")
async def test_readiness_follows_the_server() -> None:
    gateway = GatewayHarness()
    ref = ServerRef(HOME, FILES)
    gateway.statuses.update(ref, connection=ServerState.READY)
    assert (await gateway.discover("read"))[0]["readiness"] == "ready"
    gateway.statuses.update(ref, connection=ServerState.NEEDS_SIGN_IN)
    assert (await gateway.discover("read"))[0]["readiness"] == "needs sign-in"


@pytest.mark.proves("META-2")
async def test_a_query_that_is_a_tool_key_gives_the_full_schema() -> None:
    hit = (await GatewayHarness().discover("files:read_file"))[0]
    assert hit["inputSchema"] == READ["inputSchema"]
    assert hit["relevance"] == 1


async def test_a_single_string_is_accepted_as_a_query() -> None:
    answer = await GatewayHarness().call("tool_discovery", {"query": "read file"})
    assert answer["structuredContent"]["results"][0]["toolKey"] == "files:read_file"


@pytest.mark.proves("META-3")
async def test_a_result_is_returned_unchanged() -> None:
    arguments = {"toolKey": "files:read_file", "arguments": {"path": "/x"}}
    assert await GatewayHarness().call("tool_execute", arguments) is ODD_RESULT


@pytest.mark.proves("META-3")
async def test_a_call_is_forwarded_with_the_clients_meta_but_not_with_ours() -> None:
    gateway = GatewayHarness()
    meta: JsonObject = {
        "progressToken": 1,
        "token": "tbt_secret",
        "projectId": "",
        "io.modelcontextprotocol/clientInfo": {},
        "traceparent": "00-1-1-00",
    }
    arguments = {"toolKey": "files:read_file", "arguments": {"path": "/x"}}
    await gateway.call("tool_execute", arguments, _meta=meta)
    [(ref, method, params)] = gateway.upstreams.asked
    assert (ref, method) == (ServerRef(HOME, FILES), "tools/call")
    assert params == {
        "name": "read_file",
        "arguments": {"path": "/x"},
        "_meta": {"traceparent": "00-1-1-00"},
    }


@pytest.mark.proves("META-3")
async def test_wrong_arguments_are_answered_with_the_schema_and_never_forwarded() -> None:
    gateway = GatewayHarness()
    answer = await gateway.call("tool_execute", {"toolKey": "files:read_file", "arguments": {}})
    assert answer["isError"] is True
    text = answer["content"][0]["text"]
    assert '"path" is required.' in text
    assert json.dumps(READ["inputSchema"], separators=(",", ":")) in text
    assert gateway.upstreams.asked == []


@pytest.mark.proves("META-3", "REG-7")
@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("files:nothing", "TOOL_INVALID_INPUT"),
        ("nobody:read_file", "TOOL_INVALID_INPUT"),
        ("nonsense", "TOOL_INVALID_INPUT"),
    ],
)
async def test_an_unknown_tool_is_a_clear_error(key: str, code: str) -> None:
    answer = await GatewayHarness().call("tool_execute", {"toolKey": key})
    assert answer["isError"] is True
    assert answer["structuredContent"]["code"] == code


@pytest.mark.proves("META-5")
async def test_a_denied_tool_is_neither_found_nor_run() -> None:
    gateway = GatewayHarness(permissions={"files:write_file": "deny"})
    assert [hit["toolName"] for hit in await gateway.discover("write file")] == ["read_file"]
    answer = await gateway.call("tool_execute", {"toolKey": "files:write_file"})
    assert answer["isError"] is True
    assert gateway.upstreams.asked == []


@pytest.mark.proves("REG-7")
async def test_a_server_that_is_down_makes_the_tool_unavailable_with_a_hint() -> None:
    def down(*_: object) -> JsonObject:
        raise UpstreamFailed(Failure(FailureKind.EXITED), "Files exited.", "Check its command.")

    answer = await GatewayHarness(down).call("tool_execute", {"toolKey": "files:write_file"})
    assert answer["structuredContent"] == {
        "code": "TOOL_UNAVAILABLE",
        "message": "Files exited.",
        "retryable": True,
        "hint": "Check its command.",
    }


LOST = Failure(FailureKind.EXITED, "code 1")


class Flaky:
    """A server that fails with each of `errors` in turn, then succeeds."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)

    def __call__(self, *_: object) -> JsonObject:
        if self._errors:
            raise self._errors.pop(0)
        return ODD_RESULT


def hinted(answer: Answer, **hints: bool) -> GatewayHarness:
    return GatewayHarness(answer, tools=({**WRITE, "annotations": hints},))


@pytest.mark.parametrize("hint", ["idempotentHint", "readOnlyHint"])
async def test_an_idempotent_call_whose_connection_broke_is_retried(hint: str) -> None:
    gateway = hinted(Flaky(UpstreamFailed(LOST, "It exited.")), **{hint: True})
    answer = await gateway.call("tool_execute", {"toolKey": "files:write_file"})
    assert answer is ODD_RESULT
    assert [options.idempotent for options in gateway.upstreams.options] == [True, True]


async def test_an_idempotent_call_is_sent_at_most_twice() -> None:
    lost = [UpstreamFailed(LOST, "It exited.") for _ in range(2)]
    gateway = hinted(Flaky(*lost), idempotentHint=True)
    answer = await gateway.call("tool_execute", {"toolKey": "files:write_file"})
    assert answer["structuredContent"]["code"] == "TOOL_UNAVAILABLE"
    assert len(gateway.upstreams.asked) == 2


def timed_out() -> UpstreamFailed:
    error = failed(Failure(FailureKind.CALL_TIMEOUT, "5 s"))
    error.sent = True
    return error


@pytest.mark.proves("META-3", "REG-7")
async def test_a_call_that_was_sent_and_lost_may_have_been_carried_out() -> None:
    lost = UpstreamFailed(LOST, "It exited.", "See its log.")
    lost.sent = True
    for error, what in ((timed_out(), "No response within 5 s"), (lost, "It exited.")):
        gateway = GatewayHarness(Flaky(error))
        answer = await gateway.call("tool_execute", {"toolKey": "files:write_file"})
        text = answer["content"][0]["text"]
        assert what in text
        assert "may still have been carried out" in text
        assert "again" not in text
        assert answer["structuredContent"]["retryable"] is False
    gateway = GatewayHarness(Flaky(timed_out()))
    answer = await gateway.call("tool_execute", {"toolKey": "files:write_file"})
    assert "raise the timeout for calls" in answer["content"][0]["text"]


@pytest.mark.parametrize(
    "name",
    [
        "files:write_file",
        " files:write_file ",
        "files__write_file",
        "Files:write_file",
        "Files: Write file",
        "files.write_file",
        "write_file",
        "Write File",
        "WRITE-FILE",
    ],
)
async def test_a_tool_is_found_by_any_name_that_only_it_has(name: str) -> None:
    gateway = GatewayHarness()
    assert await gateway.call("tool_execute", {"toolKey": name}) is ODD_RESULT
    assert gateway.upstreams.asked[0][2]["name"] == "write_file"


async def test_a_name_that_several_tools_have_is_refused_with_their_keys() -> None:
    tools = (READ, {**READ, "name": "read-file"})
    gateway = GatewayHarness(tools=tools)
    answer = await gateway.call("tool_execute", {"toolKey": "Read File"})
    assert answer["isError"] is True
    assert "files:read_file" in answer["content"][0]["text"]
    assert "files:read-file" in answer["content"][0]["text"]
    assert gateway.upstreams.asked == []


async def test_no_name_leads_to_a_tool_that_may_not_be_used() -> None:
    gateway = GatewayHarness(permissions={"files:write_file": "deny"})
    for name in ("files:write_file", "files__write_file", "Write file"):
        answer = await gateway.call("tool_execute", {"toolKey": name})
        assert answer["isError"] is True
    assert gateway.upstreams.asked == []


async def test_an_unknown_tool_is_answered_with_the_nearest() -> None:
    for wrong in ("files:wite_file", "file:write_file", "files:writefile"):
        answer = await GatewayHarness().call("tool_execute", {"toolKey": wrong})
        assert "Did you mean files:write_file" in answer["content"][0]["text"]
    odd = await GatewayHarness().call("tool_execute", {"toolKey": "files:quux"})
    assert "tool_discovery" in odd["content"][0]["text"]


@pytest.mark.parametrize("arguments", ['{"path": "/x"}', ' {"path": "/x"}', {"path": "/x"}])
async def test_arguments_may_be_a_text_that_is_json(arguments: object) -> None:
    gateway = GatewayHarness()
    call = {"toolKey": "files:read_file", "arguments": arguments}
    assert await gateway.call("tool_execute", call) is ODD_RESULT
    assert gateway.upstreams.asked[0][2]["arguments"] == {"path": "/x"}


@pytest.mark.parametrize("arguments", ["path=/x", "[1]", '{"path": ', 7, '{"a": 1, "a": 2}'])
async def test_arguments_that_are_no_object_are_refused(arguments: object) -> None:
    call = {"toolKey": "files:read_file", "arguments": arguments}
    answer = await GatewayHarness().call("tool_execute", call)
    assert '"arguments" must be an object.' in answer["content"][0]["text"]


async def test_queries_may_be_a_text_that_is_a_json_list() -> None:
    found = await GatewayHarness().call("tool_discovery", {"query": '["read a file"]'})
    assert found["structuredContent"]["results"][0]["toolKey"] == "files:read_file"


@pytest.mark.proves("META-2")
async def test_a_whole_number_may_be_written_with_a_fraction_of_zero() -> None:
    assert len(await GatewayHarness().discover("file", maxResults=1.0)) == 1


@pytest.mark.parametrize("limit", [1.5, "1", [1], True])
async def test_a_limit_that_is_no_whole_number_is_refused(limit: object) -> None:
    arguments = {"query": ["file"], "maxResults": limit}
    answer = await GatewayHarness().call("tool_discovery", arguments)
    assert "whole number" in answer["content"][0]["text"]


def test_limits_stand_in_the_input_schema() -> None:
    properties = meta_tools.TOOLS[0]["inputSchema"]["properties"]
    assert properties["query"]["maxItems"] == meta_tools.MAX_QUERIES
    assert properties["query"]["items"]["maxLength"] == meta_tools.MAX_QUERY
    assert properties["context"]["maxLength"] == meta_tools.MAX_CONTEXT
    assert properties["maxResults"]["maximum"] == meta_tools.MAX_RESULTS
    script = progressive.EXECUTE_TOOL["inputSchema"]["properties"]["script"]
    assert script["maxLength"] == script_tools.MAX_SCRIPT


@pytest.mark.proves("META-4")
async def test_with_optimization_off_nothing_mentions_tools_that_are_not_listed() -> None:
    gateway = GatewayHarness(optimization=None)
    principal = gateway.request().principal
    assert "- files (2 tools)" in gateway.tool_methods.instructions(principal)
    wrong = await gateway.call("files__read_file", {})
    unknown = await gateway.call("tool_execute", {"toolKey": "files:quux"})
    missing = await gateway.call("tool_execute", {})
    said = [gateway.tool_methods.instructions(principal), str(wrong), str(unknown), str(missing)]
    for name in ("tool_discovery", "tool_execute", "list-server", "execute"):
        assert not [text for text in said if name in text]


async def test_a_failure_of_a_tool_with_an_output_schema_is_a_text() -> None:
    """Clients check structured content against the schema, of failures too."""
    with_schema = {**READ, "outputSchema": {"type": "object", "required": ["content"]}}
    gateway = GatewayHarness(tools=(with_schema,), optimization=None)
    answer = await gateway.call("files__read_file", {})
    assert answer["isError"] is True
    assert "structuredContent" not in answer
    assert '"path" is required' in answer["content"][0]["text"]


@pytest.mark.parametrize("hints", [{}, {"idempotentHint": False}, {"destructiveHint": False}])
async def test_a_call_that_is_not_idempotent_is_sent_once(hints: dict[str, bool]) -> None:
    gateway = hinted(Flaky(UpstreamFailed(LOST, "It exited.")), **hints)
    answer = await gateway.call("tool_execute", {"toolKey": "files:write_file"})
    assert answer["structuredContent"]["retryable"] is True
    assert [options.idempotent for options in gateway.upstreams.options] == [False]


@pytest.mark.parametrize(
    "error",
    [
        UpstreamFailed(Failure(FailureKind.TIMEOUT, "5 s"), "No answer."),
        UpstreamFailed(Failure(FailureKind.BAD_PROTOCOL), "No MCP."),
        UpstreamFailed(Failure(FailureKind.EXITED, retry_at=NOW), "It did not start."),
        HttpRefused(Failure(FailureKind.UNREACHABLE, "host", "HTTP 500"), 500),
    ],
)
async def test_only_a_broken_connection_causes_a_retry(error: Exception) -> None:
    gateway = hinted(Flaky(error), readOnlyHint=True)
    await gateway.call("tool_execute", {"toolKey": "files:write_file"})
    assert len(gateway.upstreams.asked) == 1


@pytest.mark.proves("META-3")
async def test_an_error_response_passes_unchanged() -> None:
    def refuse(*_: object) -> JsonObject:
        raise UpstreamAnsweredError(-32055, "quota", {"left": 0})

    with pytest.raises(MCPError) as raised:
        await GatewayHarness(refuse).call("tool_execute", {"toolKey": "files:write_file"})
    error = raised.value
    assert (error.code, error.message, error.data) == (-32055, "quota", {"left": 0})


@pytest.mark.proves("META-4")
async def test_with_optimization_off_all_tools_are_shown_and_called_by_exposed_name() -> None:
    gateway = GatewayHarness(optimization=None)
    listing = gateway.tool_methods.list_tools(gateway.request()).result
    assert [t["name"] for t in listing["tools"]] == ["files__read_file", "files__write_file"]
    assert await gateway.call("files__read_file", {"path": "/x"}) is ODD_RESULT
    assert await gateway.discover("read file") == []


@pytest.mark.proves("META-4")
async def test_optimization_is_set_per_project() -> None:
    gateway = GatewayHarness(projects={"all": {"name": "All", "optimization": None}})
    assert len(gateway.tool_methods.list_tools(gateway.request()).result["tools"]) == 2
    names = [
        t["name"] for t in gateway.tool_methods.list_tools(gateway.request("all")).result["tools"]
    ]
    assert names == ["files__read_file", "files__write_file"]


async def test_what_is_given_as_null_counts_as_absent() -> None:
    """Agents that fill in every field send null for what they leave out."""
    optional = {"maxResults": None, "context": None, "detail": None}
    [hit] = await GatewayHarness().discover("files:read_file", **optional)
    assert hit["toolKey"] == "files:read_file"
    gateway = GatewayHarness(optimization=None)
    wrong = await gateway.tool_methods.call_tool(
        gateway.request(name="files__read_file", arguments=None)
    )
    assert '"path" is required' in wrong["content"][0]["text"]


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({}, '"name" must be the name of a tool'),
        ({"name": 3}, '"name" must be the name of a tool'),
        ({"name": "tool_discovery", "arguments": []}, '"arguments" must be an object'),
        ({"name": "tool_discovery", "arguments": False}, '"arguments" must be an object'),
    ],
)
async def test_a_call_of_another_shape_says_what_is_wrong(params: JsonObject, why: str) -> None:
    gateway = GatewayHarness()
    with pytest.raises(MCPError, match=why):
        await gateway.tool_methods.call_tool(gateway.request(**params))


async def test_an_unexposed_name_is_an_unknown_tool() -> None:
    with pytest.raises(MCPError, match="Unknown tool"):
        await GatewayHarness().call("files__read_file", {"path": "/x"})


async def test_client_requests_are_recorded_without_argument_values() -> None:
    gateway = GatewayHarness()
    await gateway.discover("read a file")
    await gateway.call("tool_execute", {"toolKey": "files:read_file", "arguments": {"path": "/s3"}})
    gateway.tool_methods.list_tools(gateway.request())
    kinds = [entry.kind for entry in gateway.recorded]
    assert kinds == [ActivityKind.SEARCH, ActivityKind.CALL, ActivityKind.LIST]
    assert gateway.recorded[0].detail == "read a file"
    assert gateway.recorded[0].saved_tokens < 0
    assert (gateway.recorded[1].server, gateway.recorded[1].tool) == (FILES, "read_file")
    assert "/s3" not in repr(gateway.recorded)


def answer_at_length(ref: ServerRef, method: str, params: JsonObject) -> JsonObject:
    return {"content": [{"type": "text", "text": "x" * 100_000}]}


@pytest.mark.proves("META-3")
async def test_a_long_result_is_cut_and_continued_through_tool_execute() -> None:
    gateway = GatewayHarness(answer_at_length)
    answer = await gateway.call("tool_execute", {"toolKey": "files:write_file"})
    shown, note = answer["content"]
    assert len(shown["text"]) == 65_536
    assert gateway.recorded[-1].context_tokens < 17_000
    arguments = json.loads(note["text"].partition("arguments ")[2].removesuffix(".]"))
    rest = await gateway.call(
        "tool_execute", {"toolKey": "toolbooth:read_result", "arguments": arguments}
    )
    assert rest == {"content": [{"type": "text", "text": "x" * (100_000 - 65_536)}]}
    assert len(gateway.upstreams.asked) == 1


@pytest.mark.proves("META-4")
async def test_the_result_of_a_direct_call_is_never_cut() -> None:
    answer = await GatewayHarness(answer_at_length, optimization=None).call("files__write_file", {})
    assert answer == answer_at_length(ServerRef(HOME, FILES), "", {})


async def test_continuing_with_an_unknown_handle_is_a_clear_error() -> None:
    gateway = GatewayHarness()
    answer = await gateway.call(
        "tool_execute", {"toolKey": "toolbooth:read_result", "arguments": {"handle": "x"}}
    )
    assert answer["structuredContent"]["code"] == "TOOL_INVALID_INPUT"
    assert gateway.recorded[-1].outcome is Outcome.ERROR


@pytest.mark.proves("META-2")
async def test_the_continuation_tool_is_found_by_key_and_not_by_search() -> None:
    gateway = GatewayHarness()
    [hit] = await gateway.discover("toolbooth:read_result")
    assert hit["readiness"] == "ready"
    assert hit["inputSchema"]["required"] == ["handle"]
    assert "read_result" not in [hit["toolName"] for hit in await gateway.discover("read result")]
