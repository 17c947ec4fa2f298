"""What a row shows of a server: mark, summary, detail, remedy, target and protection. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from gui.text import formats
from gui.text.errors import Action, Remedy, brief_text, cause_text, failure_remedy, translated
from gui.text.marks import Mark, Tone
from gui.text.tr import tr
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

_REFERENCE = "@modelcontextprotocol/"
"""The scope of the protocol's own servers: alone it would fill their rows."""
_NOISE_ARGUMENTS = frozenset({"-y", "--yes"})


@dataclass(frozen=True, slots=True)
class ServerRow:
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


def present(status: ServerStatus) -> ServerRow:
    """How `status` looks."""
    if not status.enabled or status.state is ServerState.DISABLED:
        return ServerRow(Mark.OFF, tr("Off"), short_target(status), Tone.NEUTRAL)
    if status.state is ServerState.NEEDS_CONSENT:
        return _waiting(Failure(FailureKind.CONSENT_NEEDED), tr("Needs approval"))
    if status.state is ServerState.NEEDS_SIGN_IN:
        return _waiting(Failure(FailureKind.SIGN_IN_NEEDED), tr("Needs sign-in"))
    if status.discovery is DiscoveryStatus.DISCOVERING or status.state is ServerState.CONNECTING:
        return ServerRow(Mark.WORKING, tr("Working"), _step_text(status.step), Tone.ACCENT)
    if status.failure is not None:
        return _present_failure(status, status.failure)
    return _present_healthy(status)


def _waiting(failure: Failure, summary: str) -> ServerRow:
    detail, remedy = cause_text(failure), failure_remedy(failure.kind)
    return ServerRow(Mark.ATTENTION, summary, detail, Tone.WARN, remedy)


def _present_failure(status: ServerStatus, failure: Failure) -> ServerRow:
    """A server with a cached tool list is out of date rather than failed."""
    detail, remedy = cause_text(failure), failure_remedy(failure.kind, failure.share)
    if status.state is ServerState.BACKING_OFF:
        return ServerRow(Mark.ATTENTION, tr("Retrying"), detail, Tone.WARN, remedy)
    if status.state in (ServerState.IDLE, ServerState.READY) and status.tool_count is not None:
        return ServerRow(Mark.ATTENTION, tr("Out of date"), detail, Tone.WARN, remedy)
    return ServerRow(Mark.FAILED, tr("Failed"), detail, Tone.ERR, remedy, brief_text(failure))


def _present_healthy(status: ServerStatus) -> ServerRow:
    target = short_target(status)
    if status.pending_count and status.state in (ServerState.READY, ServerState.IDLE):
        waits = tr("%n items need approval", "", status.pending_count)
        review = Remedy(tr("Review…"), Action.REVIEW_TOOLS)
        return ServerRow(Mark.ATTENTION, tr("Needs approval"), waits, Tone.WARN, review)
    match status.state:
        case ServerState.READY:
            return ServerRow(Mark.READY, tr("Ready"), target, Tone.OK)
        case ServerState.IDLE if status.tool_count is None:
            return ServerRow(Mark.OFF, tr("Not discovered yet"), target, Tone.NEUTRAL)
        case ServerState.IDLE:
            return ServerRow(Mark.READY, tr("Starts on first call"), target, Tone.OK)
        case ServerState.BACKING_OFF:
            return ServerRow(Mark.WORKING, tr("Retrying"), target, Tone.ACCENT)
        case _:
            retry = failure_remedy(FailureKind.OTHER)
            return ServerRow(Mark.FAILED, tr("Failed"), target, Tone.ERR, retry)


def _step_text(step: DiscoveryStep | None) -> str:
    match step:
        case DiscoveryStep.STARTING:
            return tr("Starting…")
        case None | DiscoveryStep.CONNECTING:
            return tr("Connecting…")
        case DiscoveryStep.DISCOVERING:
            return tr("Discovering tools…")
        case _:
            return tr("Finishing…")


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
    """A row as a screen reader reads it out."""
    shown = present(status)
    parts = [status.name, shown.summary, shown.detail]
    if status.tool_count is not None:
        parts.append(tr("%n tools", "", status.tool_count))
    return ", ".join(parts)


def overview(servers: Iterable[ServerStatus], apps: int) -> tuple[str, str]:
    """The line under the title, and the part of it that needs attention (may be empty)."""
    statuses = tuple(servers)
    tools = sum((s.tool_count or 0) - s.unapproved_count for s in statuses if s.enabled)
    attention_needed = [s for s in statuses if present(s).needs_attention]
    failing = sum(not _waits(s) for s in attention_needed)
    # One for a server that may not run yet, else one per tool, as the attention page counts.
    waiting = sum(s.pending_count or 1 for s in attention_needed if _waits(s))
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
    """Whether it only needs a decision of the user."""
    if status.state in (ServerState.NEEDS_CONSENT, ServerState.NEEDS_SIGN_IN):
        return True
    return bool(status.pending_count) and status.failure is None
