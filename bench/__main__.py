"""`python -m bench`: measures calls, prints a table, and writes the figures as JSON."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.latency import Effort, Latency, measure_latencies
from bench.peers import McpHub, Peer, Running, Toolbooth, fastmcp, sdk
from bench.report import Report
from bench.scripts import measure_scripts
from bench.start import first_list, measure_start, memory_mb
from bench.upstreams import http_upstream, stdio_upstream

CACHED_SERVERS = 8


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Toolbooth.")
    parser.add_argument("--out", type=Path, default=Path("build/bench.json"), metavar="FILE")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--calls", type=int, default=320, metavar="N", help="in each burst")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="toolbooth-bench-") as folder:
        effort = Effort(options.rounds, options.calls)
        report = asyncio.run(measure(Path(folder), effort))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report.as_json(), indent=2) + "\n")
    print(report.as_text())
    print(f"\nWritten to {options.out}.")


async def measure(folder: Path, effort: Effort) -> Report:
    latencies, memory = await measure_calls(folder, effort)
    many = [stdio_upstream(f"echo{number}") for number in range(CACHED_SERVERS)]
    peers = (Toolbooth(folder / "many-toolbooth", many), fastmcp(folder / "many-fastmcp", many))
    starts = [await measure_start(peer, effort.rounds) for peer in peers]
    scripts = await measure_scripts(folder / "scripts", effort)
    return Report(latencies, starts, memory, CACHED_SERVERS, scripts)


async def measure_calls(folder: Path, effort: Effort) -> tuple[list[Latency], dict[str, float]]:
    with ExitStack() as stack:
        upstreams = [stdio_upstream("stdio"), stack.enter_context(http_upstream("http"))]
        peers = (
            Toolbooth(folder / "toolbooth", upstreams),
            sdk(folder / "sdk", upstreams),
            fastmcp(folder / "fastmcp", upstreams),
            McpHub(folder / "mcp-hub", upstreams),
        )
        proxies: dict[Peer, Running] = {peer: stack.enter_context(peer.start()) for peer in peers}
        for running in proxies.values():
            await first_list(running)
        latencies = [
            latency
            for upstream in upstreams
            for latency in await measure_latencies(upstream, proxies, effort)
        ]
        memory = {peer.name: memory_mb(running.pid) for peer, running in proxies.items()}
    return latencies, memory


if __name__ == "__main__":
    main()
