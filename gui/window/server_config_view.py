"""A server's configuration to read: what it runs or where it connects. Names of variables and
headers only, never their values."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.look import fonts
from gui.look.widgets import label, secondary_button
from router.settings import ServerConfig


class ServerConfigView(QScrollArea):
    edit_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Configuration"))
        page = QWidget()
        page.setProperty("role", "page")
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(24)
        self._form.setVerticalSpacing(12)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        edit = secondary_button(self.tr("Edit…"), "pencil")
        edit.clicked.connect(self.edit_requested)
        buttons = QHBoxLayout()
        buttons.addWidget(edit)
        buttons.addStretch(1)
        column = QVBoxLayout(page)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(20)
        column.addLayout(self._form)
        column.addLayout(buttons)
        column.addStretch(1)
        self.setWidget(page)

    def show_config(self, config: ServerConfig) -> None:
        while self._form.rowCount():
            self._form.removeRow(0)
        for caption, value in self._fields(config):
            heading = label(caption, font=fonts.medium(fonts.SMALL), tint="text3")
            self._form.addRow(heading, _value(value, caption))

    def _fields(self, config: ServerConfig) -> Iterator[tuple[str, str]]:
        if config.url:
            yield self.tr("Address"), config.url
            if config.headers:
                yield self.tr("Headers"), "\n".join(sorted(config.headers))
            return
        yield self.tr("Command"), config.command or ""
        if config.args:
            yield self.tr("Arguments"), "\n".join(config.args)
        if config.env:
            yield self.tr("Environment"), "\n".join(sorted(config.env))
        if config.cwd:
            yield self.tr("Folder"), config.cwd


def _value(text: str, accessible_name: str) -> QLabel:
    shown = label(text, font=fonts.mono_font())
    shown.setWordWrap(True)
    shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    shown.setAccessibleName(f"{accessible_name}: {text}")
    return shown
