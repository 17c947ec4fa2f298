"""Lists, connects and disconnects other applications for one screen."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from gui.link.commands import Commands
from router.api.apps import App, AppConnection, AppConnectionPlan, AppId
from router.api.router import RouterPort
from router.domain.errors import ToolboothError

T = TypeVar("T")


class AppConnector(QObject):
    listed = Signal(object)
    """`tuple[App, ...]`, after each change too."""
    connected = Signal(object)
    disconnected = Signal(object)
    """Each with the `AppConnection`, which can be undone."""
    failed = Signal(object)
    """With the `ToolboothError`."""

    def __init__(self, router: RouterPort, commands: Commands, parent: QObject) -> None:
        super().__init__(parent)
        self._router = router
        self._commands = commands
        self.apps: tuple[App, ...] = ()
        self._loading = self._again = False

    def load(self) -> None:
        """Read the apps' files, which may take a while: one run at a time, and one more if it was
        requested meanwhile."""
        self._again = self._loading
        if not self._loading:
            self._loading = True
            self._run(self._router.apps.list(), self._loaded, self._not_loaded)

    def preview(self, app_id: AppId, show: Callable[[AppConnectionPlan], object]) -> None:
        self._run(self._router.apps.plan(app_id), show, self.failed.emit)

    def connect_planned(self, plan: AppConnectionPlan) -> None:
        self._run(self._router.apps.connect(plan), self._connected)

    def connect_all(self, app_ids: Sequence[AppId], then: Callable[[], object]) -> None:
        """One after the other; a failure is reported and does not stop the rest."""
        if not app_ids:
            then()
            return
        first, rest = app_ids[0], app_ids[1:]

        def connect(plan: AppConnectionPlan) -> None:
            self._run(self._router.apps.connect(plan), on_connected, on_error)

        def on_connected(connection: AppConnection) -> None:
            self._connected(connection)
            self.connect_all(rest, then)

        def on_error(error: ToolboothError) -> None:
            self._failed(error)
            self.connect_all(rest, then)

        self._run(self._router.apps.plan(first), connect, on_error)

    def disconnect_app(self, app_id: AppId) -> None:
        self._run(self._router.apps.disconnect(app_id), self._disconnected)

    def undo(self, connection: AppConnection) -> None:
        self._run(self._router.apps.undo(connection), lambda _: self.load())

    def snippet(self, app_id: AppId, show: Callable[[str], object]) -> None:
        self._run(self._router.apps.snippet(app_id), show, self.failed.emit)

    def _run(
        self,
        command: Coroutine[Any, Any, T],
        on_done: Callable[[T], object],
        on_error: Callable[[ToolboothError], object] | None = None,
    ) -> None:
        self._commands.run(self, command, on_done=on_done, on_error=on_error or self._failed)

    def _loaded(self, apps: tuple[App, ...]) -> None:
        self.apps = apps
        self.listed.emit(apps)
        self._load_again()

    def _not_loaded(self, error: ToolboothError) -> None:
        self.failed.emit(error)
        self._load_again()

    def _load_again(self) -> None:
        self._loading = False
        if self._again:
            self.load()

    def _connected(self, connection: AppConnection) -> None:
        self.connected.emit(connection)
        self.load()

    def _disconnected(self, connection: AppConnection) -> None:
        self.disconnected.emit(connection)
        self.load()

    def _failed(self, error: ToolboothError) -> None:
        self.failed.emit(error)
        self.load()
