"""The process that runs one script: a pump between its pipes and Lua, and nothing else.

Started by `router.scripts.worker_pool`, which may kill it at any moment. It imports nothing of the
router. Each line in is answered by one line out, all JSON. The first has Lua's sources, so
that everything is loaded before a script is there; then the process gives up what it can
(`confinement`).

Only byte strings pass between Python and Lua: no Python object ever enters a script's world.
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
"""The type checker's idea of lupa is of an older version."""

_CHUNK = 1 << 16
_OUT_OF_MEMORY = b'{"calls":[],"done":{"stopped":"memory","printed":""}}'


def main() -> int:
    """Serve the one script that comes in; the exit code."""
    lines = _lines(0)
    prepared = json.loads(next(lines))
    lua = LuaRuntime(
        encoding=None,
        register_eval=False,
        register_builtins=False,
        attribute_filter=_no_attributes,
        max_memory=prepared["memory_bytes"],
    )
    hand_over, go_on = _load(lua, prepared)
    confine(cpu_s=prepared["cpu_s"], memory_bytes=prepared["process_bytes"])
    _write(1, b"{}")
    for line in lines:
        # Lua can't report that there is no room for what comes from outside of it, only abort. A
        # line is bounded, so it is handed over with the limit lifted, and counts from then on.
        lua.set_max_memory(0)
        hand_over(line)
        lua.set_max_memory(prepared["memory_bytes"])
        answer, finished = _answer(go_on)
        _write(1, answer)
        if finished:
            break
    return 0


def _load(lua: Any, prepared: dict[str, Any]) -> tuple[Any, Any]:
    """The sandbox's two functions. What Lua has of Python goes before anything is loaded."""
    lua.execute(b"python = nil")
    library = lua.compile(prepared["json"].encode(), name=b"=json")()
    hand_over, go_on = lua.compile(prepared["sandbox"].encode(), name=b"=sandbox")(library)
    return hand_over, go_on


def _answer(go_on: Callable[[], tuple[bytes, bool]]) -> tuple[bytes, bool]:
    try:
        return go_on()
    except lua54.LuaMemoryError:
        return _OUT_OF_MEMORY, True


def _no_attributes(subject: object, name: object, is_setting: bool) -> object:
    raise AttributeError("There is nothing of Python here.")


def _lines(descriptor: int) -> Iterator[bytes]:
    waiting = b""
    while chunk := os.read(descriptor, _CHUNK):
        waiting += chunk
        while (end := waiting.find(b"\n")) >= 0:
            line, waiting = waiting[:end], waiting[end + 1 :]
            yield line


def _write(descriptor: int, line: bytes) -> None:
    left = memoryview(line + b"\n")
    while left:
        left = left[os.write(descriptor, left) :]


if __name__ == "__main__":
    sys.exit(main())
