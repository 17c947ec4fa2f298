"""A client's request, and the note of it in the activity log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.domain.clients import Principal
from router.domain.json_values import JsonObject, as_object
from router.runtime.tracing import current_trace, log_event
from router.upstream.ports import ProgressSink, Requester

log = logging.getLogger(__name__)

_ANSWERS = ("inputResponses", "requestState")


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a client."""

    id: str
    caller: Principal
    params: JsonObject
    on_progress: ProgressSink | None = None
    requester: Requester | None = None
    """How its client is reached meanwhile; nobody, if it is the person at the keyboard."""
    inside_script: bool = False
    """A script asks: the answer stays out of the client's context."""

    @property
    def answers(self) -> JsonObject:
        """What a repeated request brings to a server that asked. A state of `null` is none, and was
        never unsealed; what a script calls is no repetition."""
        if self.inside_script:
            return {}
        said = {key: self.params.get(key) for key in _ANSWERS}
        return {key: value for key, value in said.items() if value is not None}

    @property
    def meta(self) -> JsonObject:
        return as_object(self.params.get("_meta"))


@dataclass(frozen=True, slots=True)
class Recorder:
    record: Callable[[ActivityEntry], None]
    clock: Callable[[], datetime]
    detailed: Callable[[], bool] = bool
    """Whether the arguments of calls shall be noted too."""

    def note(
        self,
        request: Request,
        kind: ActivityKind,
        started: float,
        outcome: Outcome = Outcome.OK,
        **what: Any,
    ) -> None:
        """Note a request that began at `started` (of `time.perf_counter`) and ends now."""
        entry = ActivityEntry(
            at=self.clock(),
            request_id=request.id,
            client=request.caller.client,
            kind=kind,
            outcome=outcome,
            duration_ms=(time.perf_counter() - started) * 1000,
            workspace=request.caller.workspace,
            project=request.caller.project,
            trace_id=current_trace(),
            **what,
        )
        if outcome is Outcome.ERROR:
            _log_failure(entry)
        self.record(entry)


def _log_failure(entry: ActivityEntry) -> None:
    """The log has what went wrong, with the trace id that is the entry's request id."""
    log_event(
        log,
        f"client.{entry.kind}.failed",
        level=logging.WARNING,
        client=entry.client,
        serverName=entry.server or "",
        toolName=entry.tool or "",
        errorMessage=entry.message or "",
    )
