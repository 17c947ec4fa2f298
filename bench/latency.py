"""The latency of a call: directly to the server, and through each proxy, in turns.

The machine's speed changes from second to second, so each round measures all of them once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from bench.client import Connection, StdioConnection, http_connections, opened
from bench.measure import Burst, Call, Figures, burst, figures
from bench.peers import Peer, Running
from bench.upstreams import Upstream

ParamsOf: TypeAlias = Callable[[str], dict[str, Any]]

DIRECT = "direct"
CONCURRENCIES = (1, 8, 32)


@dataclass(frozen=True, slots=True)
class Effort:
    rounds: int
    calls: int


@dataclass(frozen=True, slots=True)
class Latency:
    """Calls to one upstream, direct or through a proxy (`route`); `added_ms` is the difference from
    the direct median."""

    upstream: str
    concurrency: int
    route: str
    figures: Figures
    added_ms: float


async def measure_latencies(
    upstream: Upstream, proxies: Mapping[Peer, Running], effort: Effort
) -> list[Latency]:
    found: list[Latency] = []
    for concurrency in CONCURRENCIES:
        async with AsyncExitStack() as stack:
            routes = {DIRECT: await stack.enter_async_context(direct(upstream, concurrency))}
            for peer, running in proxies.items():
                route = through(peer, running, upstream, concurrency)
                routes[peer.name] = await stack.enter_async_context(route)
            results = await in_turns(routes, effort)
        direct_ms = results[DIRECT].p50_ms
        found += [
            Latency(upstream.name, concurrency, route, result, result.p50_ms - direct_ms)
            for route, result in results.items()
        ]
    return found


async def in_turns(routes: Mapping[str, Sequence[Call]], effort: Effort) -> dict[str, Figures]:
    bursts: defaultdict[str, list[Burst]] = defaultdict(list)
    for _ in range(effort.rounds):
        for route, callers in routes.items():
            await burst(callers, len(callers))  # warms up: connections, servers started on demand
            bursts[route].append(await burst(callers, effort.calls))
    return {route: figures(done) for route, done in bursts.items()}


@asynccontextmanager
async def direct(upstream: Upstream, concurrency: int) -> AsyncGenerator[list[Call]]:
    def params(text: str) -> dict[str, Any]:
        return {"name": "echo", "arguments": {"text": text}}

    if upstream.url:
        async with http_connections(upstream.url, {}, concurrency) as connections:
            yield [caller(connection, params) for connection in connections]
    else:
        async with opened(StdioConnection(upstream.command)) as connection:
            yield [caller(connection, params) for _ in range(concurrency)]


@asynccontextmanager
async def through(
    peer: Peer, running: Running, upstream: Upstream, concurrency: int
) -> AsyncGenerator[list[Call]]:
    def params(text: str) -> dict[str, Any]:
        return peer.call_params(upstream, text)

    async with running.connections(concurrency) as connections:
        yield [caller(connection, params) for connection in connections]


def caller(connection: Connection, params: ParamsOf) -> Call:
    async def call(text: str) -> str:
        result = await connection.ask("tools/call", params(text))
        return result["content"][0]["text"]

    return call
