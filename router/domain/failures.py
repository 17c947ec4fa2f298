"""Why a server could not do what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from router.domain.receipts import SharedPath


class FailureKind(StrEnum):
    """Why a server could not do what was asked. `failure_text` has the sentences."""

    COMMAND_NOT_FOUND = "command_not_found"
    PERMISSION_DENIED = "permission_denied"
    EXITED = "exited"
    TIMEOUT = "timeout"
    """It was too slow to start or to list its tools."""
    SILENT = "silent"
    """Its address accepts connections, but nothing answers."""
    CALL_TIMEOUT = "call_timeout"
    """It did not answer a request in time, which may have been carried out all the same."""
    STUCK = "stuck"
    """Its calls timed out one after the other, and it sent nothing meanwhile: it was stopped."""
    UNREACHABLE = "unreachable"
    SIGN_IN_NEEDED = "sign_in_needed"
    CONSENT_NEEDED = "consent_needed"
    SECRET_MISSING = "secret_missing"  # noqa: S105 - a kind of failure, not a secret
    BAD_PROTOCOL = "bad_protocol"
    SERVER_ERROR = "server_error"
    """It answered with a JSON-RPC error, as it may."""
    BUSY = "busy"
    TOO_MANY_SESSIONS = "too_many_sessions"
    TOO_LARGE = "too_large"
    """It sent a message that is larger than the settings allow."""
    TOO_MUCH_MEMORY = "too_much_memory"
    NETWORK_NEEDED = "network_needed"
    """It failed to list its tools and tried to reach the network, which is not allowed yet."""
    FILES_NEEDED = "files_needed"
    """It failed to list its tools for want of files that the sandbox hides or protects."""
    ISOLATION_TOO_WEAK = "isolation_too_weak"
    FETCH_FAILED = "fetch_failed"
    PACKAGE_NOT_FOUND = "package_not_found"
    """The registry has no such package, or no such version."""
    REGISTRY_UNREACHABLE = "registry_unreachable"
    PYTHON_NEEDED = "python_needed"
    """No Python on this computer suits a package."""
    PACKAGE_CHANGED = "package_changed"
    """A downloaded package is not what was downloaded any more."""
    CANCELLED = "cancelled"
    DISABLED = "disabled"
    OTHER = "other"


TIMEOUTS = frozenset({FailureKind.TIMEOUT, FailureKind.SILENT, FailureKind.CALL_TIMEOUT})


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure to show to people: `subject` names what failed, `detail` quotes the cause."""

    kind: FailureKind
    subject: str = ""
    detail: str = ""
    retry_at: datetime | None = None
    """Until then no new start is tried."""
    share: SharedPath | None = None
    """What to share so that a `FILES_NEEDED` does not happen again, if that may be shared."""
