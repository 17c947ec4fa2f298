"""Structured log events, each with the id of what caused it: a client's request or a task of ours.

The id lives in the context, so it follows a request through every room without being handed on.
"""

from __future__ import annotations

import json
import logging
import secrets
from contextvars import ContextVar

_trace: ContextVar[str] = ContextVar("trace", default="")


def begin_trace() -> str:
    """Whatever this task logs from now on, and the tasks it starts, has one new id."""
    trace = secrets.token_hex(8)
    _trace.set(trace)
    return trace


def log_event(
    log: logging.Logger, name: str, *, level: int = logging.INFO, **fields: str | int
) -> None:
    """Log the event `name`: in words for people, and with `event` and `fields` for programs."""
    known = {**fields, "traceId": _trace.get()}
    text = json.dumps(known, ensure_ascii=False)
    log.log(level, "%s %s", name, text, extra={"event": name, "fields": known})
