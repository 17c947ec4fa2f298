"""What waits for the person, computed from the router's snapshots. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from gui.look.palette import Palette
from gui.translating import tr
from router.lists import Approval, DiffPart, Finding, FindingKind, WordChange
from router.model import ServerRef, ServerState, ServerStatus
from router.ports import PendingTool, RouterPort
from router.receipts import Receipt

_WAITING = (ServerState.NEEDS_CONSENT, ServerState.NEEDS_SIGN_IN)


@dataclass(frozen=True, slots=True)
class HeldTools:
    """The tools of one server that are hidden until they are approved."""

    ref: ServerRef
    name: str
    tools: tuple[PendingTool, ...]
    receipt: Receipt | None = None
    """What the server tried when they were listed; None where it runs elsewhere."""


@dataclass(frozen=True, slots=True)
class Needs:
    servers: tuple[ServerStatus, ...] = ()
    """That wait for consent or a sign-in."""
    held: tuple[HeldTools, ...] = ()

    @property
    def count(self) -> int:
        return len(self.servers) + sum(len(held.tools) for held in self.held)


def needs(router: RouterPort) -> Needs:
    workspace = router.active_workspace()
    servers = router.servers(workspace)
    waiting = tuple(s for s in servers if s.enabled and s.state in _WAITING)
    pending = router.pending_tools(workspace)
    held = (
        HeldTools(s.ref, s.name, tools, router.receipt(s.ref))
        for s in servers
        if (tools := tuple(t for t in pending if t.key.server == s.id))
    )
    return Needs(waiting, tuple(held))


def approval_text(approval: Approval) -> str:
    return tr("Changed") if approval is Approval.CHANGED else tr("New")


def finding_text(finding: Finding) -> str:
    """One sentence that quotes the suspicious words."""
    if finding.kind is FindingKind.HIDDEN_TEXT:
        text = tr("Hidden text in {where}: {words}")
    else:
        text = tr("Words that steer a model, in {where}: “{words}”")
    return text.format(where=finding.where, words=finding.words)


def difference_html(parts: Iterable[DiffPart], palette: Palette) -> str:
    """Words that came are underlined, words that went are struck out; colour only adds to that."""
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
