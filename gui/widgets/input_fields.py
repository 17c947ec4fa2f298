"""Fields to type into and to choose from, each with its accessible name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QTextEdit

from gui.widgets import fonts
from gui.widgets.icons import icon

TextBox = TypeVar("TextBox", QPlainTextEdit, QTextEdit)


def line_edit(accessible_name: str, placeholder: str = "", *, mono: bool = False) -> QLineEdit:
    """`mono`: in the monospaced font, for code and names."""
    field = QLineEdit()
    field.setAccessibleName(accessible_name)
    field.setPlaceholderText(placeholder)
    if mono:
        field.setFont(fonts.mono_font())
    return field


def mono_text(box: TextBox, accessible_name: str, *, read_only: bool = False) -> TextBox:
    """`box` for several lines of code or JSON."""
    box.setAccessibleName(accessible_name)
    box.setFont(fonts.mono_font())
    box.setReadOnly(read_only)
    return box


def combo_box(accessible_name: str, choices: Iterable[tuple[str, object]] = ()) -> QComboBox:
    """`choices` are pairs of text and data."""
    box = QComboBox()
    box.setAccessibleName(accessible_name)
    for text, data in choices:
        box.addItem(text, data)
    return box


class SecretField(QLineEdit):
    """A value that is masked until its eye is pressed."""

    masked = Signal(bool)

    def __init__(self, accessible_name: str, show_text: str, hide_text: str) -> None:
        """`show_text` and `hide_text` describe the eye."""
        super().__init__()
        self._eye_texts = {True: show_text, False: hide_text}
        self.setAccessibleName(accessible_name)
        self.setFont(fonts.mono_font())
        self._eye = QAction(self)
        self._eye.triggered.connect(lambda: self.set_masked(not self.is_masked()))
        self.addAction(self._eye, QLineEdit.ActionPosition.TrailingPosition)

    def is_masked(self) -> bool:
        return self.echoMode() == QLineEdit.EchoMode.Password

    def set_masked(self, masked: bool) -> None:
        self.setEchoMode(QLineEdit.EchoMode.Password if masked else QLineEdit.EchoMode.Normal)
        self._eye.setIcon(icon("eye" if masked else "eye-off"))
        self._eye.setText(self._eye_texts[masked])
        self.masked.emit(masked)
