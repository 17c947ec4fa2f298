"""Structured log events with a trace id: that of the client's request or the task that caused them.

The id is in a context variable, so it follows a request without being passed along.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

_trace: ContextVar[str] = ContextVar("trace", default="")


def begin_trace() -> str:
    """Set a new trace id for this task and the tasks it starts."""
    trace = secrets.token_hex(8)
    _trace.set(trace)
    return trace


@contextmanager
def new_trace() -> Generator[None]:
    """A new trace id for what happens in this block, and the tasks it starts."""
    token = _trace.set(secrets.token_hex(8))
    try:
        yield
    finally:
        _trace.reset(token)


def current_trace() -> str:
    return _trace.get()


class TraceFormatter(logging.Formatter):
    """Log lines with the trace id, if there is one."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s%(trace)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        trace = _trace.get()
        record.trace = f" [{trace}]" if trace else ""
        return super().format(record)


def log_event(
    log: logging.Logger, name: str, *, level: int = logging.INFO, **fields: str | int
) -> None:
    """Log the event `name`: as text for people, with `event` and `fields` for programs."""
    known = {**fields, "traceId": _trace.get()}
    text = json.dumps(known, ensure_ascii=False)
    log.log(level, "%s %s", name, text, extra={"event": name, "fields": known})


def redact_logs(redact: Callable[[str], str]) -> None:
    """Pass everything the root logger's handlers write through `redact`."""

    def redact_record(record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = redact(record.exc_text)
        return True

    for handler in logging.getLogger().handlers:
        handler.addFilter(redact_record)
