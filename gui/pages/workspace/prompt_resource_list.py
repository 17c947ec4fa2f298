"""The prompts or the resources of a server, as a list to read."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from gui.widgets import fonts
from gui.widgets.cards import hline
from gui.widgets.labels import label
from router.domain.servers import PromptResourceView


class PromptResourceList(QScrollArea):
    def __init__(self, accessible_name: str, nothing: str) -> None:
        super().__init__()
        self._nothing = nothing
        self._shown: tuple[PromptResourceView, ...] | None = None
        self.setAccessibleName(accessible_name)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_offers(())

    def show_offers(self, offers: tuple[PromptResourceView, ...]) -> None:
        if offers == self._shown:
            return
        self._shown = offers
        content = QWidget()
        content.setProperty("role", "page")
        column = QVBoxLayout(content)
        column.setContentsMargins(20, 12, 20, 12)
        column.setSpacing(10)
        for position, offer in enumerate(offers):
            if position:
                column.addWidget(hline())
            column.addLayout(_row(offer))
        if not offers:
            text = label(self._nothing, tint="text3")
            text.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(text, 1)
        else:
            column.addStretch(1)
        self.setWidget(content)


def _row(offer: PromptResourceView) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(2)
    head = offer.name if offer.title == offer.name else f"{offer.name}  ·  {offer.title}"
    column.addWidget(label(head, font=fonts.mono_font(13)))
    for text, font in (
        (offer.description, fonts.ui_font(fonts.SMALL)),
        (offer.detail, fonts.mono_font(fonts.LABEL)),
    ):
        if text and text != offer.name:
            line = label(text, font=font, tint="text2")
            line.setWordWrap(True)
            line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(line)
    return column
