"""Keyboard shortcuts of the main window, and the panes that F6 cycles through."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from gui.main_window.main_window import MainWindow

WORKSPACES = 9


class Keyboard:
    def __init__(self, window: MainWindow, refresh: Callable[[], object]) -> None:
        self._window = window
        self._page = window.pages.workspace
        self._on("Ctrl+R", refresh)
        self._on("Ctrl+F", self._focus_filter)
        self._on("Ctrl+N", window.add_server_requested.emit)
        self._on("Ctrl+,", window.settings_requested.emit)
        self._on("F6", self._focus_next_pane)
        self._on("Esc", self._clear_filters)
        for position in range(WORKSPACES):
            self._on(f"Ctrl+{position + 1}", partial(window.sidebar.choose, position))

    def _on(self, keys: str, action: Callable[[], object]) -> None:
        QShortcut(QKeySequence(keys), self._window).activated.connect(action)

    def _focus_filter(self) -> None:
        """The filter of the pane that has the focus."""
        if self._window.pages.focus_filter():
            return
        focused = QApplication.focusWidget()
        in_detail = focused is not None and self._page.detail.isAncestorOf(focused)
        (self._page.detail.tools if in_detail else self._page.servers).focus_filter()

    def _clear_filters(self) -> None:
        self._page.servers.clear_filter()
        self._page.detail.tools.clear_filter()

    def _panes(self) -> list[tuple[QWidget, Callable[[], None]]]:
        page, shown = self._page, self._window.pages.currentWidget()
        sidebar = (self._window.sidebar, self._window.sidebar.focus_rows)
        if shown is not None and shown is not page:
            return [sidebar, (shown, lambda: _enter(shown))]
        return [
            sidebar,
            (page.servers, page.servers.focus_rows),
            (page.detail, page.detail.tools.focus_rows),
            (page.activity, page.activity.focus_rows),
        ]

    def _focus_next_pane(self) -> None:
        panes = self._panes()
        focused = QApplication.focusWidget()
        here = next(
            (i for i, (pane, _) in enumerate(panes) if focused and pane.isAncestorOf(focused)), -1
        )
        panes[(here + 1) % len(panes)][1]()


def _enter(pane: QWidget) -> None:
    """Focus the first control in `pane` that the Tab key would reach."""
    at = pane.nextInFocusChain()
    while at is not None and at is not pane:
        reached = at.focusPolicy() & Qt.FocusPolicy.TabFocus and at.isEnabled() and at.isVisible()
        if reached and pane.isAncestorOf(at):
            at.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        at = at.nextInFocusChain()
