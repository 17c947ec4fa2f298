"""The script editor: name, Lua source, test arguments and their result."""

from __future__ import annotations

import json
from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gui.widgets import fonts
from gui.widgets.input_fields import line_edit, mono_text
from gui.widgets.labels import label, set_tint, wrapped
from gui.widgets.layouts import NO_MARGINS, vbox
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject

_INDENT = "  "
_OUTPUT_HEIGHT = 150


class ScriptEditor(QWidget):
    """Emits `changed` when the user edits the name or the source."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._name = line_edit(self.tr("Name"), mono=True)
        self._name.textEdited.connect(self.changed)
        self._text = mono_text(QPlainTextEdit(), self.tr("Lua"))
        self._text.setObjectName("script-text")
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._text.installEventFilter(self)
        self._text.textChanged.connect(self.changed)
        self._arguments = line_edit(self.tr("Dry run arguments, as JSON"), "{}", mono=True)
        self._output = mono_text(QPlainTextEdit(), self.tr("Dry run result"), read_only=True)
        self._output.setFixedHeight(_OUTPUT_HEIGHT)
        self._message = wrapped("")
        self._lay_out()

    def name(self) -> str:
        return self._name.text().strip()

    def text(self) -> str:
        return self._text.toPlainText()

    def arguments(self) -> JsonObject:
        """Raises `InvalidInput` for what is no JSON object."""
        try:
            value: object = json.loads(self._arguments.text().strip() or "{}")
        except ValueError as error:
            problem = self.tr("The arguments are not valid JSON: {problem}").format(problem=error)
            raise InvalidInput(problem) from None
        if not isinstance(value, dict):
            raise InvalidInput(
                self.tr('The arguments must be a JSON object, like {"path": "/tmp"}.')
            )
        return cast(JsonObject, value)

    def set_arguments(self, text: str) -> None:
        self._arguments.setText(text)

    def show_script(self, name: str, text: str) -> None:
        """Show another script, without emitting `changed`."""
        self.blockSignals(True)
        self._name.setText(name)
        self._text.setPlainText(text)
        self.blockSignals(False)
        self.show_output("")
        self.show_message("")

    def show_output(self, text: str) -> None:
        self._output.setPlainText(text)
        self._output.setVisible(bool(text))

    def output(self) -> str:
        return self._output.toPlainText()

    def show_message(self, text: str, *, wrong: bool = False) -> None:
        """A sentence below the fields: what was done, or what is wrong."""
        set_tint(self._message, "err" if wrong else "text2")
        self._message.setText(text)

    def message(self) -> str:
        return self._message.text()

    def focus_name(self) -> None:
        self._name.setFocus()
        self._name.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        """Tab indents; Ctrl+Tab leaves the field, as in other editors."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
            if event.key() == Qt.Key.Key_Tab and plain:
                self._text.insertPlainText(_INDENT)
                return True
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        column = vbox(spacing=6, margins=NO_MARGINS, parent=self)
        for text, widget, stretch in (
            (self.tr("Name"), self._name, 0),
            (self.tr("Lua: the first comment is the description"), self._text, 1),
            (self.tr("Dry run arguments, as JSON"), self._arguments, 0),
        ):
            column.addWidget(label(text, font=fonts.ui_font(fonts.SMALL), tint="text2"))
            column.addWidget(widget, stretch)
            column.addSpacing(4)
        column.addWidget(self._output)
        column.addWidget(self._message)
