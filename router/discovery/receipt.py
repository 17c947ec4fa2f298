"""From the launcher's observations to what the user reads: a run's receipt, and why it failed."""

from __future__ import annotations

from datetime import datetime

from router.discovery.sandbox.sandbox import SandboxedCommand
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.receipts import IsolationLevel, Package, Protection, Reason, Receipt, Unseen
from router.upstream.errors import bad_protocol, failed

_LOCAL_SOCKET = "local socket"
_NAME_SERVICES = (f"{_LOCAL_SOCKET} /var/run/nscd/", f"{_LOCAL_SOCKET} /run/systemd/")
"""Used by libc to look up names and users, not by the server itself."""
_HOSTS_IN_FAILURE = 3


def make_receipt(
    observations: JsonObject,
    *,
    at: datetime,
    config_hash: str,
    protection: Protection,
    package: Package | None,
    as_written: Reason | None,
) -> Receipt:
    watched = observations.get("watched") is True
    files, hosts, programs = (_texts(observations, k) for k in ("files", "hosts", "programs"))
    total = sum(int(n) for n in as_object(observations.get("counts")).values())
    return Receipt(
        at=at,
        config_hash=config_hash,
        protection=protection,
        watched=watched,
        files=files,
        hosts=tuple(host for host in hosts if not host.startswith(_NAME_SERVICES)),
        programs=programs,
        left_out=max(0, total - len(files) - len(hosts) - len(programs)),
        unseen=_unseen(observations, protection, watched=watched),
        memory_mb=int(observations.get("taken_mb") or 0),
        package=package,
        as_written=as_written,
    )


def _texts(observations: JsonObject, kind: str) -> tuple[str, ...]:
    return tuple(text for text in as_array(observations.get(kind)) if isinstance(text, str))


def _unseen(observations: JsonObject, protection: Protection, *, watched: bool) -> tuple[str, ...]:
    if not watched:
        return (Unseen.ALL,)
    unseen = [Unseen.ONLY_ASKED]
    if protection.level is IsolationLevel.CONFINED and not protection.network:
        unseen.append(Unseen.NAMES)
    if protection.network:
        unseen.append(Unseen.SENT)
    if observations.get("blind"):
        unseen.append(Unseen.UNREADABLE)
    return tuple(unseen)


def failure_of_run(
    error: UpstreamFailed | UpstreamAnsweredError, ref: ServerRef, sandboxed: SandboxedCommand
) -> UpstreamFailed:
    """Why a sandboxed run failed; a limit or a refused connection goes before `error`."""
    observations, protection = sandboxed.observations(), sandboxed.protection
    if observations.get("killed") == "memory":
        limit, taken = f"{protection.memory_mb} MB", f"{observations.get('taken_mb')} MB"
        return failed(Failure(FailureKind.TOO_MUCH_MEMORY, limit, taken))
    if observations.get("killed") == "tasks":
        detail = f"it started more than {protection.tasks} processes"
        return failed(Failure(FailureKind.OTHER, detail=detail))
    hosts = [h for h in _texts(observations, "hosts") if not h.startswith(_LOCAL_SOCKET)]
    if hosts and not protection.network:
        detail = ", ".join(hosts[:_HOSTS_IN_FAILURE])
        return failed(Failure(FailureKind.NETWORK_NEEDED, ref.server, detail))
    if isinstance(error, UpstreamAnsweredError):
        return failed(bad_protocol(error.message))
    return error
