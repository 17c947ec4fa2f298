"""Known escapes from embedded Lua and lupa, and attempts to exceed limits: each fails."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from router.domain.names import LUA_GLOBALS
from router.scripts.limits import ScriptLimits
from tests.router.scripts.script_host import GENEROUS, EchoHost, failure_of, run, value_of
from tests.support.router_process import ROOT

SMALL = ScriptLimits(busy_s=30, instructions=2_000_000, memory_mb=8, calls=5, pending=3)


@pytest.mark.proves("PROG-7")
async def test_no_global_with_access_to_the_system_exists() -> None:
    names = ["io", "debug", "package", "python", "require", "dofile", "loadfile", "collectgarbage"]
    inside = ["os.execute", "os.getenv", "os.exit", "os.remove", "os.tmpname", "os.setlocale"]
    inside += ["os.rename", "string.dump"]
    script = f"result({{{', '.join(f'{name} == nil' for name in names + inside)}}})"
    assert await value_of(script) == [True] * (len(names) + len(inside))


ESCAPES = (
    "assert(load('\\27Lua'))",
    "load(function() return 'x' end)",
    "local open = load('return io', 'x', 'bt')().open",
    "load('return debug.getregistry()')()",
    "getmetatable('').__index.dump(print)",
    "getmetatable('').__index = {}",
    "setmetatable('', {})",
    "assert(getmetatable(files).__index)",
    "getmetatable(null).__tostring()",
    "setmetatable({}, {__gc = print})",
    "rawset(getmetatable(files.echo{}), '__index', nil)",
    "local x = ('').__class__.x",
    "local x = print.__globals__",
    "local x = files.echo.__self__",
    "local x = string.rep.__self__",
    "local x = (function() end).__code__.co_code",
    "_G.python.eval('1')",
    "_ENV.python.builtins.open('/etc/passwd')",
    "local x = coroutine.running().gi_frame",
    "local x = select(2, pcall(error)).__traceback__",
    "coroutine.close(coroutine.running())",
    "null.field = 1",
    "files.echo = 1",
)


@pytest.mark.proves("PROG-7")
async def test_no_escape_works() -> None:
    each = ",".join(f"(pcall(function() {escape} end))" for escape in ESCAPES)
    reached = await value_of(f"result({{{each}}})")
    assert [escape for escape, out in zip(ESCAPES, reached, strict=True) if out] == []


@pytest.mark.proves("PROG-7")
async def test_tool_names_are_never_code() -> None:
    """A server's fields are created on access: `__class__` is an unknown tool."""
    host = EchoHost()
    await run("files.__class__{}:await() files['../../etc']{}:await()", host)
    assert [call.tool for call in host.calls] == ["__class__", "../../etc"]


@pytest.mark.proves("PROG-7")
async def test_a_script_can_modify_only_its_own_globals() -> None:
    script = """
        string.format, string.find, table.concat, table.remove, tostring, pcall, next = nil
        string = nil
        local got = files.echo{a = {1, "x"}}:await()
        print = error
        result(got)
    """
    assert await value_of(script) == {"a": [1, "x"]}


LOOPS = (
    "while true do pcall(function() while true do end end) end",
    "pcall(pcall, function() while true do end end) while true do end",
    "xpcall(function() while true do end end, function() while true do end end)",
    "coroutine.wrap(function() while true do end end)()",
    "local c = coroutine.create(function() while true do end end) "
    "while true do coroutine.resume(c) end",
    "while true do coroutine.wrap(function() for i = 1, 50000 do end end)() end",
    "local x <close> = setmetatable({}, {__close = function() while true do end end})",
    "local _ = setmetatable({}, {__index = function() while true do end end}).x",
    "error(setmetatable({}, {__tostring = function() while true do end end}))",
    "print(setmetatable({}, {__tostring = function() while true do end end}))",
    "table.sort({3, 2, 1}, function() while true do end end)",
    "('x'):gsub('x', function() while true do end end)",
    "load('while true do end')()",
    "::here:: goto here",
)


@pytest.mark.proves("PROG-7")
async def test_an_endless_loop_runs_out_of_instructions() -> None:
    ends = {loop: await failure_of(loop, SMALL) for loop in LOOPS}
    assert [loop for loop, end in ends.items() if "2,000,000 instructions" not in end] == []


MEMORY_HOGS = (
    "local t = {} for i = 1, 1e9 do t[i] = {i} end",
    "local s = 'x' while true do s = s .. s end",
    "local s = ('x'):rep(100000000)",
    "local t = {} local function hoard() t[#t + 1] = ('x'):rep(1e6) .. #t end "
    "while pcall(hoard) do end t[#t + 1] = ('y'):rep(1e7)",
    "result(('x'):rep(7e6):gsub('x', 'yyyyyyyyyy'))",
    "local c = {} while true do c[#c + 1] = coroutine.create(print) end",
)


@pytest.mark.proves("PROG-7")
async def test_more_memory_than_allowed_is_refused() -> None:
    limits = replace(SMALL, instructions=1_000_000_000)
    ends = {memory_hog: await failure_of(memory_hog, limits) for memory_hog in MEMORY_HOGS}
    assert [memory_hog for memory_hog, end in ends.items() if "memory" not in end] == []


@pytest.mark.proves("PROG-7")
async def test_an_oversized_string_is_an_error() -> None:
    assert "string too large" in await failure_of("('x'):rep(1 << 60, ',')", SMALL)


@pytest.mark.proves("PROG-7")
async def test_a_slow_pattern_is_ended_by_the_time_limit() -> None:
    limits = replace(GENEROUS, busy_s=0.5)
    blow_up = "('a'):rep(50000):find(('.-'):rep(30) .. 'b')"
    assert "computed for more than 0.5 s" in await failure_of(blow_up, limits)


@pytest.mark.proves("PROG-7")
async def test_a_script_that_exceeds_its_time_is_ended() -> None:
    limits = replace(GENEROUS, wall_s=0.5)
    assert "took longer than 0.5 s" in await failure_of("files.wait{}:await()", limits)


@pytest.mark.proves("PROG-7")
async def test_calls_are_counted() -> None:
    many = "for i = 1, 9 do files.echo{}:await() end"
    assert "made 5 calls, as many as one may make" in await failure_of(many, SMALL)
    at_once = "for i = 1, 4 do files.wait{} end"
    assert "3 calls wait for an answer, as many as may at once" in await failure_of(at_once, SMALL)


@pytest.mark.proves("PROG-7")
async def test_output_is_bounded() -> None:
    assert "larger than 64 KB" in await failure_of("result(('x'):rep(70000))")
    printed = (await run("for i = 1, 100 do print(('x'):rep(1000)) end")).printed
    assert len(printed) < 66_000
    assert printed.endswith("(What was printed is cut at 64 KB.)\n")
    assert "arguments are too large" in await failure_of("files.echo{a = ('x'):rep(2000000)}")


CONFINED = """
import ctypes, os, socket, sys
from router.scripts.confinement import confine
given_up = confine(cpu_s=10, memory_bytes=512 << 20)
refused = []
for attempt in (
    lambda: open("/etc/passwd"),
    lambda: socket.socket(),
    lambda: os.fork(),
    lambda: os.execv("/bin/true", ["true"]),
    lambda: os.kill(os.getppid(), 0),
    lambda: os.mkdir("/tmp/never"),
):
    try:
        attempt()
    except OSError:
        refused.append(True)
os.write(1, f"{given_up} {len(refused)}".encode())
os._exit(0)
"""


@pytest.mark.proves("PROG-7")
def test_outside_lua_the_worker_process_is_confined() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", CONFINED]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout == "['limits', 'system calls'] 6", done.stderr


async def test_reserved_server_names_are_the_lua_globals() -> None:
    script = "local names = {} for name in pairs(_G) do names[#names + 1] = name end result(names)"
    assert set(await value_of(script)) == LUA_GLOBALS | {"files"}
