"""The process that runs one script: it connects its pipes to Lua, and nothing else.

Started by `router.scripts.worker_pool`, which may kill it at any moment. It imports nothing of the
router. Each input line is answered by one output line, all JSON. The first one has the Lua sources,
so that everything is loaded before a script arrives; then the process confines itself
(`confinement`).

Only byte strings pass between Python and Lua: a script never gets a Python object.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import lupa.lua54 as lua54

from router.scripts.confinement import confine

LuaRuntime: Any = lua54.LuaRuntime
"""lupa's type stubs are of an older version."""

_CHUNK = 1 << 16
_OUT_OF_MEMORY = b'{"calls":[],"done":{"stopped":"memory","printed":""}}'


def main() -> int:
    """Run one script; the exit code."""
    lines = _lines(0)
    setup = json.loads(next(lines))
    lua = LuaRuntime(
        encoding=None,
        register_eval=False,
        register_builtins=False,
        attribute_filter=_no_attributes,
        max_memory=setup["memory_bytes"],
    )
    pass_line, resume = _load(lua, setup)
    confine(cpu_s=setup["cpu_s"], memory_bytes=setup["process_bytes"])
    _write(1, b"{}")
    for line in lines:
        # Lua aborts if memory runs out for a value from outside. A line is bounded, so it is passed
        # with the limit lifted, and counts from then on.
        lua.set_max_memory(0)
        pass_line(line)
        lua.set_max_memory(setup["memory_bytes"])
        answer, finished = _answer(resume)
        _write(1, answer)
        if finished:
            break
    return 0


def _load(lua: Any, setup: dict[str, Any]) -> tuple[Any, Any]:
    """The sandbox's two functions. Lua's access to Python is removed before anything is loaded."""
    lua.execute(b"python = nil")
    library = lua.compile(setup["json"].encode(), name=b"=json")()
    pass_line, resume = lua.compile(setup["sandbox"].encode(), name=b"=sandbox")(library)
    return pass_line, resume


def _answer(resume: Callable[[], tuple[bytes, bool]]) -> tuple[bytes, bool]:
    try:
        return resume()
    except lua54.LuaMemoryError:
        return _OUT_OF_MEMORY, True


def _no_attributes(subject: object, name: object, is_setting: bool) -> object:
    raise AttributeError("There is nothing of Python here.")


def _lines(descriptor: int) -> Iterator[bytes]:
    buffer = b""
    while chunk := os.read(descriptor, _CHUNK):
        buffer += chunk
        while (end := buffer.find(b"\n")) >= 0:
            line, buffer = buffer[:end], buffer[end + 1 :]
            yield line


def _write(descriptor: int, line: bytes) -> None:
    remaining = memoryview(line + b"\n")
    while remaining:
        remaining = remaining[os.write(descriptor, remaining) :]


if __name__ == "__main__":
    sys.exit(main())
