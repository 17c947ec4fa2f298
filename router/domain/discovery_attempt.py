"""How the last discovery of a server ended, and when the next one follows by itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from router.domain.failures import TIMEOUTS, Failure, FailureKind
from router.domain.servers import DiscoveryStatus

FIRST_RETRY = timedelta(seconds=30)
LONGEST_RETRY = timedelta(hours=24)
_RETRY_GROWTH = 4
_MOST_GROWTHS = 10

_NEEDS_DECISION = frozenset(
    {
        FailureKind.CANCELLED,
        FailureKind.CONSENT_NEEDED,
        FailureKind.DISABLED,
        FailureKind.FILES_NEEDED,
        FailureKind.NETWORK_NEEDED,
    }
)
"""What the user decides in Toolbooth, which starts a discovery: retrying before is of no use."""
_NEEDS_USER = _NEEDS_DECISION | {
    FailureKind.COMMAND_NOT_FOUND,
    FailureKind.ISOLATION_TOO_WEAK,
    FailureKind.PACKAGE_CHANGED,
    FailureKind.PACKAGE_NOT_FOUND,
    FailureKind.PERMISSION_DENIED,
    FailureKind.PYTHON_NEEDED,
    FailureKind.SECRET_MISSING,
    FailureKind.SIGN_IN_NEEDED,
}
_NETWORK = TIMEOUTS | {FailureKind.UNREACHABLE, FailureKind.REGISTRY_UNREACHABLE}
_PERHAPS_NETWORK = (FailureKind.FETCH_FAILED, FailureKind.EXITED)
_FEW_FAILURES = 3


class FailureAction(StrEnum):
    """What follows from a failed discovery."""

    RETRY = "retry"
    """It is tried again by itself, and may succeed then."""
    USER_ACTION_REQUIRED = "user-action-required"


def action_after(failure: Failure) -> FailureAction:
    needs_user = failure.kind in _NEEDS_USER
    return FailureAction.USER_ACTION_REQUIRED if needs_user else FailureAction.RETRY


@dataclass(frozen=True, slots=True)
class DiscoveryAttempt:
    """The last discovery of a server that has ended. It is kept over a restart."""

    at: datetime
    config_hash: str
    """Of the configuration it was made with."""
    program: str = ""
    """Identifies the program it started, as `program_version` does."""
    failure: Failure | None = None
    failures: int = 0
    """In a row, with this one."""

    @property
    def status(self) -> DiscoveryStatus:
        if self.failure is None:
            return DiscoveryStatus.SUCCESS
        timed_out = self.failure.kind in TIMEOUTS
        return DiscoveryStatus.TIMEOUT if timed_out else DiscoveryStatus.FAILED

    @property
    def retry_after(self) -> timedelta | None:
        """The pause before the next try. It grows with each failure, so that a broken package is
        not fetched for ever; None: it succeeded."""
        if self.failure is None:
            return None
        if self.failure.kind in _NEEDS_DECISION:
            return LONGEST_RETRY
        growths = min(max(self.failures, 1) - 1, _MOST_GROWTHS)
        return min(FIRST_RETRY * _RETRY_GROWTH**growths, LONGEST_RETRY)

    @property
    def retry_at(self) -> datetime | None:
        pause = self.retry_after
        return None if pause is None else self.at + pause

    @property
    def needs_decision(self) -> bool:
        """Whether only the user's decision helps: a use does not try again."""
        kinds = (FailureKind.NETWORK_NEEDED, FailureKind.FILES_NEEDED)
        return self.failure is not None and self.failure.kind in kinds

    @property
    def may_be_network(self) -> bool:
        """Whether another network, or waking up, may help. What failed often for another reason
        than an address that can't be reached is not tried again for that."""
        kind = self.failure.kind if self.failure else None
        return kind in _NETWORK or (kind in _PERHAPS_NETWORK and self.failures <= _FEW_FAILURES)
