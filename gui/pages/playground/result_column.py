"""What one strategy found: the tools in order, with how well each fits and why."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from gui.pages.playground.presentation import why_text
from gui.text import formats
from gui.text.errors import translated
from gui.widgets import fonts, paint
from gui.widgets.buttons import IconButton
from gui.widgets.cards import Card, hline
from gui.widgets.icons import icon
from gui.widgets.labels import ElidedLabel, label, wrapped
from gui.widgets.theme import theme
from router.domain.search import SearchHit, SearchTrial

_HEAD, _NAME = 24, 160


class ResultColumn(Card):
    pinning_requested = Signal(object, bool)
    """The `ToolKey`, and whether it shall be pinned."""
    hiding_requested = Signal(object)
    """The `ToolKey` of a tool to block."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._count = ElidedLabel()  # or one column would be wider than the other
        self._count.setFont(fonts.ui_font(fonts.SMALL))
        self._count.setProperty("tint", "text2")
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setAccessibleName(title)
        head = QHBoxLayout()
        head.setContentsMargins(16, 12, 16, 12)
        head.setSpacing(12)
        head.addWidget(label(title, font=fonts.semibold(14)), 1)
        head.addWidget(self._count)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(hline())
        column.addWidget(self._area, 1)

    def show_trial(self, trial: SearchTrial | None, pinned: Collection[str]) -> None:
        """None: no search yet. `pinned` are the keys of pinned tools."""
        reply = trial.reply if trial else None
        content = QWidget()
        content.setProperty("role", "page")
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 10, 16, 10)
        column.setSpacing(7)
        hits = reply.hits if reply else ()
        self._count.setText(self._cost(trial) if trial else "")
        if reply is not None and reply.note:
            column.addWidget(wrapped(translated(reply.note), tint="warn"))
        if reply is not None and not hits:
            column.addWidget(wrapped(self.tr("No matching tools.")))
        for position, hit in enumerate(hits):
            if position:
                column.addWidget(hline())
            column.addWidget(self._row(position + 1, hit, str(hit.tool.key) in pinned))
        column.addStretch(1)
        self._area.setWidget(content)

    def _cost(self, trial: SearchTrial) -> str:
        """What a client pays for the answer."""
        found = self.tr("%n tools", "", len(trial.reply.hits))
        tokens = self.tr("{count} tokens").format(count=formats.grouped(trial.context_tokens))
        return f"{formats.duration(trial.duration_ms)} · {found} · {tokens}"

    def _row(self, rank: int, hit: SearchHit, pinned: bool) -> QWidget:
        pin = IconButton("pin", self.tr("Pin for all apps"), size=_HEAD, icon_size=14)
        pin.setCheckable(True)
        pin.setChecked(pinned)
        pin.setAccessibleDescription(hit.tool.key.shown)
        pin.clicked.connect(lambda: self.pinning_requested.emit(hit.tool.key, not pinned))
        if pinned:
            pin.setIcon(icon("pin", "accent"))
            pin.describe(self.tr("Pinned for all apps. Click to unpin"))
        hide = IconButton("eye-off", self.tr("Hide this tool from apps"), size=_HEAD, icon_size=14)
        hide.setAccessibleDescription(hit.tool.key.shown)
        hide.clicked.connect(lambda: self.hiding_requested.emit(hit.tool.key))
        head = QHBoxLayout()
        head.setSpacing(8)
        name = ElidedLabel(hit.tool.key.shown)
        name.setFont(fonts.mono_font(13))
        name.setMinimumWidth(min(_NAME, name.sizeHint().width()))  # The server's gives way first.
        server = ElidedLabel(hit.tool.server_name)
        server.setProperty("tint", "text2")
        head.addWidget(name)
        head.addWidget(server)
        head.addStretch(1)
        head.addWidget(pin)
        head.addWidget(hide)
        head.addWidget(label(f"{hit.relevance:.2f}", font=fonts.semibold(), tint="text2"))
        description = ElidedLabel(" ".join(hit.tool.description.split()))
        description.setProperty("tint", "text2")
        why = ElidedLabel(why_text(hit))
        why.setFont(fonts.ui_font(fonts.LABEL))
        why.setProperty("tint", "text2")
        texts = QVBoxLayout()
        texts.setSpacing(3)
        texts.addLayout(head)
        texts.addWidget(description)
        texts.addWidget(_Bar(hit.relevance))
        texts.addWidget(why)
        row = QWidget()
        across = QHBoxLayout(row)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(10)
        number = label(str(rank), font=fonts.semibold(), tint="text2")
        number.setFixedSize(18, _HEAD)  # On one line with the name beside it.
        across.addWidget(number, 0, Qt.AlignmentFlag.AlignTop)
        across.addLayout(texts, 1)
        return row


class _Bar(QWidget):
    """The score as a bar, 4 high; the number beside the name says the same."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self._share = min(1.0, max(0.0, share))
        self.setFixedHeight(4)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        palette, rect = theme().palette, QRectF(self.rect())
        with paint.saved(QPainter(self)) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(palette.color("track"))
            painter.drawRoundedRect(rect, 2, 2)
            rect.setWidth(rect.width() * self._share)
            painter.setBrush(palette.color("savings"))
            painter.drawRoundedRect(rect, 2, 2)
