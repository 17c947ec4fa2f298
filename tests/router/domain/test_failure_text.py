"""Every failure and every state of a server has a cause and a suggested action."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from router.domain.failure_text import advise, explain
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerId, WorkspaceId
from router.domain.servers import DiscoveryStatus, ServerState, ServerStatus, TransportType


def status(state: ServerState, failure: Failure | None = None) -> ServerStatus:
    return ServerStatus(
        workspace=WorkspaceId("w"),
        id=ServerId("notes"),
        name="Notes",
        transport=TransportType.STDIO,
        target="notes --stdio",
        enabled=state is not ServerState.DISABLED,
        state=state,
        discovery=DiscoveryStatus.NEVER,
        step=None,
        tool_count=None,
        listed_at=None,
        failure=failure,
    )


@pytest.mark.proves("DISC-12")
@pytest.mark.parametrize("kind", FailureKind)
def test_every_failure_says_what_happened_and_what_to_do(kind: FailureKind) -> None:
    advice = advise(Failure(kind, "subject", "detail"), "Notes")
    assert advice.cause
    assert advice.action
    assert "subject" in str(advice) or "Notes" in str(advice)


@pytest.mark.parametrize("kind", FailureKind)
def test_a_failure_says_when_it_is_retried(kind: FailureKind) -> None:
    at = datetime(2026, 11, 17, 12, 30, tzinfo=UTC)
    assert "Next retry after" in advise(Failure(kind, retry_at=at), "Notes").suggestion


@pytest.mark.parametrize("state", ServerState)
def test_every_state_has_a_cause_and_an_action_even_without_a_failure(state: ServerState) -> None:
    advice = explain(status(state))
    assert "Notes" in advice.cause
    assert advice.action


@pytest.mark.parametrize(
    ("state", "cause", "action"),
    [
        (ServerState.DISABLED, "Notes: Turned off.", "toolbooth enable"),
        (ServerState.NEEDS_CONSENT, "approval — “notes --stdio”.", "approve"),
        (ServerState.IDLE, "Notes is not running.", "It starts on the first call."),
        (ServerState.CONNECTING, "Notes is starting.", "Calls wait"),
        (ServerState.READY, "Notes is connected.", "ready to use"),
        (ServerState.NEEDS_SIGN_IN, "Notes: Sign-in required", "toolbooth sign-in notes"),
        (ServerState.BACKING_OFF, "Notes failed.", "toolbooth refresh notes"),
        (ServerState.FAILED, "Notes failed.", "toolbooth refresh notes"),
    ],
)
def test_a_state_without_a_failure_is_explained(
    state: ServerState, cause: str, action: str
) -> None:
    advice = explain(status(state))
    assert cause in advice.cause
    assert action in advice.action


@pytest.mark.parametrize("state", ServerState)
def test_the_last_failure_explains_a_state_unless_it_recovered(state: ServerState) -> None:
    advice = explain(status(state, Failure(FailureKind.EXITED, "code 3", "no key")))
    well = state in (ServerState.READY, ServerState.CONNECTING, ServerState.DISABLED)
    assert ("code 3" in advice.cause) is not well


def test_a_servers_message_is_terminated_before_our_next_sentence() -> None:
    advice = advise(Failure(FailureKind.EXITED, "code 1", "bad config: FOO missing"), "Notes")
    assert "(exit code 1) — bad config: FOO missing. Check its command" in str(advice)
    assert "closed. See the log" in str(
        advise(Failure(FailureKind.OTHER, detail="it closed"), "Notes")
    )


@pytest.mark.proves("DISC-12")
def test_without_a_container_runtime_the_message_says_what_to_start() -> None:
    stderr = (
        "docker: Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?"
    )
    advice = advise(Failure(FailureKind.EXITED, "code 125", stderr), "Notes")
    assert advice.action == "Start Docker or Podman, then try again."
    other = advise(Failure(FailureKind.EXITED, "code 1", "no such file"), "Notes")
    assert other.suggestion == "Check its command, arguments and environment variables."
