"""What a row shows of an activity. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo

from gui.text import formats
from gui.text.marks import Tone
from gui.text.tr import tr
from router.domain.activity import TOOL_REPORTED, ActivityEntry, ActivityKind, Outcome


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
    """The time of day; of another day or year, which one."""
    if at.year != now.year:
        return at.strftime("%Y-%m-%d")
    return at.strftime("%H:%M:%S" if at.date() == now.date() else "%m-%d %H:%M")


def _kind_badge(kind: ActivityKind) -> tuple[str, Tone]:
    return {
        ActivityKind.SEARCH: (tr("Search"), Tone.SAVINGS),
        ActivityKind.CALL: (tr("Call"), Tone.ACCENT),
        ActivityKind.LIST: (tr("List"), Tone.NEUTRAL),
        ActivityKind.PROMPT: (tr("Prompt"), Tone.NEUTRAL),
        ActivityKind.RESOURCE: (tr("Resource"), Tone.NEUTRAL),
        ActivityKind.REFUSED: (tr("Refused"), Tone.ERR),
    }[kind]


def _outcome_text(outcome: Outcome) -> tuple[str, Tone]:
    return {
        Outcome.OK: (tr("Done"), Tone.OK),
        Outcome.ERROR: (tr("Failed"), Tone.ERR),
        Outcome.DENIED: (tr("Refused"), Tone.ERR),
        Outcome.CANCELLED: (tr("Cancelled"), Tone.NEUTRAL),
    }[outcome]


def _what_happened(entry: ActivityEntry) -> str:
    """Messages that clients received are shown as sent; only our own texts are translated."""
    own = entry.message == TOOL_REPORTED
    message = tr("The tool reported an error.") if own else entry.message or ""
    return " — ".join(filter(None, (_subject_text(entry), message)))


def _subject_text(entry: ActivityEntry) -> str:
    if entry.kind is ActivityKind.SEARCH:
        query = f"“{entry.detail}”" if entry.detail else tr("Search")
        found = tr("%n tools", "", entry.result_count or 0)
        return f"{query} → {found}"
    if entry.kind is ActivityKind.LIST:
        return tr("Listed %n tools", "", entry.result_count or 0)
    return " · ".join(filter(None, (entry.server, entry.tool)))
