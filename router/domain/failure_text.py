"""Failures as text: what happened and what to do. English, for the command line, the log and
clients; the window translates by the failure's kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import assert_never

from router.domain.failures import Failure, FailureKind
from router.domain.receipts import Protection
from router.domain.servers import ServerState, ServerStatus

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
    "docker": "Docker (https://docs.docker.com/get-docker)",
    "podman": "Podman (https://podman.io)",
}
"""What installs the commands that servers are most often started with."""


@dataclass(frozen=True, slots=True)
class Advice:
    cause: str
    suggestion: str

    def __str__(self) -> str:
        return f"{self.cause} {self.suggestion}".strip()


def advise(failure: Failure, server_name: str) -> Advice:
    """The text for `failure` of the server named `server_name`."""
    advice = _advise(failure, server_name)
    if failure.retry_at is None:
        return advice
    return Advice(advice.cause, f"{advice.suggestion} {not_before(failure.retry_at)}")


def explain(status: ServerStatus) -> Advice:
    """Why a server is in its state, and what to do about it."""
    if status.failure is not None and status.state not in _WELL:
        return advise(status.failure, status.name)
    match status.state:
        case ServerState.DISABLED:
            return _advise(Failure(FailureKind.DISABLED, status.id), status.name)
        case ServerState.NEEDS_CONSENT:
            waiting = Failure(FailureKind.CONSENT_NEEDED, status.id, f"“{status.target}”")
            return _advise(waiting, status.name)
        case ServerState.NEEDS_SIGN_IN:
            return _advise(Failure(FailureKind.SIGN_IN_NEEDED, status.id), status.name)
        case ServerState.IDLE:
            return Advice(f"{status.name} is not running.", "Its first use starts it.")
        case ServerState.CONNECTING:
            return Advice(f"{status.name} is starting.", "Calls wait until it is ready.")
        case ServerState.READY:
            return Advice(f"{status.name} is connected.", "It can be used.")
        case ServerState.BACKING_OFF | ServerState.FAILED:
            return Advice(
                f"{status.name} failed.", f"Try it again with: toolbooth refresh {status.id}"
            )
        case _:
            assert_never(status.state)


def is_without_engine(failure: Failure) -> bool:
    """Whether a container failed to start because no container engine is running."""
    return _ENGINE_DOWN.search(failure.detail) is not None


def protection_words(protection: Protection) -> str:
    """The isolation in force, as text."""
    words = [
        "Files: blocked, except its own program and what its command names."
        if protection.files_blocked
        else "Files: not blocked.",
        "Network: allowed." if protection.network else "Network: blocked.",
    ]
    if protection.memory_mb is not None:
        words.append(f"Memory: {protection.memory_mb} MB.")
    if protection.cpu_percent is not None:
        words.append(f"Processor: {protection.cpu_percent} % of a core.")
    if protection.tasks is not None:
        words.append(f"Processes: at most {protection.tasks}.")
    return " ".join(words)


def not_before(moment: datetime) -> str:
    return f"It is not tried again before {moment.astimezone():%H:%M:%S}."


def _ended(quoted: str) -> str:
    """Quoted text with a full stop, so that another sentence can follow."""
    text = quoted.rstrip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _advise(failure: Failure, server_name: str) -> Advice:
    subject, detail = failure.subject, failure.detail
    match failure.kind:
        case FailureKind.COMMAND_NOT_FOUND:
            cause = f"Command “{subject}” was not found."
            install = INSTALLED_BY.get(PurePath(subject).stem.lower())
            wanted = f"It comes with {install}." if install else "Is the package installed?"
            return Advice(cause, f"{wanted} Looked in: {detail}.")
        case FailureKind.PERMISSION_DENIED:
            return Advice(f"“{subject}” may not be run.", "Check the file's permissions.")
        case FailureKind.EXITED:
            said = f" It said: {_ended(detail)}" if detail else ""
            return Advice(
                f"{server_name} exited ({subject}).{said}",
                "Start Docker or Podman, then try again."
                if is_without_engine(failure)
                else "Check its command, arguments and environment.",
            )
        case FailureKind.TIMEOUT:
            return Advice(
                f"{server_name} did not answer within {subject}.",
                "It may be slow to start; try again in 30 seconds, or give it longer with "
                "discoveryTimeoutS in its configuration.",
            )
        case FailureKind.UNREACHABLE:
            said = f": {detail}" if detail else ""
            return Advice(
                f"{subject} can't be reached{said}.", "Check the address and the network."
            )
        case FailureKind.SIGN_IN_NEEDED:
            said = f" ({detail})" if detail else ""
            return Advice(
                f"{server_name} wants you to sign in{said}.",
                f"Sign in from Toolbooth's window, or with: toolbooth sign-in {subject}"
                if subject
                else "Add or correct a token or header in its settings.",
            )
        case FailureKind.CONSENT_NEEDED:
            return Advice(
                f"{server_name} waits for your approval to run {detail}.",
                f"Approve it in the window or with: toolbooth approve {subject}",
            )
        case FailureKind.SECRET_MISSING:
            return Advice(f"The secret {subject} is missing.", detail or "Set it, then try again.")
        case FailureKind.BAD_PROTOCOL:
            return Advice(
                f"{server_name} answered in a way MCP does not allow: {_ended(detail)}",
                "Update the server, or tell its author.",
            )
        case FailureKind.BUSY:
            return Advice(
                f"{server_name} already has {subject} calls to work on.", "Try again in a while."
            )
        case FailureKind.TOO_MANY_SESSIONS:
            return Advice(
                f"{server_name} already runs for {subject} sessions or folders, as many as it may.",
                "Close one of them, or raise maxSessions in its configuration.",
            )
        case FailureKind.TOO_MUCH_MEMORY:
            return Advice(
                f"{server_name} was stopped: it took {detail}, more than its limit of {subject}.",
                "Raise memoryLimitMb in its configuration, or call it with less at once.",
            )
        case FailureKind.NETWORK_NEEDED:
            return Advice(
                f"{server_name} could not list its tools without network: it tried {detail}.",
                "To let it have the network and its secrets for that, allow it in the window or "
                f"with: toolbooth approve {subject} --network",
            )
        case FailureKind.ISOLATION_TOO_WEAK:
            return Advice(
                f"{server_name} was not started: {subject} is required, but {_ended(detail)}",
                "Make that possible, or ask for less with isolation.requiredLevel in the settings.",
            )
        case FailureKind.FETCH_FAILED:
            return Advice(
                f"The package {subject} could not be fetched: {_ended(detail)}",
                "Check its name and the network, then try again.",
            )
        case FailureKind.CANCELLED:
            return Advice(f"Learning the tools of {server_name} was cancelled.", "Refresh it.")
        case FailureKind.DISABLED:
            return Advice(
                f"{server_name} is switched off.",
                f"Switch it on in the window or with: toolbooth enable {subject or 'NAME'}",
            )
        case FailureKind.OTHER:
            return Advice(f"{server_name}: {_ended(detail)}", "The log has the details.")
        case _:
            assert_never(failure.kind)
