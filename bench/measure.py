"""Call latency: bursts of calls by several concurrent callers, and the figures of a burst."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Call: TypeAlias = Callable[[str], Awaitable[str]]
"""Sends a text through whatever is measured and returns what came back."""


@dataclass(frozen=True, slots=True)
class Burst:
    latencies_s: tuple[float, ...]
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Figures:
    p50_ms: float
    p95_ms: float
    calls_per_s: float


async def burst(callers: Sequence[Call], calls: int) -> Burst:
    """Each caller makes its share of `calls`, one after the other, all callers at once."""
    started = time.perf_counter()
    share = max(1, calls // len(callers))
    parts = await asyncio.gather(*(_repeat(call, share) for call in callers))
    elapsed_s = time.perf_counter() - started
    return Burst(tuple(latency for part in parts for latency in part), elapsed_s)


async def _repeat(call: Call, times: int) -> list[float]:
    latencies: list[float] = []
    for number in range(times):
        text = f"call {number} of {id(call)}"
        started = time.perf_counter()
        answer = await call(text)
        latencies.append(time.perf_counter() - started)
        if answer != text:
            raise RuntimeError(f"Sent {text!r}, got {answer!r}")
    return latencies


def figures(bursts: Sequence[Burst]) -> Figures:
    """Over all rounds together; the rate is the median of theirs, since one may be disturbed."""
    latencies = sorted(latency for burst in bursts for latency in burst.latencies_s)
    rates = [len(burst.latencies_s) / burst.elapsed_s for burst in bursts]
    return Figures(
        p50_ms=1000 * statistics.median(latencies),
        p95_ms=1000 * latencies[int(0.95 * (len(latencies) - 1))],
        calls_per_s=statistics.median(rates),
    )
