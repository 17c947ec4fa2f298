"""Splitting byte streams into lines and server-sent events."""

from __future__ import annotations

from itertools import pairwise

import pytest

from router.wire.lines import LineSplitter
from router.wire.sse import SseParser


def cuts(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_lines_do_not_depend_on_how_bytes_are_split(size: int) -> None:
    splitter = LineSplitter()
    lines = [line for cut in cuts(b"one\ntwo\n\nthree\nrest", size) for line in splitter.feed(cut)]
    assert lines == [b"one", b"two", b"", b"three"]
    assert splitter.pending == 4
    assert splitter.flush() == b"rest"
    assert splitter.pending == 0


STREAM = (
    b": a comment\n\n"
    b"event: message\ndata: {}\n\n"
    b"event: ping\ndata: ignored\n\n"
    b"id: 7\ndata:\n\n"
    b"retry: 20\nretry: soon\ndata: a\ndata:b\n\n"
    b"data: unfinished\n"
)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_events_do_not_depend_on_line_ends_or_how_bytes_are_split(end: bytes, size: int) -> None:
    parser = SseParser()
    stream = STREAM.replace(b"\n", end)
    events = [event for cut in cuts(stream, size) for event in parser.feed(cut)]
    assert events == [(b"message", b"{}"), (b"ping", b"ignored"), (b"message", b"a\nb")]
    assert parser.last_event_id == "7"
    assert parser.retry_ms == 20
    assert parser.pending > 0


def test_an_unfinished_event_counts_as_pending() -> None:
    parser = SseParser()
    sizes = [parser.pending]
    for _ in range(3):
        parser.feed(b"data: 0123456789\n")
        sizes.append(parser.pending)
    assert all(after > before for before, after in pairwise(sizes))
    parser.feed(b"\n")
    assert parser.pending == 0
