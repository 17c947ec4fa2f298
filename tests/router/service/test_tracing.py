"""One trace id from a client's request to the server's stderr, in every line of the log."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextvars import copy_context

import pytest

from router.domain.activity import ActivityKind
from router.runtime.tracing import TraceFormatter, begin_trace
from tests.support.running_router import RunningRouter


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """All log lines of the router."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(TraceFormatter())
    ours = logging.getLogger("router")
    ours.addHandler(handler)
    before = ours.level
    ours.setLevel(logging.DEBUG)
    yield text
    ours.setLevel(before)
    ours.removeHandler(handler)


@pytest.mark.proves("REG-8", "META-9")
async def test_a_failed_call_can_be_traced_from_the_activity_log_to_the_servers_stderr(
    running: RunningRouter, lines: io.StringIO
) -> None:
    await running.add("Test")
    await running.call("tool_discovery", {"query": ["crash"]})
    crash = {"toolKey": "test:crash", "arguments": {"code": 3, "words": "out of cheese\n"}}
    await running.call("tool_execute", crash)
    recent = running.router.activity.recent()
    ids = {entry.kind: entry.request_id for entry in recent}
    assert ids[ActivityKind.CALL] != ids[ActivityKind.SEARCH]
    logged = lines.getvalue().splitlines()
    traced = [line for line in logged if f"[{ids[ActivityKind.CALL]}]" in line]
    assert any("client.call.failed" in line and "code 3" in line for line in traced)
    assert any(line.endswith("test: out of cheese") for line in traced)


def test_a_log_line_outside_a_call_has_no_trace_id() -> None:
    record = logging.LogRecord("router.x", logging.INFO, "", 0, "Hello", None, None)
    assert TraceFormatter().format(record).endswith("INFO router.x: Hello")
    trace, traced = copy_context().run(lambda: (begin_trace(), TraceFormatter().format(record)))
    assert traced.endswith(f"INFO router.x [{trace}]: Hello")
