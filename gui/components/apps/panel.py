"""The apps of this computer with their actions; on the apps page and in the settings."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from gui.components.apps.app_list import AppList
from gui.components.apps.connect_dialogs import by_hand, preview
from gui.components.apps.connector import AppConnector
from gui.link.commands import Commands
from gui.text.errors import error_text
from gui.widgets.labels import wrapped
from gui.widgets.layouts import NO_MARGINS, vbox
from router.api.apps import AppConnection
from router.api.router import RouterPort
from router.domain.errors import ToolboothError


class AppsPanel(QWidget):
    done = Signal(str, object)
    """A text that says what was done, and the `AppConnection`, which can be undone."""

    def __init__(self, router: RouterPort, commands: Commands) -> None:
        super().__init__()
        self.connector = AppConnector(router, commands, self)
        self.list = AppList()
        self._error = wrapped("", tint="err")
        self._error.hide()
        vbox(self._error, self.list, spacing=8, margins=NO_MARGINS, parent=self)
        self._connect()

    def load(self) -> None:
        self.connector.load()

    def showEvent(self, event: QShowEvent) -> None:
        self.list.show_apps(self.connector.apps)
        super().showEvent(event)

    def _show_apps(self) -> None:
        # Twenty rows take a moment, which would delay the opening of the window.
        if self.isVisible():
            self.list.show_apps(self.connector.apps)

    def _connect(self) -> None:
        connector = self.connector
        connector.listed.connect(self._show_apps)
        connector.failed.connect(self._show_error)
        connector.connected.connect(self._connected)
        connector.disconnected.connect(self._disconnected)
        self.list.preview_requested.connect(partial(preview, connector, parent=self))
        self.list.disconnect_requested.connect(connector.disconnect_app)
        self.list.by_hand_requested.connect(partial(by_hand, connector, parent=self))

    def _connected(self, done: AppConnection) -> None:
        self._offer(self.tr("Connected {name}"), done)

    def _disconnected(self, done: AppConnection) -> None:
        self._offer(self.tr("Disconnected {name}"), done)

    def _offer(self, text: str, done: AppConnection) -> None:
        self._error.hide()
        self.done.emit(text.format(name=done.name), done)

    def _show_error(self, error: ToolboothError) -> None:
        self._error.setText(error_text(error))
        self._error.show()
