"""The events of the router: a closed union of past-tense facts.

An event has the new value, or names what changed, so that subscribers read it again. Subscribers
choose the events they handle. Only the window's bridge must know all of them: its `match` over
`Event` ends in `assert_never`, so a new event is a type error until it is handled there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from router.config.settings import Settings
from router.domain.activity import ActivityEntry
from router.domain.endpoint import ListenerState
from router.domain.failures import Failure
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.permissions import PermissionRequest, PermissionRequestId
from router.domain.servers import DiscoveryStep, ServerStatus


@dataclass(frozen=True, slots=True)
class ServerStatusChanged:
    """A server is new or anything about it changed."""

    status: ServerStatus


@dataclass(frozen=True, slots=True)
class ServerRemoved:
    ref: ServerRef


@dataclass(frozen=True, slots=True)
class AttentionNeeded:
    """A server failed so often that it is not started again by itself, or its tools can't be
    discovered without a decision of the user. Published once."""

    ref: ServerRef
    failure: Failure


@dataclass(frozen=True, slots=True)
class ToolsChanged:
    """Discovery found other tools than before, or approval or permissions changed them."""

    workspace: WorkspaceId
    server: ServerId
    count: int


@dataclass(frozen=True, slots=True)
class DiscoveryProgressed:
    ref: ServerRef
    step: DiscoveryStep


@dataclass(frozen=True, slots=True)
class StorageStateChanged:
    """Something that the router knows could not be written to disk and is kept in memory; `reason`
    empty: everything is written now."""

    reason: str


@dataclass(frozen=True, slots=True)
class ActivityRecorded:
    """A client searched, called, listed or was refused."""

    entry: ActivityEntry


@dataclass(frozen=True, slots=True)
class PermissionRequested:
    """A call waits for permission."""

    request: PermissionRequest


@dataclass(frozen=True, slots=True)
class PermissionResolved:
    """A permission request was answered, timed out, or its call ended."""

    request_id: PermissionRequestId


@dataclass(frozen=True, slots=True)
class ListenerStateChanged:
    state: ListenerState


@dataclass(frozen=True, slots=True)
class WorkspaceSwitched:
    workspace: WorkspaceId


@dataclass(frozen=True, slots=True)
class WorkspacesChanged:
    """A workspace was added or removed, or its name, projects or options changed."""

    workspace: WorkspaceId


@dataclass(frozen=True, slots=True)
class SettingsApplied:
    settings: Settings


@dataclass(frozen=True, slots=True)
class TokensChanged:
    """A client's token was issued, used for the first time, or revoked."""


@dataclass(frozen=True, slots=True)
class ConfigRejected:
    """A file edited on disk can't be used; the last good state stays."""

    path: Path
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class ConfigAccepted:
    """A file that had been rejected is valid again."""

    path: Path


@dataclass(frozen=True, slots=True)
class WindowRequested:
    """Toolbooth was started again, with these words of the command line."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConfirmationsChanged:
    """A command of a terminal began or ceased to wait for a confirmation."""


Event: TypeAlias = (
    ServerStatusChanged
    | ServerRemoved
    | AttentionNeeded
    | ToolsChanged
    | DiscoveryProgressed
    | StorageStateChanged
    | ActivityRecorded
    | PermissionRequested
    | PermissionResolved
    | ListenerStateChanged
    | WorkspaceSwitched
    | WorkspacesChanged
    | SettingsApplied
    | TokensChanged
    | ConfigRejected
    | ConfigAccepted
    | WindowRequested
    | ConfirmationsChanged
)

CatalogChanged: TypeAlias = (
    ServerStatusChanged | ServerRemoved | ToolsChanged | WorkspaceSwitched | WorkspacesChanged
)
"""Which servers or tools the active workspace has may be different now."""

Publish: TypeAlias = Callable[[Event], None]
"""How a package publishes an event; may be called on any thread and never raises."""
