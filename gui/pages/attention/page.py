"""The attention page: sign-ins, commands to approve, and what else needs approval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from gui.components.actions import Actions
from gui.components.attention.needs_attention import (
    Attention,
    ServerPendingTools,
    WorkspaceAttention,
    consent_lines_of,
    find_attention,
)
from gui.components.attention.tool_review import (
    approval_text,
    approval_tone,
    difference_html,
    finding_texts,
    pending_name,
)
from gui.components.receipts.note import ReceiptNote
from gui.link.event_bridge import EventBridge
from gui.text.marks import Tone
from gui.text.server_row import present
from gui.widgets import fonts
from gui.widgets.buttons import primary_button, secondary_button
from gui.widgets.cards import Card, hline
from gui.widgets.labels import ElidedLabel, Pill, Tile, centered, label, wrapped
from gui.widgets.layouts import NO_MARGINS, STRETCH, Margins, Part, clear, hbox, vbox
from gui.widgets.page_frame import PageFrame
from gui.widgets.presses import single_press
from gui.widgets.theme import theme
from gui.widgets.timers import timer
from router.api.events import CatalogChanged
from router.api.router import RouterPort
from router.domain.servers import ServerState, ServerStatus, TransportType
from router.domain.tool_lists import Approval
from router.domain.tools import PendingTool

SOON_MS = 200


class AttentionPage(PageFrame):
    """Shows nothing until `reload`, then what needs attention as it changes."""

    counted = Signal(int)
    """How many items there are, whenever that changes."""

    def __init__(self, router: RouterPort, bridge: EventBridge, actions: Actions) -> None:
        super().__init__(
            self.tr("Needs attention"),
            self.tr("Apps can’t use these until you approve them."),
        )
        self._router = router
        self._actions = actions
        self._shown: Attention | None = None
        self._holder = QWidget()
        self._column = vbox(spacing=12, margins=NO_MARGINS, parent=self._holder)
        self._area = self.add_scrolled(self._holder)
        self._soon = timer(self, SOON_MS, self.reload)
        bridge.subscribe(self, self._reload_soon, *get_args(CatalogChanged))

    def _reload_soon(self, _: object) -> None:
        """A burst of changes costs one reload."""
        if not self._soon.isActive():
            self._soon.start()

    def reload(self) -> None:
        now = find_attention(self._router)
        if now == self._shown:
            return
        self._shown = now
        before = self._buttons()
        focused = next((i for i, button in enumerate(before) if button.hasFocus()), None)
        clear(self._column)
        for card in self._cards(now):
            self._column.addWidget(card)
            card.show()  # A hidden card can't have the focus.
        if focused is not None:
            self._focus_again(before[focused], focused)
        self.counted.emit(now.count)

    def _buttons(self) -> list[QPushButton]:
        return [b for b in self._holder.findChildren(QPushButton) if b.isVisible()]

    def _focus_again(self, left: QPushButton, position: int) -> None:
        """Focus the same button again, or the one that took its place."""
        after = self._buttons()
        there = [each for each in after if _identity(each) == _identity(left)]
        there = there or after[min(position, len(after) - 1) :][:1]
        if len(there) == 1:  # Of several alike, it is unknown which one had it.
            there[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _cards(self, now: Attention) -> Iterator[QWidget]:
        for part in now.workspaces:
            if now.elsewhere:
                yield _heading(part)
            yield from map(self._server_card, part.servers)
            yield from map(self._pending_card, part.pending)
        if not now.workspaces:
            nothing = centered(self.tr("You’re all caught up"), tint="text2")
            yield _card(nothing, margins=(16, 40, 16, 40))

    def _server_card(self, status: ServerStatus) -> Card:
        consent = status.state is ServerState.NEEDS_CONSENT
        text = self.tr("Approve") if consent else self.tr("Sign in…")
        action = self._actions.grant_consent if consent else self._actions.sign_in
        button = single_press(primary_button(text, on_click=lambda: action(status.ref)))
        button.setAccessibleName(f"{text} {status.name}")
        texts = vbox(label(status.name, font=fonts.semibold()), *self._wanted(status), spacing=2)
        pill = Pill(present(status).summary, Tone.WARN)
        row = hbox(Tile(status.name, 32), (texts, 1), pill, button, spacing=12)
        note = consent and status.transport is TransportType.STDIO
        return _card(row, *([ReceiptNote(None)] if note else []))

    def _wanted(self, status: ServerStatus) -> list[QLabel]:
        """The address to sign in to; or the whole command that would run."""
        if status.state is ServerState.NEEDS_CONSENT:
            return [wrapped(line) for line in consent_lines_of(self._router, status.ref)]
        return [ElidedLabel(status.target, font=fonts.mono_font(), tint="text2")]

    def _pending_card(self, pending: ServerPendingTools) -> Card:
        name = label(pending.name, font=fonts.semibold())
        waiting = self.tr("%n items need approval", "", len(pending.tools))
        count = label(waiting, font=fonts.ui_font(fonts.SMALL), tint="text2")
        head = hbox(Tile(pending.name, 32), name, (count, 1), spacing=12)
        if (every := self._approve_many(pending)) is not None:
            head.addWidget(every)
        note = [ReceiptNote(pending.receipt)] if pending.receipt is not None else []
        tools = (part for tool in pending.tools for part in (hline(), self._tool(pending, tool)))
        return _card(head, *note, *tools)

    def _approve_many(self, pending: ServerPendingTools) -> QPushButton | None:
        """One click for all tools without findings; the others are reviewed one by one."""
        fine = [tool.key.tool for tool in pending.tools if not tool.findings]
        if len(fine) == len(pending.tools):
            button = primary_button(self.tr("Approve all %n", "", len(fine)))
        elif fine:
            button = secondary_button(self.tr("Approve %n without findings", "", len(fine)))
        else:
            return None
        button.setAccessibleDescription(pending.name)
        button.clicked.connect(lambda: self._actions.approve_tools(pending.ref, tuple(fine)))
        return single_press(button)

    def _tool(self, pending: ServerPendingTools, tool: PendingTool) -> QVBoxLayout:
        head = hbox(
            ElidedLabel(pending_name(tool), font=fonts.mono_font(13)),
            Pill(approval_text(tool.approval), approval_tone(tool.approval)),
            STRETCH,
            *self._decisions(pending, tool),
            spacing=8,
        )
        findings = [wrapped(text, tint="err") for text in finding_texts(tool.findings)]
        return vbox(head, *findings, _description(tool), spacing=6)

    def _decisions(self, pending: ServerPendingTools, tool: PendingTool) -> list[QPushButton]:
        """Only a tool can be blocked by its name; a prompt or resource needs a rule."""
        shown = pending_name(tool)
        approve = single_press(secondary_button(self.tr("Approve")))
        approve.setAccessibleName(self.tr("Approve {tool}").format(tool=shown))
        approve.clicked.connect(lambda: self._actions.approve_tools(pending.ref, (tool.key.tool,)))
        block = single_press(secondary_button(self.tr("Block")))
        block.setAccessibleName(self.tr("Block {tool}").format(tool=shown))
        block.clicked.connect(lambda: self._actions.block_tool(tool.key, pending.ref.workspace))
        for button in (block, approve):
            button.setAccessibleDescription(pending.name)
        return [block, approve] if tool.kind is None else [approve]


def _identity(button: QPushButton) -> tuple[str, str, str]:
    return button.text(), button.accessibleName(), button.accessibleDescription()


def _description(tool: PendingTool) -> QLabel:
    """With the difference from the approved one, if known; a new tool has none."""
    shown = wrapped(tool.new, selectable=True)
    if tool.difference and tool.approval is not Approval.PENDING:
        shown.setTextFormat(Qt.TextFormat.RichText)
        shown.setText(difference_html(tool.difference, theme().palette))
    shown.setAccessibleName(tool.new)
    return shown


def _heading(part: WorkspaceAttention) -> QLabel:
    """The workspace of the cards below; shown only if there are several."""
    made = label(f"{part.name} · {part.count}", font=fonts.semibold(), tint="text2")
    made.setContentsMargins(2, 6, 0, 0)
    return made


def _card(*parts: Part, margins: Margins = (16, 12, 16, 12)) -> Card:
    card = Card()
    vbox(*parts, spacing=10, margins=margins, parent=card)
    return card
