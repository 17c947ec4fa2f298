"""What needs attention, computed from the router's snapshots."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from gui.text.tr import tr
from router.api.router import RouterPort
from router.config.server import ServerConfig
from router.domain.errors import NotFound
from router.domain.ids import ServerRef
from router.domain.receipts import Receipt
from router.domain.servers import ServerState, ServerStatus
from router.domain.tools import PendingTool
from router.domain.workspaces import WorkspaceSummary

_WAITING = (ServerState.NEEDS_CONSENT, ServerState.NEEDS_SIGN_IN)


@dataclass(frozen=True, slots=True)
class ServerPendingTools:
    """The tools of one server that are hidden until they are approved."""

    ref: ServerRef
    name: str
    tools: tuple[PendingTool, ...]
    receipt: Receipt | None = None
    """What the server tried during discovery; None for a remote server."""


@dataclass(frozen=True, slots=True)
class WorkspaceAttention:
    name: str
    active: bool
    servers: tuple[ServerStatus, ...] = ()
    """Those that need consent or a sign-in."""
    pending: tuple[ServerPendingTools, ...] = ()

    @property
    def count(self) -> int:
        return len(self.servers) + sum(len(each.tools) for each in self.pending)


@dataclass(frozen=True, slots=True)
class Attention:
    workspaces: tuple[WorkspaceAttention, ...] = ()
    """Those that have any, the active one first."""

    @property
    def count(self) -> int:
        return sum(workspace.count for workspace in self.workspaces)

    @property
    def elsewhere(self) -> bool:
        """Whether another workspace than the active one has any."""
        return not all(workspace.active for workspace in self.workspaces)


def find_attention(router: RouterPort) -> Attention:
    """What needs attention in any workspace; one that was just removed has nothing."""
    found: list[WorkspaceAttention] = []
    for workspace in sorted(router.workspaces.list(), key=lambda each: not each.active):
        with suppress(NotFound):
            found.append(_attention_in(router, workspace))
    return Attention(tuple(part for part in found if part.count))


def _attention_in(router: RouterPort, workspace: WorkspaceSummary) -> WorkspaceAttention:
    servers = router.servers.list(workspace.id)
    waiting = tuple(s for s in servers if s.enabled and s.state in _WAITING)
    pending = router.tools.pending(workspace.id)
    by_server = (
        ServerPendingTools(s.ref, s.name, tools, router.discovery.receipt(s.ref))
        for s in servers
        if (tools := tuple(t for t in pending if t.key.server == s.id))
    )
    return WorkspaceAttention(workspace.name, workspace.active, waiting, tuple(by_server))


def consent_lines(config: ServerConfig) -> tuple[str, ...]:
    """The whole command, so that consent covers what is shown; of variables, only the names."""
    lines = (tr("Command: {command}").format(command=config.target),)
    if not config.env:
        return lines
    names = ", ".join(sorted(config.env))
    return (*lines, tr("Environment variables: {names}").format(names=names))


def consent_lines_of(router: RouterPort, ref: ServerRef) -> tuple[str, ...]:
    """The same for a server; empty if it was just removed."""
    try:
        return consent_lines(router.servers.config(ref))
    except NotFound:
        return ()
