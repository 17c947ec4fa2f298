"""Progressive exposure: five meta-tools, short replies, and scripts with the same checks."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest

from router.catalog.saved_scripts import read_script
from router.catalog.tool_definition import context_tokens
from router.domain.activity import ActivityKind, Outcome
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef, TokenId
from router.domain.json_values import JsonObject
from router.gateway.tools import meta_tools, progressive
from router.scripts.worker import LuaRuntime
from router.upstream.ports import CallOptions
from tests.router.gateway.harness import READ, WRITE, Answer, GatewayHarness
from tests.support.fake_upstreams import FakeUpstreams

FIVE = ["list-servers", "list-server-tools", "tool-details", "inspect-tool-response", "execute"]
ODD: JsonObject = {"name": "odd.name", "description": "Odd\nthings", "inputSchema": {}}
PURGE: JsonObject = {
    "name": "purge",
    "description": "Remove everything",
    "inputSchema": {},
    "annotations": {"destructiveHint": True},
}
LOOK: JsonObject = {**READ, "name": "look", "annotations": {"readOnlyHint": True}}


def answer(ref: ServerRef, method: str, params: JsonObject) -> JsonObject:
    """`purge` fails; the others return their name and arguments."""
    name = params["name"]
    if name == "purge":
        return {"content": [{"type": "text", "text": "the disk is full"}], "isError": True}
    if name == "write_file":
        return {"content": [{"type": "text", "text": '{"written": [1, 2]}'}]}
    return {"content": [], "structuredContent": {"tool": name, **params["arguments"]}}


@pytest.fixture
async def gateway() -> AsyncGenerator[GatewayHarness]:
    gateway = GatewayHarness(
        answer,
        tools=(READ, WRITE, ODD, PURGE, LOOK),
        exposure="progressive",
        permissions={"files:look": "deny"},
    )
    yield gateway
    await gateway.runner.close()


async def text_of(gateway: GatewayHarness, name: str, **arguments: Any) -> str:
    result = await gateway.call(name, arguments)
    return result["content"][0]["text"]


@pytest.mark.proves("PROG-1", "META-1")
async def test_five_tools_are_listed_byte_for_byte_the_same(gateway: GatewayHarness) -> None:
    listings = [
        json.dumps(gateway.tool_methods.list_tools(gateway.request()).result) for _ in range(2)
    ]
    assert listings[0] == listings[1]
    assert [tool["name"] for tool in json.loads(listings[0])["tools"]] == FIVE
    entry = gateway.recorded[0]
    assert entry.context_tokens == context_tokens(progressive.LISTING) < 800


@pytest.mark.proves("PROG-1")
async def test_they_are_listed_only_in_progressive_exposure() -> None:
    searching = GatewayHarness(answer)
    for name in FIVE:
        with pytest.raises(Exception, match="Unknown tool"):
            await searching.call(name, {})
    off = GatewayHarness(answer, exposure="progressive", optimization=None)
    assert [t["name"] for t in off.tool_methods.list_tools(off.request()).result["tools"]] == [
        "files__read_file",
        "files__write_file",
    ]


@pytest.mark.proves("PROG-1")
async def test_a_project_can_offer_search_as_a_sixth_tool() -> None:
    gateway = GatewayHarness(answer, tools=(READ, ODD), exposure="progressive", offerSearch=True)
    listing = gateway.tool_methods.list_tools(gateway.request())
    assert [tool["name"] for tool in listing.result["tools"]] == [*FIVE, "tool_discovery"]
    assert listing is gateway.tool_methods.list_tools(gateway.request())
    [found] = await gateway.discover("odd things")
    assert found["lua"] == "files.odd_name"
    said = gateway.tool_methods.instructions(gateway.request().principal)
    assert "Find tools with tool_discovery" in said
    assert not [text for text in (said, str(listing.result)) if "tool_execute" in text]
    searching = GatewayHarness(offerSearch=True)
    names = [
        t["name"] for t in searching.tool_methods.list_tools(searching.request()).result["tools"]
    ]
    assert names == ["tool_discovery", "tool_execute"]


@pytest.mark.proves("PROG-2", "PROG-9")
async def test_servers_are_listed_with_identifier_description_version_and_instructions(
    gateway: GatewayHarness,
) -> None:
    gateway.relist(
        server_info={"version": "1.0.0", "description": "Files on disk"},
        instructions="Ask for\nabsolute paths.",
    )
    assert await text_of(gateway, "list-servers") == (
        "Available MCP Servers:\n\n## Files (Lua: files)\nFiles on disk\nVersion: 1.0.0\n"
        "Instructions: Ask for absolute paths.\nTools: 4"
    )


@pytest.mark.proves("PROG-3", "META-5")
async def test_tools_are_listed_in_brief_without_those_denied(gateway: GatewayHarness) -> None:
    assert await text_of(gateway, "list-server-tools", luaServerName="files") == (
        "Tools for Files:\n\n"
        "- odd.name (Lua: odd_name): Odd things\n"
        "- purge: Remove everything\n"
        "- read_file: Read a file\n"
        "- write_file: Write a file"
    )


@pytest.mark.proves("PROG-4")
async def test_details_have_description_parameters_and_an_example(gateway: GatewayHarness) -> None:
    details = await text_of(gateway, "tool-details", luaServerName="files", luaToolName="read_file")
    assert details == (
        "## read_file\n\nRead a file\n\n### Parameters\n\n- path (string, required)\n\n"
        "### Returns\n\nNot declared.\n\n"
        "### Example Usage\n\nlocal response = files.read_file({\n"
        '  path = "...",\n}):await()\nresult(response)'
    )


def described(name: str, description: str) -> JsonObject:
    return {"name": name, "description": description, "inputSchema": {}}


@pytest.mark.proves("PROG-2")
async def test_a_server_that_describes_nothing_is_told_by_its_tools() -> None:
    many = tuple(described(f"tool_{n}", "") for n in range(12))
    for tools, told in (
        ((READ, WRITE), "It has read_file, write_file.\nTools: 2"),
        (many, "tool_4, tool_5, and 4 more tools.\nTools: 12"),
    ):
        gateway = GatewayHarness(tools=tools, exposure="progressive")
        gateway.relist(server_info={"title": "files"})
        assert told in await text_of(gateway, "list-servers")


@pytest.mark.proves("PROG-3")
async def test_brief_descriptions_end_with_a_sentence() -> None:
    long = "Reads one file. " + "It says a lot about this, in a sentence that is rather long. " * 9
    endless = "word " * 100
    tools = tuple(
        described(name, text)
        for name, text in (
            ("a", long),
            ("b", endless),
            ("c", "Find e.g. a page.\n\nArgs:\n  q: what to find"),
            ("d", "ファイルを読む。" * 30),
        )
    )
    gateway = GatewayHarness(tools=tools, exposure="progressive")
    text = await text_of(gateway, "list-server-tools", luaServerName="files")
    a, b, c, d = [line.partition(": ")[2] for line in text.splitlines()[2:]]
    sentence = "It says a lot about this, in a sentence that is rather long."
    assert a == f"Reads one file. {sentence}"
    assert b == f"{' '.join(['word'] * 48)}…"
    assert c == "Find e.g. a page."
    assert d.endswith("。")


OUTPUT: JsonObject = {
    **READ,
    "outputSchema": {
        "type": "object",
        "properties": {"size": {"type": "integer", "description": "In bytes"}},
        "required": ["size"],
    },
}


@pytest.mark.proves("PROG-4")
async def test_details_show_what_a_tool_returns() -> None:
    gateway = GatewayHarness(answer, tools=(OUTPUT, WRITE), exposure="progressive")
    named = {"luaServerName": "files"}
    declared = await text_of(gateway, "tool-details", **named, luaToolName="read_file")
    assert "### Returns\n\n- size (integer, required): In bytes\n" in declared
    before = await text_of(gateway, "tool-details", **named, luaToolName="write_file")
    assert "### Returns\n\nNot declared.\n" in before
    await gateway.call("execute", {"script": "files.write_file{}:await()"})
    after = await text_of(gateway, "tool-details", **named, luaToolName="write_file")
    assert "Not declared. An earlier result was: {written: number[]}" in after
    other = gateway.request(name="tool-details", arguments={**named, "luaToolName": "write_file"})
    other = replace(other, principal=replace(other.principal, token=TokenId("other")))
    of_another = await gateway.tool_methods.call_tool(other)
    assert "An earlier result" not in of_another["content"][0]["text"]
    await gateway.runner.close()


@pytest.mark.proves("PROG-4")
async def test_details_of_several_tools_come_at_once(gateway: GatewayHarness) -> None:
    names = ["read_file", "odd_name", "odd.name", "files.write_file"]
    for arguments in (
        {"luaServerName": "files", "luaToolNames": names},
        {"luaServerName": "files", "luaToolName": names[0], "luaToolNames": names[1:]},
        {"luaServerName": "files", "luaToolNames": json.dumps(names)},
        {"luaToolNames": ["files.read_file", "files.odd_name", "files.odd.name", names[-1]]},
    ):
        text = await text_of(gateway, "tool-details", **arguments)
        headings = [line for line in text.splitlines() if line.startswith("## ")]
        assert headings == ["## read_file", "## odd.name", "## odd.name", "## write_file"]


@pytest.mark.proves("PROG-4")
async def test_a_wrong_name_among_several_does_not_hide_the_others(gateway: GatewayHarness) -> None:
    names = {"luaServerName": "files", "luaToolNames": ["raed_file", "read_file"]}
    text = await text_of(gateway, "tool-details", **names)
    assert 'Files has no tool "raed_file". Did you mean read_file' in text
    assert "## read_file" in text
    for wrong in ([], ["x"] * 21, [1], ["raed_file"]):
        result = await gateway.call("tool-details", {**names, "luaToolNames": wrong})
        assert result["isError"] is True


@pytest.mark.proves("PROG-5")
async def test_inspecting_really_calls_the_tool_and_says_so(gateway: GatewayHarness) -> None:
    arguments = {"luaServerName": "files", "luaToolName": "odd_name", "sampleArgs": {"a": 1}}
    assert await text_of(gateway, "inspect-tool-response", **arguments) == (
        'This really called files:odd.name. Its response:\n\n{"tool":"odd.name","a":1}'
    )
    [(_, method, params)] = gateway.upstreams.asked
    assert (method, params["name"]) == ("tools/call", "odd.name")
    failed = await gateway.call(
        "inspect-tool-response", {"luaServerName": "files", "luaToolName": "purge"}
    )
    assert failed["isError"] is True
    assert "It failed:\n\nthe disk is full" in failed["content"][0]["text"]


@pytest.mark.proves("PROG-5")
async def test_inspecting_says_truly_whether_the_tool_was_called() -> None:
    not_called: list[tuple[JsonObject, JsonObject, str]] = [
        ({}, {}, '"path" is required.'),
        ({"path": "/x"}, {"permissions": {"files:read_file": "ask"}}, "permission"),
        ({"path": 5}, {}, "must be of type"),
    ]
    named = {"luaServerName": "files", "luaToolName": "read_file"}
    for sample, config, why in not_called:
        gateway = GatewayHarness(answer, exposure="progressive", **config)
        text = await text_of(gateway, "inspect-tool-response", **named, sampleArgs=sample)
        assert text.startswith("files:read_file was not called.")
        assert why in text
        assert gateway.upstreams.asked == []
    error = UpstreamFailed(Failure(FailureKind.CALL_TIMEOUT, "5 s"), "No response.")
    error.sent = True
    outcomes = (
        (error, "files:read_file was sent the call. No response. The call may still"),
        (
            UpstreamFailed(Failure(FailureKind.EXITED), "It did not start."),
            "was not called. It did",
        ),
        (UpstreamAnsweredError(-32000, "quota"), "This really called files:read_file, which"),
    )
    for raised, says in outcomes:
        gateway = GatewayHarness(raising(raised), exposure="progressive")
        text = await text_of(gateway, "inspect-tool-response", **named, sampleArgs='{"path": "/"}')
        assert says in text


def raising(error: Exception) -> Answer:
    def answer(*_: object) -> JsonObject:
        raise error

    return answer


@pytest.mark.proves("PROG-2", "PROG-3", "PROG-4")
async def test_listing_servers_and_tools_starts_no_server(gateway: GatewayHarness) -> None:
    await text_of(gateway, "list-servers")
    await text_of(gateway, "list-server-tools", luaServerName="files")
    await text_of(gateway, "tool-details", luaServerName="files", luaToolName="purge")
    assert gateway.upstreams.asked == []
    assert {entry.kind for entry in gateway.recorded} == {ActivityKind.SEARCH}


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("list-server-tools", {}, '"luaServerName" is required.'),
        ("list-server-tools", {"luaServerName": "fils"}, "There are: files."),
        ("tool-details", {"luaServerName": "files", "luaToolName": "look"}, "has no tool"),
        ("inspect-tool-response", {"luaServerName": "files", "luaToolName": "look"}, "has no tool"),
        ("execute", {"script": 5}, '"script" is required.'),
        ("execute", {"script": "x" * 300_000}, "at most 256 KB"),
    ],
)
async def test_invalid_arguments_are_answered_with_a_hint(
    gateway: GatewayHarness, name: str, arguments: JsonObject, sentence: str
) -> None:
    result = await gateway.call(name, arguments)
    assert result["isError"] is True
    assert sentence in result["content"][0]["text"]
    assert gateway.recorded[-1].outcome is Outcome.ERROR


@pytest.mark.proves("PROG-6")
async def test_a_script_combines_calls_and_only_its_result_comes_back(
    gateway: GatewayHarness,
) -> None:
    script = """
        local written = files.write_file{}:await()
        local read = files.read_file{path = "/a"}:await()
        print("on the way")
        result({count = #written.written, path = read.path})
    """
    result = await gateway.call("execute", {"script": script})
    assert result["structuredContent"] == {"count": 2, "path": "/a"}
    assert [block["text"] for block in result["content"]] == [
        '{"count":2,"path":"/a"}',
        "Printed:\non the way",
    ]


@pytest.mark.proves("PROG-6")
@pytest.mark.parametrize(
    ("value", "text", "structured"),
    [
        ("42", "42", None),
        ("'a text'", "a text", None),
        ("{1, 2}", "[1,2]", {"result": [1, 2]}),
        ("null", "null", None),
    ],
)
async def test_a_result_always_has_text_and_structured_content_if_it_is_a_table(
    gateway: GatewayHarness, value: str, text: str, structured: JsonObject | None
) -> None:
    result = await gateway.call("execute", {"script": f"result({value})"})
    assert result["content"] == [{"type": "text", "text": text}]
    assert result.get("structuredContent") == structured


@pytest.mark.proves("META-5", "META-9", "PROG-6")
async def test_a_scripts_calls_are_checked_and_logged_as_the_clients(
    gateway: GatewayHarness,
) -> None:
    script = """
        local _, denied = pcall(function() return files.look{path = "/"}:await() end)
        local _, wrong = pcall(function() return files.read_file{}:await() end)
        local _, full = pcall(function() return files.purge{}:await() end)
        files.write_file{}:await()
        result({denied, wrong, full})
    """
    result = await gateway.call("execute", {"script": script})
    denied, wrong, full = result["structuredContent"]["result"]
    assert 'Files has no tool "look".' in denied
    assert '"path" is required.' in wrong
    assert full == "the disk is full"
    *inner, outer = gateway.recorded
    assert [(e.tool, e.outcome, e.client) for e in inner] == [
        ("read_file", Outcome.ERROR, "Editor"),
        ("purge", Outcome.ERROR, "Editor"),
        ("write_file", Outcome.OK, "Editor"),
    ]
    assert [entry.request_id for entry in inner] == ["1/2", "1/3", "1/4"]
    assert all(entry.context_tokens == 0 for entry in inner)
    assert inner[-1].saved_tokens > 0
    assert (outer.kind, outer.tool, outer.request_id) == (ActivityKind.CALL, "execute", "1")
    assert outer.context_tokens > 0
    assert outer.saved_tokens == -outer.context_tokens


async def test_an_unknown_server_is_answered_with_the_known_ones(gateway: GatewayHarness) -> None:
    result = await gateway.call("execute", {"script": "\nfile.read{}"})
    assert result["isError"] is True
    assert "at line 2:" in result["content"][0]["text"]
    assert "Did you mean files? Servers in scripts: files." in result["content"][0]["text"]
    misspelt = await gateway.call("execute", {"script": "prnt('x')"})
    assert "Did you mean print" in misspelt["content"][0]["text"]


async def test_an_unknown_tool_is_answered_with_the_nearest(gateway: GatewayHarness) -> None:
    result = await gateway.call("execute", {"script": "files.raed_file{path = '/'}:await()"})
    assert "Did you mean read_file" in result["content"][0]["text"]
    details = {"luaServerName": "files", "luaToolName": "readfile"}
    assert "Did you mean read_file" in await text_of(gateway, "tool-details", **details)
    assert "Did you mean files?" in await text_of(
        gateway, "list-server-tools", luaServerName="filse"
    )


@pytest.mark.proves("PROG-6")
async def test_a_script_that_fails_says_which_calls_had_been_carried_out() -> None:
    lost = UpstreamFailed(Failure(FailureKind.CALL_TIMEOUT, "5 s"), "No response.")
    lost.sent = True

    def some_are_lost(ref: ServerRef, method: str, params: JsonObject) -> JsonObject:
        if params["arguments"].get("path") == "/lost":
            raise lost
        return answer(ref, method, params)

    gateway = GatewayHarness(
        some_are_lost, tools=(READ, WRITE, PURGE), exposure="progressive",
        permissions={"files:purge": "ask"},
    )  # fmt: skip
    script = """
        files.write_file{path = "/a"}:await()
        files.write_file{path = "/b"}:await()
        pcall(function() files.read_file{path = "/lost"}:await() end)
        pcall(function() files.read_file{}:await() end)
        pcall(function() files.purge{}:await() end)
        error("stop here")
    """
    text = await text_of(gateway, "execute", script=script)
    assert text == (
        "The script failed at line 7: stop here. Already carried out: files.write_file (2 times). "
        "May have been carried out: files.read_file."
    )
    nothing = await text_of(gateway, "execute", script="error('early')")
    assert nothing == "The script failed at line 1: early"
    await gateway.runner.close()


async def test_a_call_under_way_when_a_script_fails_may_have_been_carried_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    immediate = FakeUpstreams.request

    async def request(
        self: FakeUpstreams, ref: ServerRef, method: str, params: JsonObject, *rest: CallOptions
    ) -> JsonObject:
        if params["arguments"].get("path") == "/slow":
            await asyncio.Event().wait()
        return await immediate(self, ref, method, params, *rest)

    monkeypatch.setattr(FakeUpstreams, "request", request)
    gateway = GatewayHarness(answer, exposure="progressive")
    script = """
        local slow = files.write_file{path = "/slow"}
        files.read_file{path = "/a"}:await()
        error("stop")
    """
    text = await text_of(gateway, "execute", script=script)
    assert text.endswith(
        "Already carried out: files.read_file. May have been carried out: files.write_file."
    )
    await gateway.runner.close()


@pytest.mark.proves("PROG-6", "PROG-7")
async def test_the_description_names_exactly_the_globals_there_are(
    gateway: GatewayHarness,
) -> None:
    described = re.search(
        r"Globals: the servers, (?P<own>.*); and those of Lua without (?P<without>.*) "
        r"and all of os but (?P<os>[^.]*)\.$",
        progressive.EXECUTE_TOOL["description"],
    )
    assert described is not None
    own = set(re.sub(r"\([^)]*\)", "", described["own"]).replace(" ", "").split(","))
    without = set(described["without"].replace(" ", "").split(","))
    names_of = """
        local names = {}
        for name, value in pairs(_G) do
            names[#names + 1] = name
            if type(value) == "table" and name ~= "_G" and name ~= "package" then
                for inner in pairs(value) do names[#names + 1] = name .. "." .. inner end
            end
        end
    """
    lua = LuaRuntime()
    plain = set(lua.execute(f"{names_of} return table.concat(names, ' ')").split())
    plain -= {name for name in plain if name.partition(".")[0] in {"python", *without}} | without
    plain -= {name for name in plain if name.startswith("os.")}
    plain |= {f"os.{name}" for name in described["os"].replace(" ", "").split(",")}
    result = await gateway.call("execute", {"script": f"{names_of} result(names)"})
    real = set(result["structuredContent"]["result"])
    assert real == plain | own | {"files", "json.decode", "json.encode"}
    assert "json (decode, encode)" in described["own"]


@pytest.mark.proves("META-1")
async def test_execute_can_be_offered_beside_the_two_meta_tools() -> None:
    gateway = GatewayHarness(answer, tools=(READ, ODD))
    gateway.offers_execute = True
    listing = gateway.tool_methods.list_tools(gateway.request()).result
    assert [t["name"] for t in listing["tools"]] == ["tool_discovery", "tool_execute", "execute"]
    assert listing == meta_tools.LISTING_WITH_EXECUTE
    [found] = await gateway.discover("odd things")
    assert found["lua"] == "files.odd_name"
    result = await gateway.call("execute", {"script": f"result({found['lua']}{{}}:await().tool)"})
    assert result["content"][0]["text"] == "odd.name"
    await gateway.runner.close()


SAVED = """---Double the length of a text.
---@param text string
result({n = #arguments.text * 2, other = pcall(function() scripts.double{text = ""}:await() end)})
"""


async def test_a_saved_script_is_a_tool_like_any_other(gateway: GatewayHarness) -> None:
    gateway.catalog.set_scripts([read_script("double", SAVED)])
    script = 'result(scripts.double{text = "abc"}:await())'
    assert (await gateway.call("execute", {"script": script}))["structuredContent"] == {
        "n": 6,
        "other": False,
    }
    assert "Double the length" in await text_of(
        gateway, "list-server-tools", luaServerName="scripts"
    )
    called = await gateway.call("tool_execute", {"toolKey": "scripts:double", "arguments": {}})
    assert '"text" is required.' in called["content"][0]["text"]
    assert [(e.server, e.tool) for e in gateway.recorded if e.server == "scripts"][-1] == (
        "scripts",
        "double",
    )


@pytest.mark.proves("META-5")
async def test_a_saved_script_obeys_permissions_and_scope() -> None:
    gateway = GatewayHarness(
        answer,
        permissions={"scripts:secret": "deny"},
        projects={
            "narrow": {"name": "Narrow", "servers": ["files"]},
            "wide": {"name": "Wide", "servers": ["files", "scripts"]},
        },
    )
    gateway.catalog.set_scripts([read_script("double", SAVED), read_script("secret", SAVED)])
    found = {hit["toolKey"] for hit in await gateway.discover("double the length")}
    assert found == {"scripts:double"}

    def in_project(name: str) -> set[str]:
        view = gateway.catalog.view(gateway.request(name).principal.project)
        return {str(key) for key in view.tools if key.server == "scripts"}

    assert in_project("narrow") == set()
    assert in_project("wide") == {"scripts:double"}


async def test_a_dry_run_calls_only_what_reads() -> None:
    gateway = GatewayHarness(answer, tools=(LOOK, WRITE))
    script = """
        local seen = files.look{path = "/"}:await()
        local made = files.write_file{path = seen.path}:await()
        print("wrote", made.nothing)
        result(seen.path)
    """
    trial = await gateway.tool_methods.script_tools.try_out(gateway.request(), script, {})
    assert (trial.result, trial.problem, trial.printed) == ('"/"', None, "wrote\tnil\n")
    assert [(str(c.key), c.arguments, c.made) for c in trial.calls] == [
        ("files:look", '{"path":"/"}', True),
        ("files:write_file", '{"path":"/"}', False),
    ]
    assert [params["name"] for _, _, params in gateway.upstreams.asked] == ["look"]
    broken = await gateway.tool_methods.script_tools.try_out(gateway.request(), "error('no')", {})
    assert broken.problem == "The script failed at line 1: no"
    await gateway.runner.close()
