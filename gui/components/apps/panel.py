"""The apps of this computer with their actions; on the apps page and in the settings."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from gui.components.apps.app_list import AppList
from gui.components.apps.connector import AppConnector
from gui.link.commands import Commands
from gui.text.errors import error_text
from gui.widgets.labels import Message
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
        self.connector.listed.connect(self._show_apps)
        self.connector.failed.connect(self._show_error)
        self.connector.connected.connect(partial(self._offer, self.tr("Connected {name}")))
        self.connector.disconnected.connect(partial(self._offer, self.tr("Disconnected {name}")))
        self.list = AppList(self.connector)
        self._error = Message("err")
        vbox(self._error, self.list, spacing=8, margins=NO_MARGINS, parent=self)

    def load(self) -> None:
        self.connector.load()

    def showEvent(self, event: QShowEvent) -> None:
        self.list.show_apps(self.connector.apps)
        super().showEvent(event)

    def _show_apps(self) -> None:
        # Twenty rows take a moment, which would delay the opening of the window.
        if self.isVisible():
            self.list.show_apps(self.connector.apps)

    def _offer(self, text: str, done: AppConnection) -> None:
        self._error.show_text("")
        self.done.emit(text.format(name=done.name), done)

    def _show_error(self, error: ToolboothError) -> None:
        self._error.show_text(error_text(error))
