"""A read-only form of captions and values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from gui.widgets import fonts
from gui.widgets.labels import label, wrapped

_COMPACT_LINE = 20
_VALUE = "value"


@dataclass(frozen=True, slots=True)
class FormField:
    caption: str
    text: str
    code: bool = False
    """Shown in the monospaced font."""


class FieldForm(QWidget):
    def __init__(self, caption_width: int = 0, *, compact: bool = False) -> None:
        """Captions take at least `caption_width`, so that two forms align. `compact` is for many
        short values: lines of one height, close together."""
        super().__init__()
        self._caption_width = caption_width
        self._line_height = _COMPACT_LINE if compact else 0
        self._caption_font = fonts.ui_font(fonts.SMALL) if compact else fonts.medium(fonts.SMALL)
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(16 if compact else 24)
        self._form.setVerticalSpacing(0 if compact else 12)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)

    def show_fields(self, fields: Iterable[FormField]) -> None:
        while self._form.rowCount():
            self._form.removeRow(0)
        for field in fields:
            caption = label(field.caption, font=self._caption_font, tint="text3")
            if not self._line_height:
                caption.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            caption.setMinimumSize(self._caption_width, self._line_height)
            value = _value(field)
            value.setMinimumHeight(self._line_height)
            self._form.addRow(caption, value)

    def values(self) -> list[str]:
        """The texts that are shown beside the captions."""
        shown = self.findChildren(QLabel, _VALUE)
        return [each.text() for each in shown]


def _value(field: FormField) -> QLabel:
    font = fonts.mono_font() if field.code else fonts.ui_font(fonts.SMALL)
    shown = wrapped(field.text, "text1", font=font, selectable=True)
    shown.setObjectName(_VALUE)
    shown.setAccessibleName(f"{field.caption}: {field.text}")
    return shown
