"""Calls through a router at a steady rate, from a separate process, until its stdin ends.

python -m bench.window_load URL TOKEN TOOL CALLS_PER_S
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

from bench.client import HttpConnection, http_connections

CALLERS = 8


async def main(url: str, token: str, tool: str, calls_per_s: float) -> None:
    done = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, done.set)
    started, counts = time.monotonic(), [0] * CALLERS
    async with http_connections(url, {"Authorization": f"Bearer {token}"}, CALLERS) as callers:
        await callers[0].ask("tools/call", _params(tool))  # This one starts the server.
        print("calling", flush=True)
        await asyncio.gather(
            *(
                _call_on(caller, counts, number, tool, CALLERS / calls_per_s, done)
                for number, caller in enumerate(callers)
            )
        )
    print(json.dumps({"calls_per_s": sum(counts) / (time.monotonic() - started)}), flush=True)


async def _call_on(
    caller: HttpConnection,
    counts: list[int],
    number: int,
    tool: str,
    pause_s: float,
    done: asyncio.Event,
) -> None:
    due = time.monotonic() + pause_s * number / CALLERS
    while not done.is_set():
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        await caller.ask("tools/call", _params(tool))
        counts[number] += 1
        due = max(due + pause_s, time.monotonic() - 1)


def _params(tool: str) -> dict[str, Any]:
    return {"name": "tool_execute", "arguments": {"toolKey": tool, "arguments": {"text": "hi"}}}


if __name__ == "__main__":
    _url, _token, _tool, _rate = sys.argv[1:]
    asyncio.run(main(_url, _token, _tool, float(_rate)))
