"""The state of a `FakeRouter`, and what its facets share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from router.api.events import Event
from router.config.secret_detection import UnsafeSecret
from router.config.server import ServerConfig
from router.config.settings import Settings
from router.domain.activity import ActivityEntry, Savings
from router.domain.clients import TokenSummary
from router.domain.endpoint import ListenerPhase, ListenerState
from router.domain.errors import ToolboothError
from router.domain.ids import ServerRef, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.servers import LogLine, PromptResourceLists, ServerStatus, SignIn
from router.domain.tool_lists import ApprovalPolicy
from router.domain.tools import PendingTool, ToolView
from router.domain.workspaces import ProjectSummary, WorkspaceSummary

_LISTENING = ListenerState(ListenerPhase.LISTENING, url="http://127.0.0.1:3717/mcp")
_SIGN_IN = SignIn("https://auth.example/authorize", datetime(2026, 1, 1, tzinfo=UTC))


@dataclass(slots=True)
class RouterState:
    """What a `FakeRouter` answers its queries from; set the fields freely."""

    settings: Settings = field(default_factory=Settings)
    listener: ListenerState = _LISTENING
    workspaces: tuple[WorkspaceSummary, ...] = (
        WorkspaceSummary(WorkspaceId("personal"), "Personal", server_count=0, active=True),
    )
    projects: dict[WorkspaceId, tuple[ProjectSummary, ...]] = field(
        default_factory=dict[WorkspaceId, tuple[ProjectSummary, ...]]
    )
    servers: dict[WorkspaceId, tuple[ServerStatus, ...]] = field(
        default_factory=dict[WorkspaceId, tuple[ServerStatus, ...]]
    )
    configs: dict[ServerRef, ServerConfig] = field(default_factory=dict[ServerRef, ServerConfig])
    unsafe_secrets: dict[ServerRef, tuple[UnsafeSecret, ...]] = field(
        default_factory=dict[ServerRef, tuple[UnsafeSecret, ...]]
    )
    tools: dict[ServerRef, tuple[ToolView, ...]] = field(
        default_factory=dict[ServerRef, tuple[ToolView, ...]]
    )
    approval: ApprovalPolicy = ApprovalPolicy.ASK_ON_CHANGE
    pending: tuple[PendingTool, ...] = ()
    prompts_and_resources: dict[ServerRef, PromptResourceLists] = field(
        default_factory=dict[ServerRef, PromptResourceLists]
    )
    logs: dict[ServerRef, tuple[LogLine, ...]] = field(
        default_factory=dict[ServerRef, tuple[LogLine, ...]]
    )
    result: JsonObject = field(default_factory=dict[str, Any])
    """What every tool answers that is tried."""
    tokens: tuple[TokenSummary, ...] = ()
    savings: dict[WorkspaceId, Savings] = field(default_factory=dict[WorkspaceId, Savings])
    activity: tuple[ActivityEntry, ...] = ()
    sign_in: SignIn = _SIGN_IN


@dataclass(frozen=True, slots=True)
class SentCommand:
    """One command the fake router was given: its name and its arguments in order."""

    name: str
    arguments: tuple[object, ...] = ()


class FakeContext:
    """What the facets of one fake router share: its state, its commands, its events."""

    def __init__(self, state: RouterState) -> None:
        self.state = state
        self.commands: list[SentCommand] = []
        self.failures: dict[str, ToolboothError] = {}
        self.consumers: list[Callable[[Event], None]] = []

    def record(self, name: str, *arguments: object) -> None:
        """Record a command, and raise the error that `failures` has for it."""
        self.commands.append(SentCommand(name, arguments))
        if name in self.failures:
            raise self.failures[name]

    def emit(self, event: Event) -> None:
        """Call every subscriber, on the calling thread."""
        for consumer in tuple(self.consumers):
            consumer(event)
