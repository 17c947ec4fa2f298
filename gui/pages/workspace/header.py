"""The header of the workspace page: name, overview, Context Optimization, Add server."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.widgets import fonts
from gui.widgets.buttons import IconButton, Segmented, Toggle, primary_button
from gui.widgets.labels import ElidedLabel, label
from gui.widgets.layouts import STRETCH, hbox, vbox
from gui.widgets.tooltip import set_tooltip
from router.domain.workspaces import Optimization

HEIGHT = 68
_ROOM_FOR_CAPTION = 960


class Header(QWidget):
    optimization_chosen = Signal(object)
    """An `Optimization`, or None for off."""
    refresh_requested = Signal()
    add_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEIGHT)
        self._strategy = Optimization.HYBRID
        self._title = ElidedLabel(font=fonts.semibold(fonts.TITLE))
        self._counts = ElidedLabel(font=fonts.ui_font(fonts.SMALL), tint="text2")
        self._attention = label(font=fonts.semibold(fonts.SMALL), tint="warn")
        self.toggle = Toggle(self.tr("Context Optimization"))
        set_tooltip(self.toggle, self.tr("Apps get a search tool instead of every tool definition"))
        self.toggle.clicked.connect(self._switch)
        self._choice = Segmented(
            self.tr("Search strategy"),
            (
                (Optimization.BM25, "BM25"),
                (Optimization.HYBRID, self.tr("Hybrid")),
                (Optimization.CLOUD, self.tr("Cloud")),
            ),
            self._choose,
        )
        self._caption = label(self.tr("Context Optimization"), font=fonts.medium())
        self._lay_out()

    def _lay_out(self) -> None:
        refresh = IconButton("refresh-cw", self.tr("Refresh tools (Ctrl+R)"), bordered=True)
        refresh.clicked.connect(self.refresh_requested)
        line = hbox(self._counts, self._attention, STRETCH, spacing=0)
        titles = vbox(STRETCH, self._title, line, STRETCH, spacing=1)
        hbox(
            (titles, 1),
            16,
            self._caption,
            12,
            self.toggle,
            11,
            self._choice,
            16,
            refresh,
            10,
            primary_button(self.tr("Add server"), "plus", on_click=self.add_requested),
            spacing=0,
            margins=(4, 0, 0, 0),
            parent=self,
        )

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        # The toggle's text is its accessible name; the counts have no other.
        self._caption.setVisible(event.size().width() >= _ROOM_FOR_CAPTION)

    def show_workspace(self, name: str, counts: str, attention: str) -> None:
        self._title.setText(name)
        self._counts.setText(counts)
        self._attention.setText(f"  ·  {attention}" if attention else "")

    def show_optimization(self, optimization: Optimization | None) -> None:
        self.toggle.setChecked(optimization is not None)
        self._choice.setEnabled(optimization is not None)
        if optimization is not None:
            self._strategy = optimization
        self._choice.set_current(optimization)

    def _choose(self, strategy: str) -> None:
        self.optimization_chosen.emit(Optimization(strategy))

    def _switch(self, on: bool) -> None:
        self.optimization_chosen.emit(self._strategy if on else None)
