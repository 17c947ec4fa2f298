"""Records clients' requests in the activity log, and failures also in the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.gateway.client_request import ClientRequest
from router.runtime.tracing import current_trace, log_event

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ActivityRecorder:
    write: Callable[[ActivityEntry], None]
    clock: Callable[[], datetime]

    def record(
        self,
        request: ClientRequest,
        kind: ActivityKind,
        outcome: Outcome = Outcome.OK,
        **details: Any,
    ) -> None:
        """Record a request that ends now."""
        principal = request.principal
        entry = ActivityEntry(
            at=self.clock(),
            request_id=request.activity_id,
            client=principal.client,
            kind=kind,
            outcome=outcome,
            duration_ms=(time.perf_counter() - request.started) * 1000,
            workspace=principal.workspace,
            project=principal.project,
            trace_id=current_trace(),
            **details,
        )
        if outcome is Outcome.ERROR:
            _log_failure(entry)
        self.write(entry)


def _log_failure(entry: ActivityEntry) -> None:
    """With the trace id, which is the entry's request id."""
    log_event(
        log,
        f"client.{entry.kind}.failed",
        level=logging.WARNING,
        client=entry.client,
        serverName=entry.server or "",
        toolName=entry.tool or "",
        errorMessage=entry.message or "",
    )
