"""Why a server could not do what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class FailureKind(StrEnum):
    """Why a server could not do what was asked. `failure_text` has the sentences."""

    COMMAND_NOT_FOUND = "command_not_found"
    PERMISSION_DENIED = "permission_denied"
    EXITED = "exited"
    TIMEOUT = "timeout"
    STUCK = "stuck"
    """Its calls timed out one after the other, and it sent nothing meanwhile: it was stopped."""
    UNREACHABLE = "unreachable"
    SIGN_IN_NEEDED = "sign_in_needed"
    CONSENT_NEEDED = "consent_needed"
    SECRET_MISSING = "secret_missing"  # noqa: S105 - a kind of failure, not a secret
    BAD_PROTOCOL = "bad_protocol"
    BUSY = "busy"
    TOO_MANY_SESSIONS = "too_many_sessions"
    TOO_MUCH_MEMORY = "too_much_memory"
    NETWORK_NEEDED = "network_needed"
    """It failed to list its tools and tried to reach the network, which is not allowed yet."""
    ISOLATION_TOO_WEAK = "isolation_too_weak"
    FETCH_FAILED = "fetch_failed"
    CANCELLED = "cancelled"
    DISABLED = "disabled"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure to show to people: `subject` names what failed, `detail` quotes the cause."""

    kind: FailureKind
    subject: str = ""
    detail: str = ""
    retry_at: datetime | None = None
    """Until then no new start is tried."""
