"""A server's stderr, live while visible; the router has redacted secrets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gui.widgets import fonts
from gui.widgets.buttons import CopyButton
from gui.widgets.input_fields import mono_text
from gui.widgets.labels import label
from gui.widgets.layouts import hbox, vbox
from gui.widgets.timers import timer
from router.domain.servers import LogLine

REFRESH_MS = 500
MAX_LINES = 5000


class LogView(QWidget):
    """Asks `read` for the lines, twice a second while it is visible."""

    def __init__(self) -> None:
        super().__init__()
        self._read: Callable[[], tuple[LogLine, ...]] = tuple
        self._shown: tuple[LogLine, ...] | None = None
        self._text = mono_text(QPlainTextEdit(), self.tr("Server log"), read_only=True)
        self._text.setPlaceholderText(self.tr("No output yet."))
        self._text.setMaximumBlockCount(MAX_LINES)
        self._text.setProperty("role", "plain")
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._timer = timer(self, REFRESH_MS, self.refresh, repeat=True)
        copy = CopyButton(self.tr("Copy the selection or the whole log"), self._wanted)
        hint = self.tr("Latest stderr output, with secrets redacted")
        caption = label(hint, font=fonts.ui_font(fonts.SMALL), tint="text3")
        at_right = Qt.AlignmentFlag.AlignRight
        head = hbox((caption, 1), (copy, 0, at_right), margins=(20, 6, 12, 0))
        text = hbox(self._text, margins=(16, 0, 4, 0))
        vbox(head, (text, 1), spacing=0, margins=(0, 0, 0, 8), parent=self)

    def show_log(self, read: Callable[[], tuple[LogLine, ...]]) -> None:
        self._read = read
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Show what is new; stays at the end if it was there."""
        lines, before = self._read(), self._shown
        if lines == before:
            return
        self._shown = lines
        bar = self._text.verticalScrollBar()
        at_end, scroll_position = bar.value() >= bar.maximum() - 2, bar.value()
        if before and before[-1] in lines:  # Keeps the selection.
            self._text.appendPlainText(_formatted(lines[_after(lines, before[-1]) :]))
        else:
            self._text.setPlainText(_formatted(lines))
        bar.setValue(bar.maximum() if at_end else scroll_position)

    def _wanted(self) -> str:
        chosen = self._text.textCursor().selectedText()
        return chosen.replace("\N{PARAGRAPH SEPARATOR}", "\n") or self.text()

    def text(self) -> str:
        return self._text.toPlainText()

    def showEvent(self, event: QShowEvent, /) -> None:
        super().showEvent(event)
        self.refresh()
        self._timer.start()

    def hideEvent(self, event: QHideEvent, /) -> None:
        super().hideEvent(event)
        self._timer.stop()


def _formatted(lines: Sequence[LogLine]) -> str:
    return "\n".join(f"{line.at.astimezone():%H:%M:%S}  {line.text}" for line in lines)


def _after(lines: Sequence[LogLine], line: LogLine) -> int:
    """The index after the last such line."""
    return len(lines) - lines[::-1].index(line)
