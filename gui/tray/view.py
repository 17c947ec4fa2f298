"""What the tray shows, computed from the router's snapshots. Pure: no menu, no icon."""

from __future__ import annotations

from dataclasses import dataclass

from gui.text.marks import Mark, listener_text
from gui.text.server_row import present
from gui.text.tr import tr
from gui.widgets.icons import TrayState
from router.api.router import RouterPort
from router.domain.endpoint import ListenerPhase
from router.domain.ids import ServerRef
from router.domain.servers import ServerState, ServerStatus
from router.domain.workspaces import Optimization, WorkspaceSummary

MAX_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class ServerProblem:
    """A server that needs attention, as a line of the menu."""

    ref: ServerRef
    text: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class TrayView:
    state: TrayState
    headline: str
    mark: Mark
    problems: tuple[ServerProblem, ...] = ()
    more_problems: int = 0
    url: str | None = None
    workspaces: tuple[WorkspaceSummary, ...] = ()
    optimization: Optimization | None = None
    running: bool = False


def waiting_view(*, failed: bool) -> TrayView:
    """Before the router is attached, or after it failed to start."""
    phase = ListenerPhase.FAILED if failed else ListenerPhase.STARTING
    text, mark = listener_text(phase)
    return TrayView(TrayState.STOPPED if failed else TrayState.WORKING, text, mark)


def tray_view(router: RouterPort) -> TrayView:
    listener, workspace = router.endpoint.state(), router.workspaces.active()
    servers = router.servers.list(workspace)
    attention_needed = [server for server in servers if present(server).needs_attention]
    text, mark = listener_text(listener.phase)
    return TrayView(
        state=_state(listener.phase, servers),
        headline=f"{text} · {_ready_count(servers)}",
        mark=mark,
        problems=tuple(_problem(server) for server in attention_needed[:MAX_PROBLEMS]),
        more_problems=max(0, len(attention_needed) - MAX_PROBLEMS),
        url=listener.url,
        workspaces=router.workspaces.list(),
        optimization=router.projects.list(workspace)[0].optimization,
        running=True,
    )


def optimization_name(optimization: Optimization | None) -> str:
    return {
        None: tr("Off"),
        Optimization.BM25: "BM25",
        Optimization.HYBRID: tr("Hybrid"),
        Optimization.CLOUD: tr("Cloud"),
    }[optimization]


def _state(phase: ListenerPhase, servers: tuple[ServerStatus, ...]) -> TrayState:
    marks = {present(server).mark for server in servers}
    if phase in (ListenerPhase.STOPPED, ListenerPhase.FAILED):
        return TrayState.STOPPED
    if marks & {Mark.ATTENTION, Mark.FAILED}:
        return TrayState.ATTENTION
    if phase is ListenerPhase.STARTING or Mark.WORKING in marks:
        return TrayState.WORKING
    return TrayState.READY


def _ready_count(servers: tuple[ServerStatus, ...]) -> str:
    """Of the servers that are turned on."""
    enabled = [server for server in servers if server.enabled]
    if not enabled:
        return tr("no servers turned on")
    ready = sum(present(server).mark is Mark.READY for server in enabled)
    return tr("{ready} of %n servers ready", "", len(enabled)).format(ready=ready)


def _problem(server: ServerStatus) -> ServerProblem:
    mark = present(server).mark
    return ServerProblem(server.ref, _problem_text(server, mark).format(name=server.name), mark)


def _problem_text(server: ServerStatus, mark: Mark) -> str:
    if server.state is ServerState.NEEDS_SIGN_IN:
        return tr("Sign in to {name}…")
    if server.state is ServerState.NEEDS_CONSENT or (server.pending_count and not server.failure):
        return tr("Approve {name}…")
    if mark is Mark.FAILED:
        return tr("{name} failed to start…")
    return tr("{name} has a problem…")
