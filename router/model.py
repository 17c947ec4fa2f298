"""The values everyone speaks: ids, states, and the frozen snapshots that leave the router.

Nothing here does I/O or knows a library. A value that crosses a thread is immutable, so a
snapshot taken by the window stays true while the router moves on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, NewType, TypeAlias, cast

from router.lists import Approval, ApprovalPolicy, Cut, Finding, escaped_name
from router.lists import DataSource as DataSource
from router.lists import Effect as Effect
from router.lists import Parameter as Parameter
from router.receipts import DiscoveryAccess, Protection

ServerId = NewType("ServerId", str)
WorkspaceId = NewType("WorkspaceId", str)
ProjectId = NewType("ProjectId", str)
TokenId = NewType("TokenId", str)

JsonObject: TypeAlias = dict[str, Any]
"""A decoded JSON object. What travels between gateway and upstream is this, never an SDK model."""


def as_object(value: object) -> JsonObject:
    """`value` if it is a JSON object, else an empty one: what peers send is not to be trusted."""
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def as_array(value: object) -> list[Any]:
    """`value` if it is a JSON array, else an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


class Transport(StrEnum):
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


class Permission(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Optimization(StrEnum):
    """The search strategy of Context Optimization; `None` in its place means off."""

    BM25 = "bm25"
    HYBRID = "hybrid"
    CLOUD = "cloud"


OFF = "off"
"""How the command line spells optimization `None`."""


class Exposure(StrEnum):
    SEARCH = "search"
    PROGRESSIVE = "progressive"


class FailureKind(StrEnum):
    """Why a server could not do what was asked. `router.advice` has the sentence for each."""

    COMMAND_NOT_FOUND = "command_not_found"
    PERMISSION_DENIED = "permission_denied"
    EXITED = "exited"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    SIGN_IN_NEEDED = "sign_in_needed"
    CONSENT_NEEDED = "consent_needed"
    SECRET_MISSING = "secret_missing"  # noqa: S105 - a kind of failure, not a secret
    BAD_PROTOCOL = "bad_protocol"
    BUSY = "busy"
    TOO_MANY_SESSIONS = "too_many_sessions"
    TOO_MUCH_MEMORY = "too_much_memory"
    NETWORK_NEEDED = "network_needed"
    """It could not list its tools, and tried to reach the network, which it may not yet."""
    ISOLATION_TOO_WEAK = "isolation_too_weak"
    FETCH_FAILED = "fetch_failed"
    CANCELLED = "cancelled"
    DISABLED = "disabled"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure a person can read about: `subject` names the thing, `detail` quotes the cause."""

    kind: FailureKind
    subject: str = ""
    detail: str = ""
    retry_at: datetime | None = None
    """Until then no new start is tried."""


@dataclass(frozen=True, slots=True, order=True)
class ToolKey:
    """`serverId:toolName`, the name by which the meta-tools call a tool."""

    server: ServerId
    tool: str

    def __str__(self) -> str:
        return f"{self.server}:{self.tool}"

    @property
    def shown(self) -> str:
        """The tool's name for people: letters that only look like others are written out."""
        return escaped_name(self.tool)


@dataclass(frozen=True, slots=True, order=True)
class ServerRef:
    """One server of one workspace: what owns an upstream and a cache entry."""

    workspace: WorkspaceId
    server: ServerId


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of one server, with everything a request needs computed beforehand.

    `wire` is the definition as it is shown, without hidden text and within the limits; it is
    shared, never mutated. Calls need only the tool's own name, which stands in `key`.
    """

    key: ToolKey
    server_name: str
    wire: JsonObject
    signature: str
    context_tokens: int
    pin: str = ""
    """SHA-256 over what an approval of it holds for."""
    findings: tuple[Finding, ...] = ()

    @property
    def title(self) -> str:
        annotations = self.annotations
        return str(self.wire.get("title") or annotations.get("title") or self.key.tool)

    @property
    def description(self) -> str:
        return str(self.wire.get("description") or "")

    @property
    def input_schema(self) -> JsonObject:
        return as_object(self.wire.get("inputSchema"))

    @property
    def annotations(self) -> JsonObject:
        return as_object(self.wire.get("annotations"))


class ToolView(NamedTuple):
    """A tool as window and CLI show it. Made by the thousand, hence a tuple."""

    key: ToolKey
    title: str
    description: str
    signature: str
    parameters: Sequence[Parameter]
    effect: Effect
    context_tokens: int
    permission: Permission
    available: bool
    last_seen: datetime | None
    source: DataSource
    approval: Approval = Approval.APPROVED
    findings: tuple[Finding, ...] = ()

    def as_of(
        self,
        permission: Permission,
        available: bool,
        last_seen: datetime | None,
        source: DataSource,
    ) -> ToolView:
        """The same tool with what changes by the minute."""
        return ToolView(*self[:7], permission, available, last_seen, source, *self[11:])


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
    transport: Transport
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
class WorkspaceSummary:
    id: WorkspaceId
    name: str
    server_count: int
    active: bool
    approval: ApprovalPolicy = ApprovalPolicy.ASK_ON_CHANGE


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """A project, or (with `id` None) the unassigned one that stands for the whole workspace."""

    id: ProjectId | None
    name: str
    servers: tuple[ServerId, ...] | None
    optimization: Optimization | None
    exposure: Exposure


@dataclass(frozen=True, slots=True)
class TokenSummary:
    id: TokenId
    name: str
    workspace: WorkspaceId | None
    project: ProjectId | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    servers: tuple[ServerId, ...] | None = None
    """The only servers it is good for; `None` means all that its workspace and project have."""


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token with its secret: shown to the person once, stored nowhere."""

    summary: TokenSummary
    secret: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks and from inside which boundary; decided once per request, before anything else."""

    client: str
    token: TokenId | None
    workspace: WorkspaceId
    project: ProjectId | None
    servers: frozenset[ServerId] | None = None
    """The servers its token is good for; `None` means all."""


@dataclass(frozen=True, slots=True)
class SignIn:
    """A sign-in that waits for its person: the page to open, and until when."""

    authorization_url: str
    expires_at: datetime


class ListenerPhase(StrEnum):
    STARTING = "starting"
    LISTENING = "listening"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ListenerState:
    phase: ListenerPhase
    url: str | None = None
    message: str | None = None
