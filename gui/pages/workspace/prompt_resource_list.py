"""The prompts or the resources of a server, as a list to read."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from gui.widgets import fonts
from gui.widgets.cards import ruled
from gui.widgets.labels import centered, label, wrapped
from gui.widgets.layouts import STRETCH, vbox
from gui.widgets.scroll_area import ScrollArea
from router.domain.servers import PromptResourceView


class PromptResourceList(ScrollArea):
    def __init__(self, accessible_name: str, empty_text: str) -> None:
        super().__init__(accessible_name)
        self._empty_text = empty_text
        self._shown: tuple[PromptResourceView, ...] | None = None
        self.show_entries(())

    def show_entries(self, entries: tuple[PromptResourceView, ...]) -> None:
        if entries == self._shown:
            return
        self._shown = entries
        nothing = (centered(self._empty_text), 1)
        rows = (*ruled(map(_row, entries)), STRETCH) if entries else (nothing,)
        self.show_layout(vbox(*rows, spacing=10, margins=(20, 12, 20, 12)))


def _row(entry: PromptResourceView) -> QVBoxLayout:
    head = entry.name if entry.title == entry.name else f"{entry.name}  ·  {entry.title}"
    column = vbox(label(head, font=fonts.mono_font(13)), spacing=2)
    for text, font in (
        (entry.description, fonts.ui_font(fonts.SMALL)),
        (entry.detail, fonts.mono_font(fonts.LABEL)),
    ):
        if text and text != entry.name:
            column.addWidget(wrapped(text, font=font, selectable=True))
    return column
