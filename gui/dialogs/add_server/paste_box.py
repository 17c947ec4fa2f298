"""The box to paste a snippet into: which servers it describes, or why it can't be parsed."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gui.dialogs.add_server.paste_parser import parse_pasted
from gui.text.errors import message_of
from gui.widgets.buttons import secondary_button
from gui.widgets.input_fields import mono_text
from gui.widgets.labels import Message
from gui.widgets.layouts import NO_MARGINS, hbox, vbox
from router.config.server import ServerConfig
from router.domain.errors import InvalidInput

PAUSE_MS = 250
HEIGHT = 76


class PasteBox(QWidget):
    read_one = Signal(str, object)
    """The name and the `ServerConfig` of the one server that was pasted."""
    import_requested = Signal(object)
    """All of several servers, as `dict[str, ServerConfig]`."""

    def __init__(self) -> None:
        super().__init__()
        self._several: dict[str, ServerConfig] = {}
        prompt = self.tr("Paste a command line, a URL, an mcp.json snippet or an install link")
        self._text = mono_text(QPlainTextEdit(), prompt)
        self._text.setPlaceholderText(prompt)
        self._text.setTabChangesFocus(True)
        self._text.setFixedHeight(HEIGHT)
        self._result = Message()
        self._import = secondary_button(
            "", on_click=lambda: self.import_requested.emit(self._several)
        )
        self._pause = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self._read)
        self._text.textChanged.connect(self._pause.start)
        below = hbox((self._result, 1), self._import)
        vbox(self._text, below, spacing=6, margins=NO_MARGINS, parent=self)
        self._show_message("")

    def paste(self, text: str) -> None:
        self._text.setPlainText(text)

    def result(self) -> str:
        return self._result.text()

    def import_all(self) -> None:
        self._import.click()

    def _read(self) -> None:
        text = self._text.toPlainText().strip()
        if not text:
            self._show_message("")
            return
        try:
            servers = parse_pasted(text)
        except InvalidInput as error:
            self._show_message(message_of(error), wrong=True)
            return
        if len(servers) > 1:
            self._offer(servers)
            return
        for name, config in servers.items():
            self._show_message(self._filled(config))
            self.read_one.emit(name, config)

    def _filled(self, config: ServerConfig) -> str:
        """The form is filled, and what the user still has to enter."""
        values = {**config.env, **config.headers}
        missing = [name for name, value in values.items() if not value.strip()]
        if not missing:
            return self.tr("Filled in below.")
        text = self.tr("Filled in below. Still missing: {names}.")
        return text.format(names=", ".join(missing))

    def _offer(self, servers: dict[str, ServerConfig]) -> None:
        self._show_message(
            self.tr("%n servers: {names}", "", len(servers)).format(names=", ".join(servers))
        )
        self._several = servers
        self._import.setText(self.tr("Import all %n", "", len(servers)))
        self._import.show()

    def _show_message(self, text: str, *, wrong: bool = False) -> None:
        self._import.hide()
        self._result.show_text(text, "err" if wrong else "text2")
