"""Errors and failures, translated: the cause, what to do about it, and the button that does it.

The router's sentences are English templates with their parts (`router.domain.errors.Sentence`);
those of failures are in `router.domain.failure_text`. What has no translation is shown as it is.
Pure functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gui.text.tr import tr
from router.domain.errors import Sentence, ToolboothError, UpstreamFailed
from router.domain.failure_text import describe
from router.domain.failures import Failure, FailureKind
from router.domain.receipts import SharedPath


class Action(StrEnum):
    """What the button beside a server that needs attention does."""

    EDIT = "edit"
    REVIEW = "review"
    REVIEW_TOOLS = "review_tools"
    SIGN_IN = "sign_in"
    ALLOW_NETWORK = "allow_network"
    SHARE_FILES = "share_files"
    DISCOVER_UNCONFINED = "discover_unconfined"
    RETRY = "retry"
    DOWNLOAD = "download"
    """Download the server's package again."""


@dataclass(frozen=True, slots=True)
class Remedy:
    label: str
    action: Action


def failure_text(failure: Failure) -> str:
    """The cause, and the time of the next try."""
    cause = cause_text(failure)
    if failure.retry_at is None:
        return cause
    moment = f"{failure.retry_at.astimezone():%H:%M:%S}"
    return tr("{cause}; next retry after {time}").format(cause=cause, time=moment)


def cause_text(failure: Failure) -> str:
    """Short enough for a row."""
    return translated(describe(failure).cause)


def brief_text(failure: Failure) -> str:
    """A shorter cause for a narrow row; empty if there is none."""
    if failure.kind is FailureKind.COMMAND_NOT_FOUND:
        return tr("“{name}” not found").format(name=failure.subject)
    if failure.kind is FailureKind.SECRET_MISSING:
        return tr("Secret missing")
    return tr("Unreachable") if failure.kind is FailureKind.UNREACHABLE else ""


def failure_hint(failure: Failure) -> str:
    """What to do about it, after the reason if that is a sentence of the router."""
    text = describe(failure)
    reason = (text.detail,) if isinstance(text.detail, Sentence) else ()
    return " ".join(map(translated, (*reason, *text.hints)))


def failure_remedy(kind: FailureKind, share: SharedPath | None = None) -> Remedy | None:
    """The button beside it: most failures can only be retried."""
    match kind:
        case FailureKind.FILES_NEEDED if share is not None:
            label = tr("Allow writing") if share.writable else tr("Allow reading")
            return Remedy(label, Action.SHARE_FILES)
        case FailureKind.FILES_NEEDED:
            return unconfined_remedy()
        case (
            FailureKind.COMMAND_NOT_FOUND
            | FailureKind.PERMISSION_DENIED
            | FailureKind.EXITED
            | FailureKind.SECRET_MISSING
            | FailureKind.PACKAGE_NOT_FOUND
        ):
            return Remedy(tr("Fix…"), Action.EDIT)
        case FailureKind.SIGN_IN_NEEDED:
            return Remedy(tr("Sign in…"), Action.SIGN_IN)
        case FailureKind.CONSENT_NEEDED:
            return Remedy(tr("Review…"), Action.REVIEW)
        case FailureKind.NETWORK_NEEDED:
            return Remedy(tr("Allow network"), Action.ALLOW_NETWORK)
        case FailureKind.PACKAGE_CHANGED:
            return Remedy(tr("Download again"), Action.DOWNLOAD)
        case FailureKind.DISABLED:
            return None
        case _:
            return Remedy(tr("Retry"), Action.RETRY)


def unconfined_remedy() -> Remedy:
    return Remedy(tr("Discover without a sandbox"), Action.DISCOVER_UNCONFINED)


def translated(text: str) -> str:
    """The translation of a sentence of the router; other texts stay as they are."""
    if not isinstance(text, Sentence):
        return tr(text) if text else ""
    template = tr(text.template)
    parts = {
        name: translated(part) if isinstance(part, Sentence) else part
        for name, part in text.parts.items()
    }
    return template.format(**parts) if parts else template


def message_of(error: ToolboothError) -> str:
    if isinstance(error, UpstreamFailed) and error.failure.kind is not FailureKind.OTHER:
        return cause_text(error.failure)
    return translated(error.message)


def hint_of(error: ToolboothError) -> str:
    if isinstance(error, UpstreamFailed) and error.failure.kind is not FailureKind.OTHER:
        return failure_hint(error.failure)
    return translated(error.hint)


def error_text(error: ToolboothError) -> str:
    """What happened and what to do about it."""
    return f"{message_of(error)} {hint_of(error)}".strip()
