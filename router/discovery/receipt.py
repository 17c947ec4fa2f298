"""From what the launcher saw to what a person reads: the receipt of a run, and why it failed."""

from __future__ import annotations

from datetime import datetime

from router.discovery.sandbox.sandbox import Confined
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.receipts import IsolationLevel, Package, Protection, Reason, Receipt, Unseen
from router.upstream.errors import bad_protocol, failed

_NAME_SERVICES = ("local socket /var/run/nscd/", "local socket /run/systemd/")
"""What the system's own library asks for names and users; no server means that."""
_HOSTS_NAMED = 3


def make_receipt(
    sightings: JsonObject,
    *,
    at: datetime,
    config_hash: str,
    protection: Protection,
    package: Package | None,
    as_written: Reason | None,
) -> Receipt:
    watched = sightings.get("watched") is True
    kinds = {kind: _texts(sightings, kind) for kind in ("files", "hosts", "programs")}
    counted = sum(int(n) for n in as_object(sightings.get("counts")).values())
    listed = sum(len(_texts(sightings, kind, all_of_it=True)) for kind in kinds)
    return Receipt(
        at=at,
        config_hash=config_hash,
        protection=protection,
        watched=watched,
        **kinds,
        left_out=max(0, counted - listed),
        unseen=_unseen(sightings, protection, watched=watched),
        memory_mb=int(sightings.get("takenMb") or 0),
        package=package,
        as_written=as_written,
    )


def _texts(sightings: JsonObject, kind: str, *, all_of_it: bool = False) -> tuple[str, ...]:
    found = [text for text in as_array(sightings.get(kind)) if isinstance(text, str)]
    return tuple(t for t in found if all_of_it or not t.startswith(_NAME_SERVICES))


def _unseen(sightings: JsonObject, protection: Protection, *, watched: bool) -> tuple[str, ...]:
    if not watched:
        return (Unseen.ALL,)
    words = [Unseen.ONLY_ASKED]
    if protection.level is IsolationLevel.CONFINED and not protection.network:
        words.append(Unseen.NAMES)
    if protection.network:
        words.append(Unseen.SENT)
    if sightings.get("blind"):
        words.append(Unseen.UNREADABLE)
    return tuple(words)


def why_it_failed(
    error: UpstreamFailed | UpstreamAnsweredError, ref: ServerRef, run: Confined
) -> UpstreamFailed:
    """The failure of a confined run, with what its walls have to do with it."""
    sightings, protection = run.sightings(), run.protection
    if sightings.get("killed") == "memory":
        limit, taken = f"{protection.memory_mb} MB", f"{sightings.get('takenMb')} MB"
        return failed(Failure(FailureKind.TOO_MUCH_MEMORY, limit, taken))
    if sightings.get("killed") == "tasks":
        detail = f"it started more than {protection.tasks} processes"
        return failed(Failure(FailureKind.OTHER, detail=detail))
    hosts = [h for h in _texts(sightings, "hosts") if not h.startswith("local socket")]
    if hosts and not protection.network:
        detail = ", ".join(hosts[:_HOSTS_NAMED])
        return failed(Failure(FailureKind.NETWORK_NEEDED, ref.server, detail))
    if isinstance(error, UpstreamAnsweredError):
        return failed(bad_protocol(error.message))
    return error
