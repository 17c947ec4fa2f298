"""From the launcher's observations to what the user reads: a run's receipt, and why it failed."""

from __future__ import annotations

from datetime import datetime

from router.discovery.sandbox.lacked_files import lacked_files
from router.discovery.sandbox.observations import Observations
from router.discovery.sandbox.sandbox import SandboxedCommand
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.receipts import IsolationLevel, Package, Protection, Reason, Receipt, Unseen
from router.upstream.errors import failed, server_error

_LOCAL_SOCKET = "local socket"
_NAME_SERVICES = (f"{_LOCAL_SOCKET} /var/run/nscd/", f"{_LOCAL_SOCKET} /run/systemd/")
"""Used by libc to look up names and users, not by the server itself."""
_HOSTS_IN_FAILURE = 3
_MAX_WORDS = 300


def make_receipt(
    observations: Observations,
    *,
    at: datetime,
    config_hash: str,
    protection: Protection,
    package: Package | None,
    as_written: Reason | None,
) -> Receipt:
    listed = len(observations.files) + len(observations.hosts) + len(observations.programs)
    return Receipt(
        at=at,
        config_hash=config_hash,
        protection=protection,
        watched=observations.watched,
        files=tuple(observations.files),
        hosts=tuple(h for h in observations.hosts if not h.startswith(_NAME_SERVICES)),
        programs=tuple(observations.programs),
        left_out=max(0, sum(observations.counts.values()) - listed),
        unseen=_unseen(observations, protection),
        memory_mb=observations.peak_mb,
        package=package,
        as_written=as_written,
    )


def _unseen(observations: Observations, protection: Protection) -> tuple[str, ...]:
    if not observations.watched:
        return (Unseen.ALL,)
    unseen = [Unseen.ONLY_ASKED]
    if protection.level is IsolationLevel.CONFINED and not protection.network:
        unseen.append(Unseen.NAMES)
    if protection.network:
        unseen.append(Unseen.SENT)
    if observations.incomplete:
        unseen.append(Unseen.UNREADABLE)
    return tuple(unseen)


def failure_of_run(
    error: UpstreamFailed | UpstreamAnsweredError,
    ref: ServerRef,
    sandboxed: SandboxedCommand,
    stderr: str,
) -> UpstreamFailed:
    """Why a sandboxed run failed; a limit, files that it lacks and a refused connection go before
    `error`."""
    observations, protection = sandboxed.observations(), sandboxed.protection
    if observations.killed == "memory":
        limit, taken = f"{protection.memory_mb} MB", f"{observations.peak_mb} MB"
        return failed(Failure(FailureKind.TOO_MUCH_MEMORY, limit, taken))
    if observations.killed == "tasks":
        detail = f"it started more than {protection.tasks} processes"
        return failed(Failure(FailureKind.OTHER, detail=detail))
    words = "\n".join((stderr, error.message))
    if lacked := lacked_files(words, observations.files, sandboxed.view):
        tried = f"it tried to open {lacked.path}"
        words = (lacked.words or tried)[:_MAX_WORDS]
        return failed(Failure(FailureKind.FILES_NEEDED, ref.server, words, share=lacked.share))
    hosts = [h for h in observations.hosts if not h.startswith(_LOCAL_SOCKET)]
    if hosts and not protection.network:
        detail = ", ".join(hosts[:_HOSTS_IN_FAILURE])
        return failed(Failure(FailureKind.NETWORK_NEEDED, ref.server, detail))
    if isinstance(error, UpstreamAnsweredError):
        return failed(server_error(error))
    return error
