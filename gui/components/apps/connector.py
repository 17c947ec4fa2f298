"""Lists, connects and disconnects other applications for one screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from gui.link.commands import Commands
from router.api.apps import ClientApp, ClientId, Connection, ConnectionPlan
from router.api.router import RouterPort
from router.domain.errors import ToolboothError


class AppConnector(QObject):
    listed = Signal(object)
    """`tuple[ClientApp, ...]`, after each change too."""
    connected = Signal(object)
    disconnected = Signal(object)
    """Each with the `Connection`, which can be undone."""
    failed = Signal(object)
    """With the `ToolboothError`."""

    def __init__(self, router: RouterPort, commands: Commands, parent: QObject) -> None:
        super().__init__(parent)
        self._router = router
        self._commands = commands
        self.apps: tuple[ClientApp, ...] = ()
        self._loading = self._again = False

    def load(self) -> None:
        """Read the apps' files, which may take a while: one run at a time, and one more if it was
        requested meanwhile."""
        self._again = self._loading
        if not self._loading:
            self._loading = True
            listing = self._router.apps.list()
            self._commands.run(self, listing, on_done=self._keep, on_error=self._not_loaded)

    def preview(self, client: ClientId, show: Callable[[ConnectionPlan], object]) -> None:
        self._commands.run(
            self, self._router.apps.plan(client), on_done=show, on_error=self.failed.emit
        )

    def connect_planned(self, plan: ConnectionPlan) -> None:
        self._commands.run(
            self, self._router.apps.connect(plan), on_done=self._connected, on_error=self._failed
        )

    def connect_all(self, clients: Sequence[ClientId], then: Callable[[], object]) -> None:
        """One after the other; a failure is reported and does not stop the rest."""
        if not clients:
            then()
            return
        first, rest = clients[0], clients[1:]

        def go_on(_: object = None) -> None:
            self.connect_all(rest, then)

        def write(plan: ConnectionPlan) -> None:
            self._commands.run(
                self,
                self._router.apps.connect(plan),
                on_done=lambda connection: (self._connected(connection), go_on()),
                on_error=lambda error: (self._failed(error), go_on()),
            )

        self._commands.run(
            self,
            self._router.apps.plan(first),
            on_done=write,
            on_error=lambda error: (self._failed(error), go_on()),
        )

    def disconnect_app(self, client: ClientId) -> None:
        def tell(connection: Connection) -> None:
            self.disconnected.emit(connection)
            self.load()

        self._commands.run(
            self, self._router.apps.disconnect(client), on_done=tell, on_error=self._failed
        )

    def undo(self, connection: Connection) -> None:
        self._commands.run(
            self,
            self._router.apps.undo(connection),
            on_done=lambda _: self.load(),
            on_error=self._failed,
        )

    def snippet(self, client: ClientId, show: Callable[[str], object]) -> None:
        self._commands.run(
            self, self._router.apps.snippet(client), on_done=show, on_error=self.failed.emit
        )

    def _keep(self, apps: tuple[ClientApp, ...]) -> None:
        self.apps = apps
        self.listed.emit(apps)
        self._loaded()

    def _not_loaded(self, error: ToolboothError) -> None:
        self.failed.emit(error)
        self._loaded()

    def _loaded(self) -> None:
        self._loading = False
        if self._again:
            self.load()

    def _connected(self, connection: Connection) -> None:
        self.connected.emit(connection)
        self.load()

    def _failed(self, error: ToolboothError) -> None:
        self.failed.emit(error)
        self.load()
