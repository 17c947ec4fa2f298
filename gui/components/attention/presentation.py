"""What needs attention, computed from the router's snapshots. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from html import escape

from gui.text.tr import tr
from gui.widgets.palette import Palette
from router.api.router import RouterPort
from router.config.server import ServerConfig
from router.domain.errors import NotFound
from router.domain.ids import ServerRef
from router.domain.receipts import Receipt
from router.domain.servers import ServerState, ServerStatus
from router.domain.tool_lists import Approval, DiffPart, Finding, FindingKind, WordChange
from router.domain.tools import PendingTool
from router.domain.workspaces import WorkspaceSummary

_WAITING = (ServerState.NEEDS_CONSENT, ServerState.NEEDS_SIGN_IN)


@dataclass(frozen=True, slots=True)
class HeldTools:
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
    held: tuple[HeldTools, ...] = ()

    @property
    def count(self) -> int:
        return len(self.servers) + sum(len(held.tools) for held in self.held)


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
    held = (
        HeldTools(s.ref, s.name, tools, router.discovery.receipt(s.ref))
        for s in servers
        if (tools := tuple(t for t in pending if t.key.server == s.id))
    )
    return WorkspaceAttention(workspace.name, workspace.active, waiting, tuple(held))


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


def approval_text(approval: Approval) -> str:
    return tr("Changed") if approval is Approval.CHANGED else tr("New")


def finding_texts(findings: Iterable[Finding]) -> tuple[str, ...]:
    """A sentence per place and kind, quoting the suspicious words; a match inside a longer one is
    left out."""
    found: dict[tuple[FindingKind, str], list[str]] = {}
    for finding in findings:
        found.setdefault((finding.kind, finding.where), []).append(finding.quote)
    return tuple(
        _finding_text(kind).format(where=where, words=_quoted(kind, words))
        for (kind, where), words in found.items()
    )


def _finding_text(kind: FindingKind) -> str:
    if kind is FindingKind.HIDDEN_TEXT:
        return tr("Hidden text in {where}: {words}")
    return tr("Possible prompt injection in {where}: {words}")


def _quoted(kind: FindingKind, found: list[str]) -> str:
    words = dict.fromkeys(found)
    outer = [each for each in words if not any(each in o for o in words if o != each)]
    quote = "{}" if kind is FindingKind.HIDDEN_TEXT else tr("“{}”")
    return ", ".join(quote.format(each) for each in outer)


def difference_html(parts: Iterable[DiffPart], palette: Palette) -> str:
    """Added words are underlined, removed ones struck out; colour carries no meaning of its own."""
    styles = {
        WordChange.ADDED: f"background:{palette.ok_soft}; color:{palette.ok};"
        " text-decoration:underline",
        WordChange.REMOVED: f"background:{palette.err_soft}; color:{palette.err};"
        " text-decoration:line-through",
        WordChange.SAME: f"color:{palette.text2}",
    }
    spans = (f'<span style="{styles[part.change]}">{_shown(part.text)}</span>' for part in parts)
    return f'<div style="white-space:pre-wrap">{"".join(spans)}</div>'


def _shown(text: str) -> str:
    return escape(text).replace("\n", "<br>")
