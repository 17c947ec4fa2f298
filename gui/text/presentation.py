"""Pure functions from router values to marks, tones, texts and remedies.

Knows no widget. Everything a row shows of a server or an activity is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import StrEnum
from pathlib import PurePath
from typing import assert_never

from gui.text import formats
from gui.text.errors import Action, Remedy, brief_text, cause_text, failure_remedy, translated
from gui.text.tr import tr
from router.domain.activity import TOOL_REPORTED, ActivityEntry, ActivityKind, Outcome
from router.domain.endpoint import ListenerPhase
from router.domain.failure_text import protection_sentences
from router.domain.failures import Failure, FailureKind
from router.domain.receipts import Protection, Reason
from router.domain.servers import (
    DiscoveryStatus,
    DiscoveryStep,
    ServerState,
    ServerStatus,
    TransportType,
)
from router.domain.tools import Effect

_REFERENCE = "@modelcontextprotocol/"
"""The scope of the protocol's own servers: alone it would fill their rows."""
_NOISE_ARGUMENTS = frozenset({"-y", "--yes"})


class Mark(StrEnum):
    """The shape beside a server: disc, turning arc, triangle, crossed circle, ring."""

    READY = "ready"
    WORKING = "working"
    ATTENTION = "attention"
    FAILED = "failed"
    OFF = "off"


class Tone(StrEnum):
    """The colour of a pill or a text."""

    OK = "ok"
    WARN = "warn"
    ERR = "err"
    ACCENT = "accent"
    NEUTRAL = "neutral"
    SAVINGS = "savings"
    SOLID = "solid"


@dataclass(frozen=True, slots=True)
class Presentation:
    """A server in a row: `summary` is the word in the pill, `detail` the line under the name."""

    mark: Mark
    summary: str
    detail: str
    tone: Tone
    remedy: Remedy | None = None
    brief: str = ""
    """A shorter detail, if there is one."""

    @property
    def needs_attention(self) -> bool:
        return self.mark in (Mark.ATTENTION, Mark.FAILED)


@dataclass(frozen=True, slots=True)
class ActivityRow:
    time: str
    app: str
    kind: str
    kind_tone: Tone
    what: str
    duration: str
    tokens: str
    outcome: str
    outcome_tone: Tone


def present(status: ServerStatus) -> Presentation:
    """How `status` looks."""
    if not status.enabled or status.state is ServerState.DISABLED:
        return Presentation(Mark.OFF, tr("Off"), short_target(status), Tone.NEUTRAL)
    if status.state is ServerState.NEEDS_CONSENT:
        return _waiting(Failure(FailureKind.CONSENT_NEEDED), tr("Needs approval"))
    if status.state is ServerState.NEEDS_SIGN_IN:
        return _waiting(Failure(FailureKind.SIGN_IN_NEEDED), tr("Needs sign-in"))
    if status.discovery is DiscoveryStatus.DISCOVERING or status.state is ServerState.CONNECTING:
        return Presentation(Mark.WORKING, tr("Working"), _step_text(status.step), Tone.ACCENT)
    if status.failure is not None:
        return _present_failure(status, status.failure)
    return _present_healthy(status)


def _waiting(failure: Failure, summary: str) -> Presentation:
    detail, remedy = cause_text(failure), failure_remedy(failure.kind)
    return Presentation(Mark.ATTENTION, summary, detail, Tone.WARN, remedy)


def _present_failure(status: ServerStatus, failure: Failure) -> Presentation:
    """A server with a cached tool list is out of date rather than failed."""
    detail, remedy = cause_text(failure), failure_remedy(failure.kind)
    if status.state is ServerState.BACKING_OFF:
        return Presentation(Mark.ATTENTION, tr("Retrying"), detail, Tone.WARN, remedy)
    if status.state in (ServerState.IDLE, ServerState.READY) and status.tool_count is not None:
        return Presentation(Mark.ATTENTION, tr("Out of date"), detail, Tone.WARN, remedy)
    return Presentation(Mark.FAILED, tr("Failed"), detail, Tone.ERR, remedy, brief_text(failure))


def _present_healthy(status: ServerStatus) -> Presentation:
    target = short_target(status)
    if status.pending_count and status.state in (ServerState.READY, ServerState.IDLE):
        waits = tr("%n tools need approval", "", status.pending_count)
        review = Remedy(tr("Review…"), Action.REVIEW_TOOLS)
        return Presentation(Mark.ATTENTION, tr("Needs approval"), waits, Tone.WARN, review)
    match status.state:
        case ServerState.READY:
            return Presentation(Mark.READY, tr("Ready"), target, Tone.OK)
        case ServerState.IDLE if status.tool_count is None:
            return Presentation(Mark.OFF, tr("Not discovered yet"), target, Tone.NEUTRAL)
        case ServerState.IDLE:
            return Presentation(Mark.READY, tr("Starts on first call"), target, Tone.OK)
        case ServerState.BACKING_OFF:
            return Presentation(Mark.WORKING, tr("Retrying"), target, Tone.ACCENT)
        case _:
            retry = failure_remedy(FailureKind.OTHER)
            return Presentation(Mark.FAILED, tr("Failed"), target, Tone.ERR, retry)


def _step_text(step: DiscoveryStep | None) -> str:
    match step:
        case DiscoveryStep.STARTING:
            return tr("Starting…")
        case None | DiscoveryStep.CONNECTING:
            return tr("Connecting…")
        case DiscoveryStep.DISCOVERING:
            return tr("Discovering tools…")
        case DiscoveryStep.CACHING | DiscoveryStep.COMPLETE | DiscoveryStep.FAILED:
            return tr("Finishing…")
        case _:
            assert_never(step)


def transport_text(transport: TransportType) -> str:
    return "HTTP" if transport is TransportType.HTTP else "stdio"


def short_target(status: ServerStatus) -> str:
    """The recognisable part of the target, without paths and common flags."""
    if status.transport is TransportType.HTTP:
        place = status.target.partition("/")[0]
    else:
        command, *arguments = status.target.split(" ")
        shown = (a.removeprefix(_REFERENCE) for a in arguments if a not in _NOISE_ARGUMENTS)
        place = " ".join((PurePath(command).name, *shown))
    return f"{transport_text(status.transport)} · {place}"


def long_target(status: ServerStatus, now: datetime) -> str:
    """The whole target, and how old the list is."""
    parts = [transport_text(status.transport), status.target]
    if status.listed_at is not None:
        parts.append(tr("refreshed {ago}").format(ago=formats.ago(status.listed_at, now)))
    return " · ".join(parts)


def protection_text(status: ServerStatus) -> str:
    """The protection in force at the last discovery; empty if it is not known."""
    if status.transport is TransportType.HTTP:
        return tr(
            "This server runs at its URL, not on this computer, so there is nothing to isolate."
        )
    if status.protection is None:
        return ""
    words = protection_words(status.protection)
    told = tr("During discovery: {words}").format(words=words)
    return "\n".join((told, *map(reason_words, status.protection.missing)))


def reason_words(reason: Reason) -> str:
    """Why a protection is missing, translated."""
    return tr(reason.why).format(*reason.parts)


def protection_words(protection: Protection) -> str:
    """What was in force, in one line."""
    return " ".join(map(translated, protection_sentences(protection)))


def accessible_server(status: ServerStatus) -> str:
    """A row as a screen reader speaks it."""
    shown = present(status)
    parts = [status.name, shown.summary, shown.detail]
    if status.tool_count is not None:
        parts.append(tr("%n tools", "", status.tool_count))
    return ", ".join(parts)


def overview(servers: Iterable[ServerStatus], apps: int) -> tuple[str, str]:
    """The line under the title, and what of it asks for attention (or nothing)."""
    statuses = tuple(servers)
    tools = sum((s.tool_count or 0) - s.unapproved_count for s in statuses if s.enabled)
    troubled = [s for s in statuses if present(s).needs_attention]
    failing = sum(not _waits(s) for s in troubled)
    # One for a server that may not run yet, else one per tool, as the attention page counts.
    waiting = sum(s.pending_count or 1 for s in troubled if _waits(s))
    counts = (
        tr("%n servers", "", len(statuses)),
        tr("%n tools ready", "", tools),
        tr("%n apps connected", "", apps),
    )
    attention = (
        tr("%n failing", "", failing) if failing else "",
        tr("%n pending", "", waiting) if waiting else "",
    )
    return " · ".join(counts), " · ".join(filter(None, attention))


def _waits(status: ServerStatus) -> bool:
    """Whether it only waits for a decision of the user."""
    if status.state in (ServerState.NEEDS_CONSENT, ServerState.NEEDS_SIGN_IN):
        return True
    return bool(status.pending_count) and status.failure is None


def effect_badge(effect: Effect) -> tuple[str, Tone] | None:
    match effect:
        case Effect.READS:
            return tr("reads data"), Tone.OK
        case Effect.WRITES:
            return tr("writes data"), Tone.WARN
        case Effect.DESTRUCTIVE:
            return tr("destructive"), Tone.ERR
        case Effect.UNKNOWN:
            return None
        case _:
            assert_never(effect)


def listener_text(phase: ListenerPhase) -> tuple[str, Mark]:
    match phase:
        case ListenerPhase.STARTING:
            return tr("Router starting…"), Mark.WORKING
        case ListenerPhase.LISTENING:
            return tr("Router running"), Mark.READY
        case ListenerPhase.STOPPED:
            return tr("Router stopped"), Mark.OFF
        case ListenerPhase.FAILED:
            return tr("Router not running"), Mark.FAILED
        case _:
            assert_never(phase)


def activity_row(
    entry: ActivityEntry, zone: tzinfo | None = None, now: datetime | None = None
) -> ActivityRow:
    """`entry` as a row; times in `zone`, else in the computer's own."""
    kind, kind_tone = _kind_badge(entry.kind)
    outcome, outcome_tone = _outcome_text(entry.outcome)
    return ActivityRow(
        time=_time_text(entry.at.astimezone(zone), now or datetime.now(zone)),
        app=entry.client or tr("Unknown app"),
        kind=kind,
        kind_tone=kind_tone,
        what=_what_happened(entry),
        duration=formats.duration(entry.duration_ms),
        tokens=formats.short(entry.context_tokens) if entry.context_tokens else "—",
        outcome=outcome,
        outcome_tone=outcome_tone,
    )


def _time_text(at: datetime, now: datetime) -> str:
    """The time of day; of another day, which one."""
    return at.strftime("%H:%M:%S" if at.date() == now.date() else "%m-%d %H:%M")


def _kind_badge(kind: ActivityKind) -> tuple[str, Tone]:
    match kind:
        case ActivityKind.SEARCH:
            return tr("Search"), Tone.SAVINGS
        case ActivityKind.CALL:
            return tr("Call"), Tone.ACCENT
        case ActivityKind.LIST:
            return tr("List"), Tone.NEUTRAL
        case ActivityKind.PROMPT:
            return tr("Prompt"), Tone.NEUTRAL
        case ActivityKind.RESOURCE:
            return tr("Resource"), Tone.NEUTRAL
        case ActivityKind.REFUSED:
            return tr("Refused"), Tone.ERR
        case _:
            assert_never(kind)


def _outcome_text(outcome: Outcome) -> tuple[str, Tone]:
    match outcome:
        case Outcome.OK:
            return tr("Done"), Tone.OK
        case Outcome.ERROR:
            return tr("Failed"), Tone.ERR
        case Outcome.DENIED:
            return tr("Refused"), Tone.ERR
        case Outcome.CANCELLED:
            return tr("Cancelled"), Tone.NEUTRAL
        case _:
            assert_never(outcome)


def _what_happened(entry: ActivityEntry) -> str:
    """Messages that clients received are shown as sent; only our own texts are translated."""
    own = entry.message == TOOL_REPORTED
    message = tr("The tool reported an error.") if own else entry.message or ""
    return " — ".join(filter(None, (_subject_text(entry), message)))


def _subject_text(entry: ActivityEntry) -> str:
    match entry.kind:
        case ActivityKind.SEARCH:
            query = f"“{entry.detail}”" if entry.detail else tr("a search")
            found = tr("%n tools", "", entry.result_count or 0)
            return f"{query} → {found}"
        case ActivityKind.LIST:
            return tr("listed %n tools", "", entry.result_count or 0)
        case ActivityKind.CALL | ActivityKind.PROMPT | ActivityKind.RESOURCE | ActivityKind.REFUSED:
            return " · ".join(part for part in (entry.server, entry.tool) if part)
        case _:
            assert_never(entry.kind)
