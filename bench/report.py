"""The figures as a table for people and as JSON for programs."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.latency import Latency
from bench.scripts import ScriptFigures
from bench.start import Start


@dataclass(frozen=True, slots=True)
class Report:
    latencies: Sequence[Latency]
    starts: Sequence[Start]
    memory_after_calls_mb: Mapping[str, float]
    cached_servers: int
    scripts: ScriptFigures

    def as_json(self) -> dict[str, Any]:
        machine = {"system": platform.platform(), "cores": os.cpu_count()}
        return {"machine": {**machine, "python": platform.python_version()}, **asdict(self)}

    def as_text(self) -> str:
        parts = (
            _table(
                ("upstream", "at once", "route", "p50 ms", "p95 ms", "added ms", "calls/s"),
                (_latency_row(latency) for latency in self.latencies),
            ),
            _table(
                ("route", f"first list, {self.cached_servers} servers", "memory", "after calls"),
                (self._start_row(start) for start in self.starts),
            ),
            _table(
                ("the same calls by", "ms per call", f"tokens for {self.scripts.calls} calls"),
                (
                    ("tool_execute", f"{self.scripts.execute_ms:.2f}", _tokens(self.scripts)[0]),
                    ("a script", f"{self.scripts.script_ms:.2f}", _tokens(self.scripts)[1]),
                ),
            ),
        )
        return "\n\n".join(parts)

    def _start_row(self, start: Start) -> Sequence[str]:
        after = self.memory_after_calls_mb[start.route]
        memory = (f"{start.memory_mb:.0f} MB", f"{after:.0f} MB")
        return (start.route, f"{start.first_list_s:.2f} s", *memory)


def _tokens(scripts: ScriptFigures) -> tuple[str, str]:
    return f"{scripts.execute_tokens:,}", f"{scripts.script_tokens:,}"


def _latency_row(latency: Latency) -> Sequence[str]:
    result = latency.figures
    return (
        latency.upstream,
        str(latency.concurrency),
        latency.route,
        f"{result.p50_ms:.2f}",
        f"{result.p95_ms:.2f}",
        f"{latency.added_ms:.2f}",
        f"{result.calls_per_s:,.0f}",
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
