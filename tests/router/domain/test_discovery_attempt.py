"""When a failed discovery is tried again, and what follows from it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from router.domain.discovery_attempt import (
    DiscoveryAttempt,
    FailureAction,
    action_after,
)
from router.domain.failures import Failure, FailureKind
from router.domain.servers import DiscoveryStatus

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def attempt(kind: FailureKind | None, failures: int = 1) -> DiscoveryAttempt:
    failure = Failure(kind) if kind else None
    return DiscoveryAttempt(NOW, "hash", failure=failure, failures=failures)


@pytest.mark.proves("DISC-12", "REG-2")
@pytest.mark.parametrize(
    ("failures", "pause"),
    [
        (1, timedelta(seconds=30)),
        (2, timedelta(minutes=2)),
        (3, timedelta(minutes=8)),
        (4, timedelta(minutes=32)),
        (7, timedelta(hours=24)),
        (10**9, timedelta(hours=24)),
    ],
)
def test_the_pause_before_the_next_try_grows_with_each_failure(
    failures: int, pause: timedelta
) -> None:
    assert attempt(FailureKind.TIMEOUT, failures).retry_at == NOW + pause


def test_what_only_the_user_can_decide_is_not_tried_again_soon() -> None:
    assert attempt(FailureKind.NETWORK_NEEDED).retry_after == timedelta(hours=24)
    assert attempt(FailureKind.NETWORK_NEEDED).needs_decision
    assert not attempt(FailureKind.EXITED).needs_decision


def test_a_success_is_not_tried_again() -> None:
    assert attempt(None, 0).retry_at is None


@pytest.mark.proves("DISC-2")
@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (None, DiscoveryStatus.SUCCESS),
        (FailureKind.TIMEOUT, DiscoveryStatus.TIMEOUT),
        (FailureKind.SILENT, DiscoveryStatus.TIMEOUT),
        (FailureKind.EXITED, DiscoveryStatus.FAILED),
    ],
)
def test_the_status_says_how_it_ended(kind: FailureKind | None, status: DiscoveryStatus) -> None:
    assert attempt(kind).status is status


@pytest.mark.proves("DISC-12")
@pytest.mark.parametrize(
    ("kind", "action"),
    [
        (FailureKind.TIMEOUT, FailureAction.RETRY),
        (FailureKind.UNREACHABLE, FailureAction.RETRY),
        (FailureKind.COMMAND_NOT_FOUND, FailureAction.USER_ACTION_REQUIRED),
        (FailureKind.PERMISSION_DENIED, FailureAction.USER_ACTION_REQUIRED),
        (FailureKind.SIGN_IN_NEEDED, FailureAction.USER_ACTION_REQUIRED),
        (FailureKind.NETWORK_NEEDED, FailureAction.USER_ACTION_REQUIRED),
    ],
)
def test_a_failure_says_whether_the_user_has_to_act(
    kind: FailureKind, action: FailureAction
) -> None:
    assert action_after(Failure(kind)) is action


@pytest.mark.proves("REG-2")
@pytest.mark.parametrize(
    ("kind", "failures", "helps"),
    [
        (FailureKind.UNREACHABLE, 100, True),
        (FailureKind.TIMEOUT, 100, True),
        (FailureKind.REGISTRY_UNREACHABLE, 100, True),
        (FailureKind.PACKAGE_NOT_FOUND, 1, False),
        (FailureKind.FETCH_FAILED, 1, True),
        (FailureKind.FETCH_FAILED, 4, False),
        (FailureKind.BAD_PROTOCOL, 1, False),
        (None, 0, False),
    ],
)
def test_another_network_helps_where_it_may_be_the_cause(
    kind: FailureKind | None, failures: int, helps: bool
) -> None:
    assert attempt(kind, failures).may_be_network is helps
