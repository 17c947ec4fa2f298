"""The arguments of a tool as fields, and back: what was typed becomes what the tool takes. Pure but
for the widgets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from gui.look import fonts
from gui.look.widgets import label
from gui.settings.controls import wrapped
from gui.translating import tr
from router.errors import InvalidInput
from router.model import JsonObject, Parameter

_WHOLE = ("integer", "int")
_NUMBERS = ("number", "float", *_WHOLE)
_TEXTS = ("string", "str")
_YES_NO = ("boolean", "bool")


class ArgumentsForm(QWidget):
    """An empty field of an optional argument is not sent."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        super().__init__()
        self._fields: list[tuple[Parameter, QLineEdit | QComboBox]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for parameter in parameters:
            field = _field(parameter)
            self._fields.append((parameter, field))
            column.addLayout(self._caption(parameter))
            if parameter.description:
                column.addWidget(wrapped(parameter.description, "text3"))
            column.addWidget(field)
            column.addSpacing(6)
        if not parameters:
            column.addWidget(wrapped(self.tr("This tool takes no arguments.")))

    def _caption(self, parameter: Parameter) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(label(parameter.name, font=fonts.mono_font()))
        row.addWidget(label(parameter.type, font=fonts.mono_font(), tint="text3"))
        if parameter.required:
            strong = fonts.semibold(fonts.LABEL)
            row.addWidget(label(self.tr("required"), font=strong, tint="warn"))
        row.addStretch(1)
        return row

    def arguments(self) -> JsonObject:
        """Raises InvalidInput with the first thing that is wrong."""
        values: JsonObject = {}
        for parameter, field in self._fields:
            text = field.currentText() if isinstance(field, QComboBox) else field.text()
            if text.strip():
                values[parameter.name] = value_of(parameter, text.strip())
            elif parameter.required:
                raise InvalidInput(self.tr("{name} is required.").format(name=parameter.name))
        return values


def _field(parameter: Parameter) -> QLineEdit | QComboBox:
    if parameter.type in _YES_NO:
        box = QComboBox()
        box.addItems(["", "true", "false"])
        box.setAccessibleName(parameter.name)
        return box
    line = QLineEdit()
    line.setAccessibleName(parameter.name)
    line.setFont(fonts.mono_font())
    if parameter.type not in (*_TEXTS, *_NUMBERS):
        line.setPlaceholderText("JSON")
    return line


def value_of(parameter: Parameter, text: str) -> Any:
    """What `text` means for a parameter of that type; several kinds are read as JSON."""
    if parameter.type in _TEXTS:
        return text
    try:
        value: Any = json.loads(text)
    except ValueError:
        if parameter.type in (*_NUMBERS, *_YES_NO) or text[:1] in "[{":
            message = tr("{name} is not of the type {type}.")
            raise InvalidInput(message.format(name=parameter.name, type=parameter.type)) from None
        return text
    return value
