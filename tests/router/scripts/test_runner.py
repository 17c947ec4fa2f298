"""What scripts can do: calls, concurrent calls, errors, values as JSON."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

import pytest

from router.runtime.tasks import spawn
from router.scripts.runner import Script, ScriptFailed
from tests.router.scripts.script_host import EchoHost, failure_of, run, script_runner, value_of
from tests.support.router_process import children_of
from tests.support.timeouts import WAIT_S


@pytest.mark.proves("PROG-6")
async def test_a_script_awaits_calls_and_returns_a_result() -> None:
    host = EchoHost()
    script = "local got = files.echo{a = 5, list = {1, 2}}:await() result({sum = got.a + 1})"
    finished = await run(script, host)
    assert finished.result == {"sum": 6}
    [call] = host.calls
    assert (call.server, call.tool) == ("files", "echo")
    assert call.arguments == {"a": 5, "list": [1, 2]}


@pytest.mark.proves("PROG-6")
async def test_several_calls_are_in_flight_at_once() -> None:
    host = EchoHost()
    script = """
        local calls = {}
        for i = 1, 50 do calls[i] = files.echo{i = i} end
        local sum = 0
        for _, got in ipairs(await_all(calls)) do sum = sum + got.i end
        result(sum)
    """
    assert (await run(script, host)).result == 1275
    assert 1 < host.max_active_calls <= 16


async def test_await_all_takes_promises_by_name_or_as_a_list() -> None:
    script = """
        local named = await_all{a = files.echo{v = 1}, b = files.echo{v = false}}
        local row = await_all(files.echo{v = 3}, files.echo{v = 4})
        result({named.a.v, named.b.v, row[1].v, row[2].v})
    """
    assert await value_of(script) == [1, False, 3, 4]


@pytest.mark.proves("PROG-6")
async def test_a_failed_call_is_a_lua_error_with_the_servers_text() -> None:
    script = "local ok, why = pcall(function() files.fail{}:await() end) result({ok, why})"
    assert await value_of(script) == [False, "the disk is full"]
    uncaught = await failure_of("\n\nfiles.fail{}:await()")
    assert "The script failed at line 3: the disk is full" in uncaught


async def test_an_unawaited_call_is_still_made_and_its_failure_reported() -> None:
    host = EchoHost()
    await run("files.echo{} files.echo{}", host)
    assert len(host.calls) == 2
    failure = await failure_of("files.fail{} result(1)")
    assert "call 1 (files.fail), which nobody awaited: the disk is full" in failure


async def test_null_arrays_and_empty_tables_are_distinguished() -> None:
    script = """
        local got = files.text{text = '{"list":[],"map":{},"none":null,"deep":[null,[]]}'}:await()
        assert(got.none == null and #got.list == 0)
        result({got = got, mine = {}, list = array(), full = array{1}, nothing = null})
    """
    assert await value_of(script) == {
        "got": {"list": [], "map": {}, "none": None, "deep": [None, []]},
        "mine": {},
        "list": [],
        "full": [1],
        "nothing": None,
    }


TEXTS = {
    '{"a": [1, 2.5, -3e2, true]}': {"a": [1, 2.5, -300, True]},
    "[]": [],
    "42": "42",
    "{no JSON}": "{no JSON}",
    '["\\u00e9\\ud83d\\ude00\\n\\"\\\\"]': ['é😀\n"\\'],
    '["\\ud83d"]': ["\ufffd"],
    "[" * 200 + "]" * 200: "[" * 200 + "]" * 200,
}


async def test_a_text_that_is_json_arrives_as_its_value() -> None:
    script = """
        local calls = {}
        for place, text in ipairs(arguments.texts) do calls[place] = files.text{text = text} end
        result(await_all(calls))
    """
    assert await value_of(script, texts=list(TEXTS)) == list(TEXTS.values())


VALUES = {
    "10 / 2": 5,
    "0.1": 0.1,
    "9007199254740993": 9007199254740993,
    "{[10] = 'ten'}": {"10": "ten"},
    "'日本\\0\\n\"'": '日本\0\n"',
    "{a = true, b = {false}}": {"a": True, "b": [False]},
}


async def test_lua_values_become_json() -> None:
    assert await value_of(f"result({{{', '.join(VALUES)}}})") == list(VALUES.values())


@pytest.mark.parametrize(
    ("lua", "sentence"),
    [
        ("print", "a function has no form in JSON"),
        ("0/0", "nan has no form in JSON"),
        ("files.echo{}", "call :await() on it first"),
        ("(function() local t = {} t.t = t return t end)()", "nested too deep, or in itself"),
    ],
)
async def test_values_without_a_json_form_are_refused(lua: str, sentence: str) -> None:
    assert sentence in await failure_of(f"result({lua})")


async def test_printed_and_returned_values_are_in_the_result() -> None:
    finished = await run('print("a", 1, nil) print({} ~= nil) return {done = true}')
    assert finished.printed == "a\t1\tnil\ntrue\n"
    assert finished.result == {"done": True}
    assert not (await run("local x = 1")).has_result


async def test_await_inside_a_coroutine_blocks_the_whole_script() -> None:
    script = """
        local each = coroutine.wrap(function()
            for i = 1, 3 do coroutine.yield(files.echo{i = i}:await().i) end
        end)
        local seen = {}
        for i in each do seen[#seen + 1] = i end
        result(seen)
    """
    assert await value_of(script) == [1, 2, 3]


async def test_a_mistake_in_the_script_names_its_line() -> None:
    assert "at line 2: unexpected symbol near '='" in await failure_of("local a = 1\nb = = 2")
    missing = await failure_of("\nnowhere.tool{}")
    assert "at line 2: attempt to index a nil value (global 'nowhere')" in missing
    assert '{"code":5}' in await failure_of("error({code = 5})")


async def test_progress_goes_both_ways() -> None:
    host = EchoHost()
    script = """
        local seen = {}
        local note = function(done, total, message) seen = {done, total, message} end
        files.echo({}, {on_progress = note}):await()
        progress(3, 4, "soon")
        result(seen)
    """
    assert (await run(script, host)).result == [1, 2, "half"]
    assert host.reported == [{"progress": 3, "total": 4, "message": "soon"}]


async def test_a_script_can_cancel_a_call() -> None:
    host = EchoHost()
    script = """
        local slow = files.wait{}
        files.echo{}:await()
        slow:cancel()
        local _, why = pcall(slow.await, slow)
        files.echo{}:await()
        result(why)
    """
    assert (await run(script, host)).result == "the script cancelled this call"
    assert host.cancelled.is_set()


@pytest.mark.proves("PROG-7")
async def test_cancelling_a_script_ends_its_calls_and_its_worker() -> None:
    host = EchoHost()
    async with script_runner() as runner:
        running = spawn(runner.run(Script("files.wait{}:await()", ("files",)), host), name="script")
        await asyncio.wait_for(host.waiting.wait(), WAIT_S)
        running.cancel()
        await asyncio.wait([running])
        assert host.cancelled.is_set()
        assert host.active_calls == 0
        assert (await runner.run(Script("result(1)"), host)).result == 1


async def test_cancelling_a_script_twice_leaves_no_worker() -> None:
    host = EchoHost()
    before = children_of(os.getpid())
    async with script_runner() as runner:
        running = spawn(runner.run(Script("files.wait{}:await()", ("files",)), host), name="script")
        await asyncio.wait_for(host.waiting.wait(), WAIT_S)
        running.cancel()
        await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait([running])
    assert children_of(os.getpid()) <= before


async def test_each_script_has_its_own_process_and_none_is_left() -> None:
    async with script_runner() as runner:
        before = children_of(os.getpid())
        assert (await runner.run(Script("leak = 1 result(leak)"), EchoHost())).result == 1
        assert (await runner.run(Script("result(leak == nil)"), EchoHost())).result is True
    assert children_of(os.getpid()) <= before


@pytest.mark.proves("PROG-7")
async def test_a_killed_worker_fails_one_script() -> None:
    others = children_of(os.getpid())
    async with script_runner() as runner:
        host = EchoHost()
        running = spawn(runner.run(Script("files.wait{}:await()", ("files",)), host), name="script")
        await asyncio.wait_for(host.waiting.wait(), WAIT_S)
        for pid in children_of(os.getpid()) - others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        host.release.set()
        with pytest.raises(ScriptFailed, match="process ended"):
            await running
        assert (await runner.run(Script("result(2)"), EchoHost())).result == 2


async def test_more_scripts_than_workers_wait_their_turn() -> None:
    async with script_runner() as runner:
        runs = [runner.run(Script(f"result({n})"), EchoHost()) for n in range(6)]
        assert [finished.result for finished in await asyncio.gather(*runs)] == list(range(6))


async def test_a_result_too_large_for_a_script_is_an_error_of_that_call() -> None:
    script = "local ok, why = pcall(function() return files.large{}:await() end) result(why)"
    assert await value_of(script) == "The result is too large for a script."


async def test_arguments_must_be_named() -> None:
    assert "Arguments have names: echo{name = value}." in await failure_of("files.echo{1, 2}")


NOT_AWAITED = [
    "local x = files.echo{a = 1}.a",
    "local x = files.echo{a = 1}[1]",
    "for _, each in ipairs(files.echo{}) do end",
    "for _, each in pairs(files.echo{}) do end",
    "local x = #files.echo{}",
    "local x = files.echo{} .. 'text'",
    "local x = 1 + files.echo{}",
    "local x = files.echo{} < 1",
    "local call = files.echo{} call.a = 1",
    "table.concat(files.echo{})",
    "result({files.echo{}.a})",
]


EACH = """
    local found = {}
    for place, text in ipairs(arguments.texts) do
        local ok, why = pcall(load(text, "=script"))
        found[place] = ok and "no error" or type(why) == "string" and why or "no text"
    end
    result(found)
"""
"""Runs each text by itself and returns its error."""


@pytest.mark.proves("PROG-6")
async def test_using_a_call_that_was_not_awaited_is_an_error_that_says_so() -> None:
    why = "the result of files.echo was not awaited: call :await() on it first"
    failures = dict(zip(NOT_AWAITED, await value_of(EACH, texts=NOT_AWAITED), strict=True))
    assert {text: why in failure for text, failure in failures.items()} == dict.fromkeys(
        NOT_AWAITED, True
    )
    assert f"at line 2: {why}" in await failure_of("\nlocal x = files.echo{a = 1}.a")


async def test_a_tool_called_with_a_colon_says_how_to_write_it() -> None:
    failure = await failure_of("\nfiles:echo{a = 1}:await()")
    assert "failed at line 2: write files.echo{…}, with a dot" in failure


async def test_a_promise_can_still_be_passed_on_and_shown() -> None:
    script = """
        local calls = {files.echo{a = 1}}
        table.insert(calls, files.echo{a = 2})
        print(calls[1])
        result(calls[2]:await().a + calls[1].await(calls[1]).a)
    """
    finished = await run(script)
    assert (finished.result, finished.printed) == (3, "files.echo{…}, not awaited\n")


@pytest.mark.proves("PROG-6")
async def test_await_all_returns_each_result_or_error() -> None:
    script = """
        local row, errors = await_all{files.echo{v = 1}, files.fail{}, files.text{text = "b"}}
        local named, why = await_all{bad = files.fail{}, good = files.echo{v = 2}}
        local _, used = pcall(function() return row[2].path end)
        result({
            row = row, errors = errors, count = #row, named = named, why = why,
            told = row[2].error, used = used,
        })
    """
    failed = {"error": "the disk is full"}
    value = await value_of(script)
    assert value["row"] == [{"v": 1}, failed, "b"]
    assert value["errors"] == {"2": "the disk is full"}
    assert value["count"] == 3
    assert value["named"] == {"bad": failed, "good": {"v": 2}}
    assert value["why"] == {"bad": "the disk is full"}
    assert value["told"] == "the disk is full"
    assert value["used"].endswith("the disk is full")


async def test_awaiting_all_waits_for_those_after_a_failed_one() -> None:
    host = EchoHost()
    await run("await_all{files.fail{}, files.echo{}, files.fail{}, files.echo{}}", host)
    assert len(host.calls) == 4


async def test_tables_are_printed_as_json() -> None:
    script = """
        print({a = 1, list = {1, 2}}, {}, array{}, null, "text", 1.5)
        print({f = print}, setmetatable({}, {__tostring = function() return "own" end}))
        print(files.text{text = '{"deep": [{"x": null}]}'}:await())
    """
    first, second, third, _ = (await run(script)).printed.split("\n")
    assert first == '{"a":1,"list":[1,2]}\t{}\t[]\tnull\ttext\t1.5'
    assert second.startswith("table: 0x")
    assert second.endswith("(a function has no form in JSON)\town")
    assert third == '{"deep":[{"x":null}]}'


async def test_json_can_be_read_and_written() -> None:
    script = """
        local value = json.decode('{"a": [1, null, {"b": "\\\\u00e9"}], "empty": []}')
        assert(value.a[2] == null and json.decode("42") == 42 and json.decode('"x"') == "x")
        local text = json.encode({list = array{}, n = null, t = {1, 2}})
        local _, broken = pcall(json.decode, '{"a": ')
        local _, wrong = pcall(json.decode, 5)
        local _, unwritable = pcall(json.encode, print)
        result({value, text, broken, wrong, unwritable})
    """
    value, text, broken, wrong, unwritable = await value_of(script)
    assert value == {"a": [1, None, {"b": "é"}], "empty": []}
    assert text == '{"list":[],"n":null,"t":[1,2]}'
    assert "no JSON at character" in broken
    assert "json.decode takes a text" in wrong
    assert "a function has no form in JSON" in unwritable


MISTAKES = [
    "setmetatable(5, {})",
    "setmetatable({}, 5)",
    "coroutine.close(5)",
    "coroutine.create(5)",
    "coroutine.resume(5)",
    "coroutine.wrap(5)",
    "coroutine.wrap(function() error('x') end)()",
    "load(5)",
    "array(5)",
    "await_all(5)",
    "print(setmetatable({}, {__tostring = function() return {} end}))",
    "progress('x')",
    "progress(1, print)",
    "json.decode('[')",
    "json.encode(print)",
    "result(print)",
    "files.echo(5)",
    "files.echo{print}",
    "files[1]()",
    "files.echo{}:await(1):await()",
    "files.x = 1",
    "null.x = 1",
    "error(setmetatable({}, {__tostring = function() error('y') end}))",
]


async def test_no_error_points_into_the_sandbox() -> None:
    failures = dict(zip(MISTAKES, await value_of(EACH, texts=MISTAKES), strict=True))
    assert [text for text, failure in failures.items() if failure == "no error"] == []
    inside = ("sandbox:", "json:")
    assert [each for each in failures.values() if any(name in each for name in inside)] == []


@pytest.mark.parametrize("mistake", ["setmetatable(5, {})", "array(5)"])
async def test_an_error_raised_for_a_script_names_the_line_of_the_script(mistake: str) -> None:
    failure = await failure_of(f"\n{mistake}")
    assert "at line 2: " in failure
    assert "sandbox" not in failure
