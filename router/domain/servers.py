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
    """Where a server's connection stands. `NEEDS_CONSENT`: nobody has approved its command yet."""

    DISABLED = "disabled"
    NEEDS_CONSENT = "needs_consent"
    IDLE = "idle"
    CONNECTING = "connecting"
    READY = "ready"
    NEEDS_SIGN_IN = "needs_sign_in"
    BACKING_OFF = "backing_off"
    FAILED = "failed"


class DiscoveryStatus(StrEnum):
    """How the last attempt to learn a server's tool list ended."""

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
    """What a server's process uses, together with all its descendants."""

    pid: int
    started_at: datetime
    processes: int
    rss_bytes: int
    cpu_s: float
    cpu_percent: float
    """Of one core, since the last look; at the first look, since the start."""


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The whole state of one server, computed; the window draws nothing else."""

    workspace: WorkspaceId
    id: ServerId
    name: str
    transport: TransportType
    target: str
    """The command line, or the host and path of the address: what a person recognises it by."""
    enabled: bool
    state: ServerState
    discovery: DiscoveryStatus
    step: DiscoveryStep | None
    tool_count: int | None
    """`None` while no list is known at all."""
    listed_at: datetime | None
    failure: Failure | None
    process: ProcessFacts | None = None
    """As last measured; `None` if it has no process here, or nobody has asked."""
    protection: Protection | None = None
    """What was in force when its lists were last learnt in a run of their own; `None` if that never
    happened, or there is nothing to isolate here (a server reached by address)."""
    access: DiscoveryAccess = DiscoveryAccess.ISOLATED
    """What a person lets it have while its lists are learnt."""
    waiting_count: int = 0
    """Tools that wait for a person's approval."""
    held_count: int = 0
    """Those, and the ones that were blocked instead of approved: nobody gets them."""
    suspicious_count: int = 0
    cuts: tuple[Cut, ...] = ()
    """What of its list is not shown."""

    @property
    def ref(self) -> ServerRef:
        return ServerRef(self.workspace, self.id)


@dataclass(frozen=True, slots=True)
class SignIn:
    """A sign-in that waits for its person: the page to open, and until when."""

    authorization_url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class OfferView:
    """A prompt or a resource: `detail` are the prompt's arguments, or the resource's address."""

    name: str
    title: str
    description: str
    detail: str


@dataclass(frozen=True, slots=True)
class ServerOffers:
    prompts: tuple[OfferView, ...] = ()
    resources: tuple[OfferView, ...] = ()
    """Templates come last, with their pattern for an address."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line a server wrote beside its messages, without the secrets it was given."""

    at: datetime
    text: str
