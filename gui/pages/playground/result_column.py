"""What one strategy found: the tools in order, with how well each fits and why."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.text import formats
from gui.text.errors import translated
from gui.text.tr import tr
from gui.widgets import fonts
from gui.widgets.buttons import IconButton
from gui.widgets.cards import Card, hline, ruled
from gui.widgets.icons import icon
from gui.widgets.labels import ElidedLabel, label, wrapped
from gui.widgets.layouts import STRETCH, hbox, vbox
from gui.widgets.scroll_area import ScrollArea
from gui.widgets.share_bar import ShareBar
from router.domain.search import SearchHit, SearchTrial

_HEAD, _NAME = 24, 160


class ResultColumn(Card):
    pin_requested = Signal(object, bool)
    """The `ToolKey`, and whether to pin or unpin it."""
    block_requested = Signal(object)
    """The `ToolKey` of a tool to block."""

    def __init__(self, title: str) -> None:
        super().__init__()
        # Elided, so that no column is wider than the other.
        self._cost = ElidedLabel(font=fonts.ui_font(fonts.SMALL), tint="text2")
        self._area = ScrollArea(title)
        heading = label(title, font=fonts.semibold(14))
        head = hbox((heading, 1), self._cost, spacing=12, margins=(16, 12, 16, 12))
        vbox(head, hline(), (self._area, 1), spacing=0, margins=(1, 1, 1, 1), parent=self)

    def show_trial(self, trial: SearchTrial | None, pinned: Collection[str]) -> None:
        """None: no search yet. `pinned` are the keys of pinned tools."""
        self._cost.setText(self._cost_text(trial) if trial else "")
        notes: list[QWidget] = []
        hits = trial.reply.hits if trial else ()
        if trial and trial.reply.note:
            notes.append(wrapped(translated(trial.reply.note), tint="warn"))
        if trial and not hits:
            notes.append(wrapped(self.tr("No matching tools.")))
        rows = ruled(
            self._row(rank, hit, str(hit.tool.key) in pinned) for rank, hit in enumerate(hits, 1)
        )
        self._area.show_layout(vbox(*notes, *rows, STRETCH, spacing=7, margins=(16, 10, 16, 10)))

    def _cost_text(self, trial: SearchTrial) -> str:
        """What the answer costs a client."""
        found = self.tr("%n tools", "", len(trial.reply.hits))
        tokens = self.tr("{count} tokens").format(count=formats.grouped(trial.context_tokens))
        return f"{formats.duration(trial.duration_ms)} · {found} · {tokens}"

    def _row(self, rank: int, hit: SearchHit, pinned: bool) -> QHBoxLayout:
        pin = IconButton("pin", self.tr("Pin for all apps"), size=_HEAD, icon_size=14)
        pin.setCheckable(True)
        pin.setChecked(pinned)
        pin.setAccessibleDescription(hit.tool.key.shown)
        pin.clicked.connect(lambda: self.pin_requested.emit(hit.tool.key, not pinned))
        if pinned:
            pin.setIcon(icon("pin", "accent"))
            pin.describe(self.tr("Pinned for all apps. Click to unpin"))
        block = IconButton("eye-off", self.tr("Block for all apps"), size=_HEAD, icon_size=14)
        block.setAccessibleDescription(hit.tool.key.shown)
        block.clicked.connect(lambda: self.block_requested.emit(hit.tool.key))
        name = ElidedLabel(hit.tool.key.shown, font=fonts.mono_font(13))
        name.setMinimumWidth(min(_NAME, name.sizeHint().width()))  # The server's name is cut first.
        server = ElidedLabel(hit.tool.server_name, tint="text2")
        score = label(f"{hit.relevance:.2f}", font=fonts.semibold(), tint="text2")
        bar = ShareBar(height=4, least_width=0)
        bar.set_share(hit.relevance)
        texts = vbox(
            hbox(name, server, STRETCH, pin, block, score, spacing=8),
            ElidedLabel(" ".join(hit.tool.description.split()), tint="text2"),
            bar,
            ElidedLabel(why_text(hit), font=fonts.ui_font(fonts.LABEL), tint="text2"),
            spacing=3,
        )
        number = label(str(rank), font=fonts.semibold(), tint="text2")
        number.setFixedSize(18, _HEAD)  # On one line with the name beside it.
        return hbox((number, 0, Qt.AlignmentFlag.AlignTop), (texts, 1), spacing=10)


def why_text(hit: SearchHit) -> str:
    """The matching words, the similarity in meaning, the usage history; or the reason that an
    external service gave."""
    reasons = hit.reasons
    if reasons is None:
        return hit.explanation
    parts = [tr("exact name")] if reasons.exact_key else []
    if reasons.words:
        parts.append(tr("matches: {words}").format(words=", ".join(reasons.words)))
    if reasons.similarity is not None:
        parts.append(tr("similarity {share}").format(share=f"{reasons.similarity:.2f}"))
    if reasons.used_before:
        parts.append(tr("used before for this"))
    return " · ".join(parts) or hit.explanation
