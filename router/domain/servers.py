"""The state of a server, as the window and the command line show it.

A value that crosses a thread is immutable: a snapshot taken by the window stays valid while the
router changes state.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from router.domain.failures import Failure
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.receipts import DiscoveryAccess, Protection
from router.domain.tool_lists import Cut


class TransportType(StrEnum):
    STDIO = "stdio"
    HTTP = "http"


class ServerState(StrEnum):
    """The state of a server's connection. `NEEDS_CONSENT`: its command is not approved yet."""

    DISABLED = "disabled"
    NEEDS_CONSENT = "needs_consent"
    IDLE = "idle"
    CONNECTING = "connecting"
    READY = "ready"
    NEEDS_SIGN_IN = "needs_sign_in"
    BACKING_OFF = "backing_off"
    FAILED = "failed"


class DiscoveryStatus(StrEnum):
    """How the last discovery of a server ended."""

    NEVER = "never"
    DISCOVERING = "discovering"
    SUCCESS = "success"
    FAILED = "failed"
    TIMEOUT = "timeout"


class DiscoveryStep(StrEnum):
    STARTING = "starting"
    CONNECTING = "connecting"
    DISCOVERING = "discovering"
    CACHING = "caching"
    COMPLETE = "complete"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """What a server's process and all its descendants use."""

    pid: int
    started_at: datetime
    processes: int
    rss_bytes: int
    cpu_s: float
    cpu_percent: float
    """Of one core, since the last measurement; the first time, since the start."""


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The whole state of one server, computed from its parts; the window shows nothing else."""

    workspace: WorkspaceId
    id: ServerId
    name: str
    transport: TransportType
    target: str
    """The command line, or the host and path of the URL."""
    enabled: bool
    state: ServerState
    discovery: DiscoveryStatus
    step: DiscoveryStep | None
    tool_count: int | None
    """`None` while its tool list is unknown."""
    listed_at: datetime | None
    failure: Failure | None
    process: ProcessFacts | None = None
    """As last measured; `None` if it has no process here, or was never measured."""
    protection: Protection | None = None
    """The isolation of its last discovery in its own process; `None` if there was none, or there is
    nothing to isolate (an HTTP server)."""
    access: DiscoveryAccess = DiscoveryAccess.ISOLATED
    """What the user allows it during discovery."""
    attempted_at: datetime | None = None
    """When its last discovery ended, however that was; kept over a restart."""
    retry_at: datetime | None = None
    """When a failed discovery is tried again by itself."""
    pending_count: int = 0
    """Tools and other items that need approval."""
    unapproved_count: int = 0
    """Those, and the tools that were blocked instead of approved: no client sees them."""
    suspicious_count: int = 0
    cuts: tuple[Cut, ...] = ()
    """What was cut from its tool list."""
    unread: tuple[tuple[str, str], ...] = ()
    """The lists that could not be read beside its tools, and why: see `ServerListing.unread`."""

    @property
    def ref(self) -> ServerRef:
        return ServerRef(self.workspace, self.id)


@dataclass(frozen=True, slots=True)
class SignIn:
    """A sign-in in progress: the page to open, and when it expires."""

    authorization_url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class PromptResourceView:
    """A prompt or a resource: `detail` has the prompt's arguments, or the resource's URI."""

    name: str
    title: str
    description: str
    detail: str


@dataclass(frozen=True, slots=True)
class PromptResourceLists:
    prompts: tuple[PromptResourceView, ...] = ()
    resources: tuple[PromptResourceView, ...] = ()
    """Templates come last, with their URI template as `detail`."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line that a server wrote to its log, with its secrets redacted."""

    at: datetime
    text: str
