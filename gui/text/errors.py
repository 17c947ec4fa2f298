"""Errors and failures, translated: the cause, what to do about it, and the button that does it.

The router's sentences are English templates with their parts (`router.domain.errors.said`); a
failure is translated by its kind. What has no translation is shown as it is. Pure functions;
`router.domain.failure_text` has the same kinds in English for terminals and logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import assert_never

from gui.text.tr import tr
from router.domain.errors import Sentence, ToolboothError, UpstreamFailed
from router.domain.failure_text import INSTALLED_BY, is_without_engine
from router.domain.failures import Failure, FailureKind


class Action(StrEnum):
    """What the button beside a server that needs attention does."""

    EDIT = "edit"
    REVIEW = "review"
    REVIEW_TOOLS = "review_tools"
    SIGN_IN = "sign_in"
    ALLOW_NETWORK = "allow_network"
    RETRY = "retry"


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
    return tr("{cause}; not tried again before {time}").format(cause=cause, time=moment)


def cause_text(failure: Failure) -> str:
    """Short enough for a row."""
    subject = failure.subject
    match failure.kind:
        case FailureKind.COMMAND_NOT_FOUND:
            return tr("Command “{name}” not found").format(name=subject)
        case FailureKind.PERMISSION_DENIED:
            return tr("“{name}” may not be run").format(name=subject)
        case FailureKind.EXITED:
            return tr("Stopped by itself ({reason})").format(reason=subject)
        case FailureKind.TIMEOUT:
            return tr("No answer within {time}").format(time=subject)
        case FailureKind.UNREACHABLE:
            return tr("{address} can’t be reached").format(address=subject)
        case FailureKind.SIGN_IN_NEEDED:
            return tr("Sign-in needed")
        case FailureKind.CONSENT_NEEDED:
            return tr("Waits for your approval")
        case FailureKind.SECRET_MISSING:
            # The last part is the secret's name; the ones before say whose it is.
            return tr("Secret {name} is missing").format(name=subject.rpartition("/")[2])
        case FailureKind.BAD_PROTOCOL:
            return tr("Its answers are not valid MCP")
        case FailureKind.BUSY:
            return tr("Too many calls at once")
        case FailureKind.TOO_MANY_SESSIONS:
            return tr("Runs for as many sessions as it may")
        case FailureKind.TOO_MUCH_MEMORY:
            return tr("Took more memory than its limit of {limit}").format(limit=subject)
        case FailureKind.NETWORK_NEEDED:
            return tr("Needs the network to list its tools")
        case FailureKind.ISOLATION_TOO_WEAK:
            return tr("Not started: too little protection here")
        case FailureKind.FETCH_FAILED:
            return tr("Package {name} could not be fetched").format(name=subject)
        case FailureKind.CANCELLED:
            return tr("Cancelled")
        case FailureKind.DISABLED:
            return tr("Switched off")
        case FailureKind.OTHER:
            return failure.detail or tr("Something went wrong")
        case _:
            assert_never(failure.kind)


def brief_text(failure: Failure) -> str:
    """A shorter cause for a narrow row; empty if there is none."""
    if failure.kind is FailureKind.COMMAND_NOT_FOUND:
        return tr("“{name}” not found").format(name=failure.subject)
    if failure.kind is FailureKind.SECRET_MISSING:
        return tr("Secret missing")
    return tr("Can’t be reached") if failure.kind is FailureKind.UNREACHABLE else ""


def failure_hint(failure: Failure) -> str:
    """What to do about it."""
    match failure.kind:
        case FailureKind.COMMAND_NOT_FOUND:
            return _install_hint(failure)
        case FailureKind.PERMISSION_DENIED:
            return tr("Check the file’s permissions.")
        case FailureKind.EXITED:
            if is_without_engine(failure):
                return tr("Start Docker or Podman, then try again.")
            return tr("Check its command, arguments and environment.")
        case FailureKind.TIMEOUT:
            return tr("It may be slow to start; try again in 30 seconds, or give it longer.")
        case FailureKind.UNREACHABLE:
            return tr("Check the address and the network.")
        case FailureKind.SIGN_IN_NEEDED:
            return tr("Sign in, or add a token to its settings.")
        case FailureKind.CONSENT_NEEDED:
            return tr("Look at what it would run, then approve it.")
        case FailureKind.SECRET_MISSING:
            return tr("Set it in the server’s settings, then try again.")
        case FailureKind.BAD_PROTOCOL:
            return tr("Update the server, or tell its author.")
        case FailureKind.BUSY:
            return tr("Try again in a while.")
        case FailureKind.TOO_MANY_SESSIONS:
            return tr("Close a session, or raise its limit.")
        case FailureKind.TOO_MUCH_MEMORY:
            return tr("Raise its limit, or call it with less at once.")
        case FailureKind.NETWORK_NEEDED:
            return tr("Allow it the network and its secrets while its tools are listed, or not.")
        case FailureKind.ISOLATION_TOO_WEAK:
            return tr("The settings ask for better protection than this computer gives.")
        case FailureKind.FETCH_FAILED:
            return tr("Check its name and the network, then try again.")
        case FailureKind.CANCELLED:
            return tr("Refresh it when you like.")
        case FailureKind.DISABLED:
            return tr("Switch it on.")
        case FailureKind.OTHER:
            return tr("The log has the details.")
        case _:
            assert_never(failure.kind)


def _install_hint(failure: Failure) -> str:
    """Which program provides the command, if known, and where it was searched for."""
    source = INSTALLED_BY.get(PurePath(failure.subject).stem.lower())
    if source is None:
        hint = tr("Is the package installed? Correct the command, or install it and try again.")
    else:
        hint = tr("It comes with {program}. Install that and try again.").format(program=source)
    looked = tr("Looked in: {folders}").format(folders=failure.detail)
    return f"{hint} {looked}" if failure.detail else hint


def failure_remedy(kind: FailureKind) -> Remedy | None:
    match kind:
        case (
            FailureKind.COMMAND_NOT_FOUND
            | FailureKind.PERMISSION_DENIED
            | FailureKind.EXITED
            | FailureKind.SECRET_MISSING
        ):
            return Remedy(tr("Fix…"), Action.EDIT)
        case FailureKind.SIGN_IN_NEEDED:
            return Remedy(tr("Sign in…"), Action.SIGN_IN)
        case FailureKind.CONSENT_NEEDED:
            return Remedy(tr("Review…"), Action.REVIEW)
        case FailureKind.NETWORK_NEEDED:
            return Remedy(tr("Allow network"), Action.ALLOW_NETWORK)
        case (
            FailureKind.TIMEOUT
            | FailureKind.UNREACHABLE
            | FailureKind.BAD_PROTOCOL
            | FailureKind.BUSY
            | FailureKind.TOO_MANY_SESSIONS
            | FailureKind.TOO_MUCH_MEMORY
            | FailureKind.ISOLATION_TOO_WEAK
            | FailureKind.FETCH_FAILED
            | FailureKind.CANCELLED
            | FailureKind.OTHER
        ):
            return Remedy(tr("Retry"), Action.RETRY)
        case FailureKind.DISABLED:
            return None
        case _:
            assert_never(kind)


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
