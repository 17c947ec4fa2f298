"""Failures and protections as text: what happened and what to do.

The one table of these sentences. The window translates them; `advise` and `explain` put them
together in English for the command line, the log and clients.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import assert_never

from router.domain.errors import UpstreamAnsweredError, UpstreamFailed, sentence
from router.domain.failures import Failure, FailureKind
from router.domain.receipts import Protection
from router.domain.servers import ServerState, ServerStatus

_MAX_WORDS = 500
_WELL = (ServerState.DISABLED, ServerState.CONNECTING, ServerState.READY)

_ENGINE_DOWN = re.compile(
    r"cannot connect to the docker daemon|docker daemon is not running|connect to podman"
    r"|failed to connect to the docker api",
    re.IGNORECASE,
)

INSTALLED_BY = {
    "npx": "Node.js (https://nodejs.org)",
    "npm": "Node.js (https://nodejs.org)",
    "node": "Node.js (https://nodejs.org)",
    "bunx": "Bun (https://bun.sh)",
    "bun": "Bun (https://bun.sh)",
    "deno": "Deno (https://deno.com)",
    "uvx": "uv (https://docs.astral.sh/uv)",
    "uv": "uv (https://docs.astral.sh/uv)",
    "pipx": "pipx (https://pipx.pypa.io)",
    "python": "Python (https://www.python.org)",
    "python3": "Python (https://www.python.org)",
    "pnpm": "pnpm (https://pnpm.io)",
    "yarn": "Yarn (https://yarnpkg.com)",
    "go": "Go (https://go.dev/dl)",
    "java": "Java (https://adoptium.net)",
    "docker": "Docker (https://docs.docker.com/get-docker)",
    "podman": "Podman (https://podman.io)",
}
"""What installs the commands that servers are most often started with."""


@dataclass(frozen=True, slots=True)
class FailureText:
    """The sentences for a failure. The server's name is in none of them."""

    cause: str
    """Short enough for a row, without a full stop."""
    hints: tuple[str, ...]
    detail: str
    """The reason: a `Sentence` of ours, or quoted and not translated."""
    terminal: str
    """What to do at a terminal; not translated."""


@dataclass(frozen=True, slots=True)
class Advice:
    cause: str
    suggestion: str
    terminal: str = ""
    """What the user can do at a terminal; no client gets it."""

    @property
    def action(self) -> str:
        """For the user."""
        return f"{self.suggestion} {self.terminal}".strip()

    def __str__(self) -> str:
        return f"{self.cause} {self.action}".strip()


def advise(failure: Failure, server_name: str) -> Advice:
    """The English text for `failure` of the server named `server_name`."""
    text = describe(failure)
    named = f"{server_name}: {text.cause}" if server_name else text.cause
    suggestion = list(text.hints)
    if failure.retry_at is not None:
        suggestion.append(not_before(failure.retry_at))
    return Advice(
        _ended(f"{named} — {text.detail}" if text.detail else named),
        " ".join(filter(None, suggestion)),
        text.terminal,
    )


def explain(status: ServerStatus) -> Advice:
    """Why a server is in its state, and what to do about it."""
    if status.failure is not None and status.state not in _WELL:
        return advise(status.failure, status.name)
    match status.state:
        case ServerState.DISABLED:
            return advise(Failure(FailureKind.DISABLED, status.id), status.name)
        case ServerState.NEEDS_CONSENT:
            waiting = Failure(FailureKind.CONSENT_NEEDED, status.id, f"“{status.target}”")
            return advise(waiting, status.name)
        case ServerState.NEEDS_SIGN_IN:
            return advise(Failure(FailureKind.SIGN_IN_NEEDED, status.id), status.name)
        case ServerState.IDLE:
            return Advice(f"{status.name} is not running.", "It starts on the first call.")
        case ServerState.CONNECTING:
            return Advice(f"{status.name} is starting.", "Calls wait until it is ready.")
        case ServerState.READY:
            return Advice(f"{status.name} is connected.", "It is ready to use.")
        case ServerState.BACKING_OFF | ServerState.FAILED:
            return Advice(
                f"{status.name} failed.", "", f"Retry with: toolbooth refresh {status.id}"
            )
        case _:
            assert_never(status.state)


def error_words(error: UpstreamAnsweredError | UpstreamFailed) -> str:
    """What a server, or Toolbooth about it, said in `error`, on one line."""
    if isinstance(error, UpstreamAnsweredError):
        words = " ".join(error.message.split())
        return words[:_MAX_WORDS] or f"error {error.code}"
    text = describe(error.failure)
    return ": ".join(filter(None, (text.cause, text.detail)))


def is_without_engine(failure: Failure) -> bool:
    """Whether a container failed to start because no container engine is running."""
    return _ENGINE_DOWN.search(failure.detail) is not None


def protection_words(protection: Protection) -> str:
    """The isolation in force, in English."""
    return " ".join(protection_sentences(protection))


def protection_sentences(protection: Protection) -> list[str]:
    """The isolation in force, as sentences to translate."""
    sentences: list[str] = [
        sentence("Files: blocked, except its program and the files its command names.")
        if protection.files_blocked
        else sentence("Files: not blocked."),
        sentence("Network: allowed.") if protection.network else sentence("Network: blocked."),
    ]
    for shared in protection.shared:
        sentences.append(
            sentence("May read and write {path}.", path=shared.path)
            if shared.writable
            else sentence("May read {path}.", path=shared.path)
        )
    if protection.memory_mb is not None:
        sentences.append(sentence("Memory: {size} MB.", size=protection.memory_mb))
    if protection.cpu_percent is not None:
        sentences.append(sentence("CPU: {share} % of a core.", share=protection.cpu_percent))
    if protection.tasks is not None:
        sentences.append(sentence("Processes: at most {most}.", most=protection.tasks))
    return sentences


def not_before(moment: datetime) -> str:
    return f"Next retry after {moment.astimezone():%H:%M:%S}."


def _ended(text: str) -> str:
    """`text` with a full stop, so that another sentence can follow."""
    text = text.rstrip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def describe(failure: Failure) -> FailureText:
    """The sentences for `failure`."""
    subject, detail = failure.subject, failure.detail
    match failure.kind:
        case FailureKind.COMMAND_NOT_FOUND:
            return _described(
                sentence("Command “{name}” not found", name=subject), *_install_hints(failure)
            )
        case FailureKind.PERMISSION_DENIED:
            cause = sentence("“{name}” can’t be executed", name=subject)
            return _described(cause, "Check the file’s permissions.")
        case FailureKind.EXITED:
            reason = f"exit {subject}" if subject.startswith("code") else subject
            cause = sentence("Crashed ({reason})", reason=reason)
            if is_without_engine(failure):
                return _described(cause, "Start Docker or Podman, then try again.", detail=detail)
            hint = sentence("Check its command, arguments and environment variables.")
            return _described(cause, hint, detail=detail)
        case FailureKind.TIMEOUT:
            return _described(
                sentence("No response within {time}", time=subject),
                "It may be slow to start. Try again in 30 seconds, or raise its timeout.",
                terminal="Set discoveryTimeoutS in its configuration.",
            )
        case FailureKind.SILENT:
            return _described(
                sentence("Connected, but got no response within {time}", time=subject),
                "Check that this is the address of an MCP server, and that the server works.",
                detail=detail,
            )
        case FailureKind.CALL_TIMEOUT:
            return _described(
                sentence("No response within {time}", time=subject),
                "If it needs longer, raise the timeout for calls.",
                terminal="Set callTimeoutS in the settings.",
            )
        case FailureKind.STUCK:
            return _described(
                "Stopped responding",
                "It is restarted for the next call. If its tools need longer, raise the timeout "
                "for calls.",
                detail=f"calls had no response within {subject}, so it was stopped",
                terminal="Set callTimeoutS in the settings.",
            )
        case FailureKind.UNREACHABLE:
            cause = sentence("Can’t reach {address}", address=subject)
            return _described(
                cause, "Check the address and your network connection.", detail=detail
            )
        case FailureKind.SIGN_IN_NEEDED:
            terminal = f"Run: toolbooth sign-in {subject}" if subject else ""
            hint = sentence("Sign in, or add a token in its settings.")
            return _described("Sign-in required", hint, detail=detail, terminal=terminal)
        case FailureKind.CONSENT_NEEDED:
            return _described(
                "Waiting for your approval",
                "Review the command, then approve it.",
                detail=detail,
                terminal=f"Run: toolbooth approve {subject}",
            )
        case FailureKind.SECRET_MISSING:
            # The last part is the secret's name; the ones before say whose it is.
            cause = sentence("Secret {name} is missing", name=subject.rpartition("/")[2])
            hint = detail or sentence("Set it in the server’s settings, then try again.")
            return _described(cause, hint)
        case FailureKind.BAD_PROTOCOL:
            hint = sentence("Update the server, or report this to its author.")
            return _described("Invalid MCP response", hint, detail=detail)
        case FailureKind.SERVER_ERROR:
            hint = sentence(
                "Check its settings, and that what it needs is running, then try again."
            )
            return _described(sentence("Reported an error: {words}", words=detail), hint)
        case FailureKind.BUSY:
            waiting = f"{subject} are in progress or waiting"
            return _described("Too many concurrent calls", "Try again later.", detail=waiting)
        case FailureKind.TOO_MANY_SESSIONS:
            return _described(
                "Session limit reached",
                "Close a session, or raise its limit.",
                detail=f"it already runs for {subject} sessions or folders",
                terminal="Set maxSessions in its configuration.",
            )
        case FailureKind.TOO_LARGE:
            return _described(
                sentence("Sent more than {limit} at once", limit=subject),
                "Ask it for less at a time, or raise the limit for its messages.",
                detail=detail,
                terminal="Set messageLimitMb in the settings.",
            )
        case FailureKind.TOO_MUCH_MEMORY:
            return _described(
                sentence("Exceeded its memory limit of {limit}", limit=subject),
                "Raise its memory limit, or send it less data at a time.",
                detail=f"it used {detail}",
                terminal="Set memoryLimitMb in its configuration.",
            )
        case FailureKind.NETWORK_NEEDED:
            return _described(
                "Needs network access for discovery",
                "Allow network access if you trust this server. It also gets its secrets "
                "during discovery.",
                detail=f"it tried to reach {detail}",
                terminal=f"Run: toolbooth approve {subject} --network",
            )
        case FailureKind.FILES_NEEDED:
            return _files_needed(failure)
        case FailureKind.ISOLATION_TOO_WEAK:
            return _described(
                "Not started: isolation too weak",
                "This computer can’t provide the minimum isolation required in Settings.",
                detail=f"{subject} is required, but {detail}",
                terminal="Set isolation.requiredLevel in the settings.",
            )
        case FailureKind.FETCH_FAILED:
            cause = sentence("Couldn’t download package {name}", name=subject)
            hint = sentence("Try again, or choose another version of the package.")
            return _described(cause, hint, detail=detail)
        case FailureKind.PACKAGE_NOT_FOUND:
            cause = sentence("Package {name} not found", name=subject)
            hint = sentence("Check its name and version in the server’s command.")
            return _described(cause, hint, detail=detail)
        case FailureKind.REGISTRY_UNREACHABLE:
            cause = sentence("Couldn’t download package {name}", name=subject)
            hint = sentence(
                "Check your network connection, proxy and package registry, then try again."
            )
            return _described(cause, hint, detail=detail)
        case FailureKind.PYTHON_NEEDED:
            cause = sentence("Python {version} is needed", version=subject)
            hint = sentence(
                "Install it, or install uv (https://docs.astral.sh/uv), which downloads it. "
                "Then try again."
            )
            return _described(cause, hint, detail=detail)
        case FailureKind.PACKAGE_CHANGED:
            return _described(
                sentence("The downloaded package {name} was changed on disk", name=subject),
                "Not started: what would run is not what was downloaded. Download it again.",
                detail=detail,
                terminal="Run: toolbooth refresh NAME --packages",
            )
        case FailureKind.CANCELLED:
            return _described("Cancelled", "Refresh it to try again.")
        case FailureKind.DISABLED:
            terminal = f"Run: toolbooth enable {subject or 'NAME'}"
            return _described("Turned off", "Turn it on.", terminal=terminal)
        case FailureKind.OTHER:
            return _described(
                detail or sentence("Something went wrong"), "See the log for details."
            )
        case _:
            assert_never(failure.kind)


def _files_needed(failure: Failure) -> FailureText:
    """`subject` is the server's id, `detail` its last words."""
    approve = f"toolbooth approve {failure.subject}"
    unconfined = f"{approve} --unconfined"
    if failure.share is None:
        return _described(
            "Needs files that the sandbox doesn’t give it",
            "Discover it without a sandbox if you trust it.",
            detail=failure.detail,
            terminal=f"Run: {unconfined}",
        )
    path, writable = failure.share.path, failure.share.writable
    cause = (
        sentence("Needs to write to {path} for discovery", path=path)
        if writable
        else sentence("Needs to read {path} for discovery", path=path)
    )
    hint = sentence("Share it if you trust this server, or discover it without a sandbox.")
    share = f"{approve} {'--write' if writable else '--read'} {shlex.quote(path)}"
    return _described(
        cause, hint, detail=failure.detail, terminal=f"Run: {share}, or: {unconfined}"
    )


def _described(cause: str, *hints: str, detail: str = "", terminal: str = "") -> FailureText:
    """Constants given as `cause` or a hint are collected for translation, as by `sentence`."""
    return FailureText(cause, hints, detail, terminal)


def _install_hints(failure: Failure) -> Iterator[str]:
    """Which program provides the command, if known, and where it was searched for."""
    source = INSTALLED_BY.get(PurePath(failure.subject).stem.lower())
    if source is None:
        yield sentence(
            "Check that it is installed and that the command is correct, then try again."
        )
    else:
        yield sentence("It comes with {program}. Install it, then try again.", program=source)
    if failure.detail:
        yield sentence("Searched in: {folders}", folders=failure.detail)
