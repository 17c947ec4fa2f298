"""The condition of each server, and the `ServerStatus` computed from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from router.api.events import Publish, ServerStatusChanged
from router.catalog.catalog import WorkspaceCatalog
from router.catalog.server_entry import ServerEntry
from router.domain.discovery_attempt import DiscoveryAttempt
from router.domain.errors import NoWorkspace
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef, WorkspaceId
from router.domain.permissions import would_run
from router.domain.receipts import DiscoveryAccess, Protection
from router.domain.servers import (
    DiscoveryStatus,
    DiscoveryStep,
    ProcessFacts,
    ServerState,
    ServerStatus,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """What is known about a server beyond its configuration."""

    consented: bool = False
    connection: ServerState = ServerState.IDLE
    step: DiscoveryStep | None = None
    """Of the discovery in progress, if it is shown."""
    attempt: DiscoveryAttempt | None = None
    """The last discovery that has ended."""
    failure: Failure | None = None
    """Of its last start or discovery, since it was last connected."""
    process: ProcessFacts | None = None
    protection: Protection | None = None
    access: DiscoveryAccess = DiscoveryAccess.ISOLATED


class ServerStatuses:
    """The conditions of all servers. Changed on the router's loop, read from any thread."""

    def __init__(
        self,
        catalogs: dict[WorkspaceId, WorkspaceCatalog],
        publish: Publish,
        redact: Callable[[str], str] = str,
    ) -> None:
        """`redact` removes secrets from a failure's detail."""
        self._catalogs = catalogs
        self._publish = publish
        self._redact = redact
        self._conditions: dict[ServerRef, Condition] = {}

    def condition(self, ref: ServerRef) -> Condition:
        return self._conditions.get(ref, Condition())

    def update(self, ref: ServerRef, **changes: Any) -> None:
        """Change a server's condition, and publish its status if that differs."""
        if isinstance(failure := changes.get("failure"), Failure):
            changes["failure"] = without_secrets(failure, self._redact)
        before = self._conditions.get(ref)
        after = replace(before or Condition(), **changes)
        if after != before:
            self._conditions = {**self._conditions, ref: after}
            self.announce(ref)

    def forget(self, ref: ServerRef) -> None:
        self._conditions = {r: c for r, c in self._conditions.items() if r != ref}

    def announce(self, ref: ServerRef) -> None:
        """Publish the server's status, after a change of its configuration or tools."""
        catalog = self._catalogs.get(ref.workspace)
        if catalog is not None and ref.server in catalog.servers:
            self._publish(ServerStatusChanged(self.status(ref)))

    def status(self, ref: ServerRef) -> ServerStatus:
        catalog = self._catalogs.get(ref.workspace)
        if catalog is None:  # On another thread, the workspace may be removed meanwhile.
            raise NoWorkspace(ref.workspace)
        entry = catalog.entry(ref.server)
        condition = self.condition(ref)
        listing = entry.cached.listing if entry.cached else None
        return ServerStatus(
            workspace=ref.workspace,
            id=ref.server,
            name=entry.name,
            transport=entry.config.transport,
            target=entry.config.target,
            enabled=not entry.config.disabled,
            state=_state(entry, condition),
            discovery=_discovery(entry, condition),
            step=condition.step,
            tool_count=len(entry.tools) if listing else None,
            listed_at=entry.listed_at,
            attempted_at=_attempted_at(entry, condition),
            retry_at=condition.attempt.retry_at if condition.attempt else None,
            failure=_failure(entry, condition),
            process=condition.process,
            pending_count=len(catalog.pending(entry)),
            unapproved_count=len(entry.unapproved_tools),
            suspicious_count=entry.suspicious_count,
            cuts=listing.cuts if listing else (),
            unread=tuple(listing.unread.items()) if listing else (),
            protection=condition.protection,
            access=condition.access,
        )


def without_secrets(failure: Failure, redact: Callable[[str], str]) -> Failure:
    return replace(failure, detail=redact(failure.detail))


def _state(entry: ServerEntry, condition: Condition) -> ServerState:
    if entry.config.disabled:
        return ServerState.DISABLED
    if not condition.consented:
        return ServerState.NEEDS_CONSENT
    return condition.connection


def _discovery(entry: ServerEntry, condition: Condition) -> DiscoveryStatus:
    if condition.step is not None:
        return DiscoveryStatus.DISCOVERING
    if condition.attempt is not None:
        return condition.attempt.status
    # A list from the cache was discovered once.
    return DiscoveryStatus.SUCCESS if entry.cached else DiscoveryStatus.NEVER


def _attempted_at(entry: ServerEntry, condition: Condition) -> datetime | None:
    """The same list again only updates the list's time."""
    attempt = condition.attempt
    if attempt is None or attempt.failure is None:
        return entry.listed_at or (attempt.at if attempt else None)
    return attempt.at


def _failure(entry: ServerEntry, condition: Condition) -> Failure | None:
    if entry.config.disabled:
        return None
    if not condition.consented:
        shown = would_run(entry.config.target, entry.config.env)
        return Failure(FailureKind.CONSENT_NEEDED, subject=entry.id, detail=shown)
    attempt = condition.attempt
    if condition.failure is None and attempt and condition.connection is not ServerState.READY:
        return attempt.failure
    return condition.failure
