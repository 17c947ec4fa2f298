"""Try a tool: a form made of its parameters, and the result as the server gave it."""

from __future__ import annotations

import json

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QTextEdit, QWidget

from gui.dialogs.try_tool.group_fields import ArgumentsForm
from gui.link.commands import Commands
from gui.text.errors import error_text
from gui.text.marks import Tone, effect_badge
from gui.widgets import fonts
from gui.widgets.buttons import CopyButton, primary_button
from gui.widgets.dialog import Dialog, close_button
from gui.widgets.input_fields import mono_text
from gui.widgets.labels import Message, Pill, label, section_label, wrapped
from gui.widgets.layouts import STRETCH, hbox, vbox
from gui.widgets.scroll_area import ScrollColumn
from router.api.router import RouterPort
from router.domain.errors import ToolboothError
from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.tools import ToolView

_PADDING = 24
_MAX_CHARACTERS = 200_000
_MIN_FORM_HEIGHT, _MIN_RESULT_HEIGHT = 40, 150


class TryToolDialog(Dialog):
    def __init__(
        self,
        router: RouterPort,
        commands: Commands,
        workspace: WorkspaceId,
        tool: ToolView,
        parent: QWidget | None,
    ) -> None:
        super().__init__(self.tr("Try {tool}").format(tool=tool.key.tool), (640, 720), parent)
        self._router, self._commands = router, commands
        self._workspace, self._tool = workspace, tool
        self.form = ArgumentsForm(tool.parameters)
        self._error = Message("err")
        self._outcome = Pill()
        self._outcome.hide()
        self._result = mono_text(QTextEdit(), self.tr("Result"), read_only=True)
        self._result.setPlaceholderText(self.tr("The result appears here."))
        self._result.setMinimumHeight(_MIN_RESULT_HEIGHT)
        self._run = primary_button(self.tr("Run"), "play", on_click=self.run)
        self._run.setDefault(True)
        self._lay_out()

    def result_text(self) -> str:
        return self._result.toPlainText()

    def error(self) -> str:
        return self._error.text()

    def run(self) -> None:
        """Call the tool with what was typed."""
        self._error.show_text("")
        try:
            arguments = self.form.values()
        except ToolboothError as error:
            self._show_error(error)
            return
        self._run.setEnabled(False)
        self._outcome.show_as(self.tr("Running…"), Tone.ACCENT)
        self._outcome.show()
        self._commands.run(
            self,
            self._router.tools.try_out(self._workspace, self._tool.key, arguments),
            on_done=self._show,
            on_error=self._show_error,
        )

    def _lay_out(self) -> None:
        badge = effect_badge(self._tool.effect)
        title = label(self._tool.key.shown, font=fonts.mono_font(16))
        head = hbox(title, Pill(*badge) if badge else None, STRETCH, spacing=8)
        warning = self.tr("This runs the tool for real, with your permissions.")
        copy = CopyButton(self.tr("Copy result"), self.result_text)
        vbox(
            head,
            wrapped(warning, "text3"),
            _Fitting(self.form),
            self._error,
            hbox(section_label(self.tr("Result")), self._outcome, STRETCH, copy),
            (self._result, 1),
            hbox(STRETCH, close_button(self), self._run, spacing=8),
            spacing=10,
            margins=(_PADDING, 18, _PADDING, 16),
            parent=self,
        )

    def _show(self, result: JsonObject) -> None:
        self._run.setEnabled(True)
        failed = bool(result.get("isError"))
        text = self.tr("The tool returned an error") if failed else self.tr("Done")
        self._outcome.show_as(text, Tone.ERR if failed else Tone.OK)
        self._result.setPlainText(result_text(result))

    def _show_error(self, error: ToolboothError) -> None:
        self._run.setEnabled(True)
        self._outcome.hide()
        self._error.show_text(error_text(error))


def result_text(result: JsonObject) -> str:
    """The texts of a result one after the other; anything else as JSON. Very long ones are cut."""
    blocks = [as_object(block) for block in as_array(result.get("content"))]
    texts = [
        str(block.get("text"))
        if block.get("type") == "text"
        else json.dumps(block, indent=2, ensure_ascii=False)
        for block in blocks
    ]
    shown = "\n\n".join(texts) or json.dumps(result, indent=2, ensure_ascii=False)
    return shown[:_MAX_CHARACTERS]


class _Fitting(ScrollColumn):
    """As high as its content, so that a short form leaves space for the result; scrolls beyond
    that."""

    def __init__(self, form: QWidget) -> None:
        super().__init__(form, STRETCH, margins=(0, 0, 8, 0))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.content.installEventFilter(self)

    def sizeHint(self, /) -> QSize:
        width = self.viewport().width()
        return QSize(width, max(_MIN_FORM_HEIGHT, self.column.totalHeightForWidth(width)))

    def eventFilter(self, watched: QObject, event: QEvent, /) -> bool:
        """Fields grow, and values are added."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        self.updateGeometry()
