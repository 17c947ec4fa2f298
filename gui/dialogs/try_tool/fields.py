"""The form fields for an argument: one line, several lines, a choice.

Each returns its value, or `NOTHING` if it is empty, and takes the focus if its value is invalid or
required and missing.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit

from gui.dialogs.try_tool.schema import Shape, ShapeKind, value_text
from gui.dialogs.try_tool.values import value_of
from gui.text.tr import tr
from gui.widgets import fonts
from gui.widgets.tooltip import set_tooltip
from router.domain.errors import InvalidInput


class Nothing:
    """No value was given, which is not JSON's null."""


NOTHING: Final = Nothing()
_MAX_LINES = 8
_LINE_HEIGHT = 32


class LineField(QLineEdit):
    """A number."""

    def __init__(self, name: str, shape: Shape) -> None:
        super().__init__()
        self._name, self._shape = name, shape
        self.setAccessibleName(name)
        self.setFont(fonts.mono_font())
        self.setPlaceholderText(shape.example)

    def value(self, required: bool) -> object:
        return _read(self, self._name, self._shape, self.text().strip(), required)


class TextField(QPlainTextEdit):
    """Text or JSON: one line that grows with its content. Enter runs the tool, as in a field of one
    line; Shift+Enter starts a new line."""

    def __init__(self, name: str, shape: Shape) -> None:
        super().__init__()
        self._name, self._shape = name, shape
        json = shape.kind is ShapeKind.JSON
        self.setAccessibleName(name)
        self.setFont(fonts.mono_font())
        self.setTabChangesFocus(True)
        self.setPlaceholderText(shape.example or ("JSON" if json else ""))
        set_tooltip(self, self.tr("Shift+Enter starts a new line"))
        self.document().setDocumentMargin(3)
        self.textChanged.connect(self._grow)
        self._grow()

    def value(self, required: bool) -> object:
        return _read(self, self._name, self._shape, self.toPlainText(), required)

    def keyPressEvent(self, event: QKeyEvent, /) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            event.ignore()  # For the dialog, which presses its button.
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        self._grow()

    def _grow(self) -> None:
        """The document's height is in lines, as they are wrapped."""
        lines = max(1, round(self.document().size().height()))
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if lines > _MAX_LINES else policy.ScrollBarAlwaysOff
        )
        shown = min(_MAX_LINES, lines)
        height = _LINE_HEIGHT + (shown - 1) * self.fontMetrics().lineSpacing()
        if height != self.height():
            self.setFixedHeight(height)


class ChoiceField(QComboBox):
    """One of the given values, or none."""

    def __init__(self, name: str, shape: Shape) -> None:
        super().__init__()
        self._name = name
        self.setAccessibleName(name)
        # Kept here: Qt's item data can't hold a large integer.
        self._values = (True, False) if shape.kind is ShapeKind.BOOLEAN else shape.choices
        self.addItem("")
        self.addItems(list(map(value_text, self._values)))
        if shape.example:
            self.setItemText(0, self.tr("Default ({value})").format(value=shape.example))

    def value(self, required: bool) -> object:
        if self.currentIndex() > 0:
            return self._values[self.currentIndex() - 1]
        return _read(self, self._name, Shape(ShapeKind.STRING), "", required)

    def wheelEvent(self, event: QWheelEvent, /) -> None:
        event.ignore()  # Scrolling past it must not choose a value.


SimpleField: TypeAlias = LineField | TextField | ChoiceField
SIMPLE = (LineField, TextField, ChoiceField)


def simple_field(name: str, shape: Shape) -> SimpleField:
    match shape.kind:
        case ShapeKind.CHOICE | ShapeKind.BOOLEAN:
            return ChoiceField(name, shape)
        case ShapeKind.INTEGER | ShapeKind.NUMBER:
            return LineField(name, shape)
        case _:
            return TextField(name, shape)


def _read(field: SimpleField, name: str, shape: Shape, text: str, required: bool) -> object:
    """Empty text counts as no value."""
    try:
        if text.strip():
            return value_of(name, shape, text)
        if required:
            raise InvalidInput(tr("{name} is required.").format(name=name))
    except InvalidInput:
        field.setFocus()
        raise
    return NOTHING
