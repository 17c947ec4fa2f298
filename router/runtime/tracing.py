"""Structured log events, each with the id of what caused it: a client's request or a task of ours.

The id lives in the context, so it follows a request through every room without being handed on.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable
from contextvars import ContextVar

_trace: ContextVar[str] = ContextVar("trace", default="")


def begin_trace() -> str:
    """Whatever this task logs from now on, and the tasks it starts, has one new id."""
    trace = secrets.token_hex(8)
    _trace.set(trace)
    return trace


def current_trace() -> str:
    return _trace.get()


class TraceFormatter(logging.Formatter):
    """Lines of log, with the trace id of what they are about where there is one."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s%(trace)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        trace = _trace.get()
        record.trace = f" [{trace}]" if trace else ""
        return super().format(record)


def log_event(
    log: logging.Logger, name: str, *, level: int = logging.INFO, **fields: str | int
) -> None:
    """Log the event `name`: in words for people, and with `event` and `fields` for programs."""
    known = {**fields, "traceId": _trace.get()}
    text = json.dumps(known, ensure_ascii=False)
    log.log(level, "%s %s", name, text, extra={"event": name, "fields": known})


def redact_logs(redact: Callable[[str], str]) -> None:
    """From now on whatever the application's log handlers write goes through `redact`."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(_Redacting(redact))


class _Redacting(logging.Filter):
    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._redact = redact

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._redact(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._redact(record.exc_text)
        return True
