"""A read-only form of captions and values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from gui.widgets import fonts
from gui.widgets.labels import label, wrapped


@dataclass(frozen=True, slots=True)
class FormField:
    caption: str
    text: str
    code: bool = False
    """Shown in the monospaced font."""


class FieldForm(QWidget):
    def __init__(self, caption_width: int = 0) -> None:
        """Captions take at least `caption_width`, so that two forms align."""
        super().__init__()
        self._caption_width = caption_width
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(24)
        self._form.setVerticalSpacing(12)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)

    def show_fields(self, fields: Iterable[FormField]) -> None:
        while self._form.rowCount():
            self._form.removeRow(0)
        for field in fields:
            caption = label(field.caption, font=fonts.medium(fonts.SMALL), tint="text3")
            caption.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            caption.setMinimumWidth(self._caption_width)
            self._form.addRow(caption, _value(field))


def _value(field: FormField) -> QLabel:
    font = fonts.mono_font() if field.code else fonts.ui_font(fonts.SMALL)
    shown = wrapped(field.text, "text1", font=font, selectable=True)
    shown.setAccessibleName(f"{field.caption}: {field.text}")
    return shown
