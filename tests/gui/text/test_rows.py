"""What is shown of a server and of an activity, as tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from gui.text.activity_row import activity_row
from gui.text.errors import Action, Remedy, failure_hint, failure_remedy, failure_text
from gui.text.marks import Mark, Tone, effect_badge, listener_text
from gui.text.server_row import (
    accessible_server,
    long_target,
    overview,
    present,
    protection_text,
    short_target,
)
from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.domain.endpoint import ListenerPhase
from router.domain.failure_text import describe
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerId
from router.domain.receipts import IsolationLevel, Protection, Reason, SharedPath, Why
from router.domain.servers import (
    DiscoveryStatus,
    DiscoveryStep,
    ServerState,
    ServerStatus,
    TransportType,
)
from router.domain.tools import Effect
from tests.support.fakes import fake_status

NO_UVX = Failure(FailureKind.COMMAND_NOT_FOUND, "uvx", "/usr/bin")
SLOW = Failure(FailureKind.TIMEOUT, "30 s")


@pytest.mark.parametrize(
    ("status", "mark", "tone", "detail", "action"),
    [
        pytest.param(
            fake_status("Git"), Mark.READY, Tone.OK, "stdio · npx git", None, id="connected"
        ),
        pytest.param(
            fake_status("Git", state=ServerState.IDLE),
            Mark.READY, Tone.OK, "stdio · npx git", None,
            id="asleep with a known list",
        ),
        pytest.param(
            fake_status("Git", state=ServerState.IDLE, tool_count=None),
            Mark.OFF, Tone.NEUTRAL, "stdio · npx git", None,
            id="asleep without a list",
        ),
        pytest.param(
            fake_status("Git", enabled=False, state=ServerState.DISABLED, failure=NO_UVX),
            Mark.OFF, Tone.NEUTRAL, "stdio · npx git", None,
            id="off, whatever happened before",
        ),
        pytest.param(
            fake_status("Git", state=ServerState.NEEDS_CONSENT),
            Mark.ATTENTION, Tone.WARN, "Waiting for your approval", Action.REVIEW,
            id="not approved",
        ),
        pytest.param(
            fake_status("Git", state=ServerState.NEEDS_SIGN_IN),
            Mark.ATTENTION, Tone.WARN, "Sign-in required", Action.SIGN_IN,
            id="sign-in",
        ),
        pytest.param(
            fake_status("Git", state=ServerState.CONNECTING),
            Mark.WORKING, Tone.ACCENT, "Connecting…", None,
            id="connecting",
        ),
        pytest.param(
            fake_status(
                "Git", discovery=DiscoveryStatus.DISCOVERING, step=DiscoveryStep.DISCOVERING
            ),
            Mark.WORKING, Tone.ACCENT, "Discovering tools…", None,
            id="discovering",
        ),
        pytest.param(
            fake_status("Git", state=ServerState.FAILED, tool_count=None, failure=NO_UVX),
            Mark.FAILED, Tone.ERR, "Command “uvx” not found", Action.EDIT,
            id="command missing",
        ),
        pytest.param(
            fake_status("Git", state=ServerState.FAILED, failure=SLOW),
            Mark.FAILED, Tone.ERR, "No response within 30 s", Action.RETRY,
            id="too slow",
        ),
        pytest.param(
            fake_status("Git", state=ServerState.IDLE, failure=SLOW),
            Mark.ATTENTION, Tone.WARN, "No response within 30 s", Action.RETRY,
            id="refresh failed, old list kept",
        ),
        pytest.param(
            fake_status("Git", state=ServerState.BACKING_OFF, failure=SLOW),
            Mark.ATTENTION, Tone.WARN, "No response within 30 s", Action.RETRY,
            id="backing off",
        ),
        pytest.param(
            fake_status("Git", state=ServerState.FAILED, failure=None),
            Mark.FAILED, Tone.ERR, "stdio · npx git", Action.RETRY,
            id="failed without a reason",
        ),
    ],
)  # fmt: skip
def test_the_mark_of_a_server_follows_its_state(
    status: ServerStatus, mark: Mark, tone: Tone, detail: str, action: Action | None
) -> None:
    shown = present(status)

    assert (shown.mark, shown.tone, shown.detail) == (mark, tone, detail)
    assert (shown.remedy.action if shown.remedy else None) is action


@pytest.mark.parametrize("state", ServerState)
@pytest.mark.parametrize("failure", [None, NO_UVX])
def test_every_state_has_a_mark_and_a_label(state: ServerState, failure: Failure | None) -> None:
    shown = present(fake_status("Git", state=state, failure=failure))

    assert shown.summary
    assert shown.detail


@pytest.mark.proves("DISC-12")
@pytest.mark.parametrize("kind", FailureKind)
def test_every_failure_has_a_cause_and_a_remedy(kind: FailureKind) -> None:
    assert failure_text(Failure(kind, "this", "that"))
    assert failure_hint(Failure(kind))
    assert (failure_remedy(kind) is None) == (kind is FailureKind.DISABLED)


@pytest.mark.proves("DISC-12")
def test_a_missing_command_shows_where_to_get_it_and_the_searched_path() -> None:
    hint = failure_hint(Failure(FailureKind.COMMAND_NOT_FOUND, "npx", "/usr/bin, /bin"))
    assert "Node.js" in hint
    assert "/usr/bin, /bin" in hint


def test_a_missing_secret_is_shown_by_its_short_name() -> None:
    missing = Failure(FailureKind.SECRET_MISSING, "personal/github/Authorization")
    assert failure_text(missing) == "Secret Authorization is missing"


def test_a_server_that_needs_the_network_can_be_granted_it() -> None:
    failure = Failure(FailureKind.NETWORK_NEEDED, "git", "example.org")
    shown = present(fake_status("Git", state=ServerState.IDLE, failure=failure))
    assert shown.remedy is not None
    assert shown.remedy.action is Action.ALLOW_NETWORK


def test_a_changed_package_can_be_downloaded_again() -> None:
    failure = Failure(FailureKind.PACKAGE_CHANGED, "server-git", "index.js")
    shown = present(fake_status("Git", state=ServerState.IDLE, failure=failure))
    assert shown.remedy is not None
    assert shown.remedy.action is Action.DOWNLOAD
    assert failure_text(failure) == "The downloaded package server-git was changed on disk"


def test_the_protections_in_force_are_described() -> None:
    full = Protection(IsolationLevel.FULL, network=False, memory_mb=512)
    weak = Protection(
        IsolationLevel.LIMITED, network=True, memory_mb=512, missing=(Reason(Why.NO_BUBBLEWRAP),)
    )
    shown_text = protection_text(fake_status("Git", protection=full))
    assert shown_text.endswith(
        "Files: blocked, except its program and the files its command names. "
        "Network: blocked. Memory: 512 MB."
    )
    shown_text = protection_text(fake_status("Git", protection=weak))
    assert "Files: not blocked. Network: allowed. Memory: 512 MB.\n" in shown_text
    assert shown_text.endswith("bubblewrap (bwrap) is not installed.")
    assert protection_text(fake_status("Git")) == ""
    reached = fake_status("Web", transport=TransportType.HTTP)
    assert "nothing to isolate" in protection_text(reached)


@pytest.mark.parametrize(
    ("transport", "target", "short"),
    [
        (TransportType.HTTP, "api.githubcopilot.com/mcp", "HTTP · api.githubcopilot.com"),
        (TransportType.HTTP, "localhost:8080/mcp", "HTTP · localhost:8080"),
        (TransportType.STDIO, "npx -y server-time", "stdio · npx server-time"),
        (
            TransportType.STDIO,
            "npx @modelcontextprotocol/server-memory",
            "stdio · npx server-memory",
        ),
        (TransportType.STDIO, "/usr/local/bin/uvx mcp-server-git", "stdio · uvx mcp-server-git"),
    ],
)
def test_a_target_is_shortened_to_its_distinctive_part(
    transport: TransportType, target: str, short: str
) -> None:
    assert short_target(fake_status("X", transport=transport, target=target)) == short


def test_the_detail_line_says_how_old_the_list_is() -> None:
    listed = datetime(2026, 1, 1, tzinfo=UTC)
    status = fake_status("X", target="npx x", listed_at=listed)

    assert long_target(status, listed + timedelta(minutes=2)) == (
        "stdio · npx x · refreshed 2 min ago"
    )


def test_the_overview_counts_servers_tools_apps_and_trouble() -> None:
    servers = (
        fake_status("A", tool_count=81),
        fake_status("B", tool_count=14),
        fake_status("C", enabled=False, state=ServerState.DISABLED, tool_count=9),
        fake_status("D", state=ServerState.NEEDS_SIGN_IN, tool_count=None),
        fake_status("E", state=ServerState.FAILED, tool_count=None, failure=NO_UVX),
    )

    counts, attention = overview(servers, apps=3)

    assert counts == "5 servers · 95 tools ready · 3 apps connected"
    assert attention == "1 failing · 1 pending"
    assert overview(servers[:2], apps=0)[1] == ""


def test_tools_awaiting_approval_are_not_ready_and_counted_individually() -> None:
    servers = (
        fake_status("A", tool_count=81),
        fake_status("B", tool_count=14, pending_count=3, unapproved_count=4),
        fake_status("C", state=ServerState.NEEDS_CONSENT, tool_count=None),
    )
    assert overview(servers, apps=0) == (
        "3 servers · 91 tools ready · 0 apps connected",
        "4 pending",
    )


def test_the_accessible_name_has_name_state_and_count() -> None:
    assert accessible_server(fake_status("Git", tool_count=4)) == (
        "Git, Ready, stdio · npx git, 4 tools"
    )


@pytest.mark.parametrize(
    ("effect", "tone"),
    [(Effect.READS, Tone.OK), (Effect.WRITES, Tone.WARN), (Effect.DESTRUCTIVE, Tone.ERR)],
)
def test_the_annotations_of_a_tool_are_a_badge(effect: Effect, tone: Tone) -> None:
    badge = effect_badge(effect)

    assert badge is not None
    assert badge[1] is tone


def test_only_a_tool_without_annotations_has_no_badge() -> None:
    assert [each for each in Effect if effect_badge(each) is None] == [Effect.UNKNOWN]


def test_marks_of_the_listener_differ_in_shape() -> None:
    marks = {listener_text(phase)[1] for phase in ListenerPhase}

    assert len(marks) == len(ListenerPhase)


def entry(kind: ActivityKind, **fields: object) -> ActivityEntry:
    base: dict[str, object] = {
        "at": datetime(2026, 3, 10, 14, 32, 8, tzinfo=UTC),
        "request_id": "1",
        "client": "Cursor",
        "outcome": Outcome.OK,
        "duration_ms": 9.0,
    }
    return ActivityEntry(kind=kind, **{**base, **fields})  # pyright: ignore[reportArgumentType] - fields of the entry


@pytest.mark.parametrize(
    ("shown", "what"),
    [
        (
            entry(ActivityKind.CALL, server=ServerId("github"), tool="create_issue"),
            "github · create_issue",
        ),
        (
            entry(ActivityKind.SEARCH, detail="a bug", result_count=5),
            "“a bug” → 5 tools",
        ),
        (entry(ActivityKind.SEARCH, result_count=2), "Search → 2 tools"),
        (entry(ActivityKind.LIST, result_count=2), "Listed 2 tools"),
        (
            entry(
                ActivityKind.CALL,
                server=ServerId("slack"),
                tool="post",
                outcome=Outcome.ERROR,
                message="sign-in expired",
            ),
            "slack · post — sign-in expired",
        ),
        (
            entry(ActivityKind.SEARCH, detail="read", message="cloud search failed"),
            "“read” → 0 tools — cloud search failed",
        ),
        (
            entry(ActivityKind.REFUSED, outcome=Outcome.DENIED, message="No token."),
            "No token.",
        ),
    ],
)
def test_an_activity_describes_what_happened(shown: ActivityEntry, what: str) -> None:
    assert activity_row(shown).what == what


@pytest.mark.parametrize("kind", ActivityKind)
@pytest.mark.parametrize("outcome", Outcome)
def test_every_kind_and_outcome_of_an_activity_has_a_text(
    kind: ActivityKind, outcome: Outcome
) -> None:
    row = activity_row(entry(kind, outcome=outcome))
    assert row.kind
    assert row.outcome


def test_an_activity_row_has_local_time_and_no_tokens_where_there_are_none() -> None:
    there, call = timezone(timedelta(hours=9)), entry(ActivityKind.CALL, client="")
    row = activity_row(call, there, now=call.at.astimezone(there))

    assert row.time == "23:32:08"
    assert activity_row(call, there, now=call.at + timedelta(days=1)).time == "03-10 23:32"
    # Made while the clock was a year ahead.
    assert activity_row(call, there, now=call.at - timedelta(days=365)).time == "2026-03-10"
    assert row.tokens == "—"
    assert row.app == "Unknown app"
    assert row.outcome_tone is Tone.OK


def test_a_failure_says_when_the_next_attempt_is() -> None:
    at = datetime(2026, 1, 1, 12, 30, 5).astimezone()
    text = failure_text(Failure(FailureKind.EXITED, "code 1", retry_at=at))
    assert text == "Crashed (exit code 1); next retry after 12:30:05"


def test_a_server_with_tools_to_approve_needs_attention() -> None:
    shown = present(fake_status("Files", pending_count=2))
    assert (shown.mark, shown.summary) == (Mark.ATTENTION, "Needs approval")
    assert present(fake_status("Files", pending_count=2, enabled=False)).mark is Mark.OFF


@pytest.mark.parametrize(
    ("share", "label", "action"),
    [
        (SharedPath("/home/me/.x"), "Allow reading", Action.SHARE_FILES),
        (SharedPath("/vault", writable=True), "Allow writing", Action.SHARE_FILES),
        (None, "Discover without a sandbox", Action.DISCOVER_UNCONFINED),
    ],
)
def test_a_server_that_lacked_files_has_a_button_that_helps(
    share: SharedPath | None, label: str, action: Action
) -> None:
    failure = Failure(FailureKind.FILES_NEEDED, "notes", "EROFS", share=share)
    assert failure_remedy(failure.kind, failure.share) == Remedy(label, action)
    assert "toolbooth approve notes --" in describe(failure).terminal
