"""The time from the start of a proxy to its first tool list, and its memory then."""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import dataclass

import psutil

from bench.peers import Peer, Running

START_LIMIT_S = 60.0
RETRY_S = 0.01


@dataclass(frozen=True, slots=True)
class Start:
    """Medians over all rounds. Memory is what the proxy's own process holds, without servers."""

    route: str
    first_list_s: float
    memory_mb: float


async def measure_start(peer: Peer, rounds: int) -> Start:
    times: list[float] = []
    memories: list[float] = []
    for _ in range(rounds):
        started = time.perf_counter()
        with peer.start() as running:
            await first_list(running)
            times.append(time.perf_counter() - started)
            memories.append(memory_mb(running.pid))
    return Start(peer.name, statistics.median(times), statistics.median(memories))


async def first_list(running: Running) -> None:
    """List the tools as soon as the proxy listens."""
    async with asyncio.timeout(START_LIMIT_S):
        while True:
            try:
                async with running.connections(1) as connections:
                    await connections[0].ask("tools/list", {})
                    return
            except ConnectionRefusedError:
                await asyncio.sleep(RETRY_S)


def memory_mb(pid: int) -> float:
    """The resident memory of a process."""
    return psutil.Process(pid).memory_info().rss / 2**20
