"""The desktop application put together: windows, tray, and the router in its thread.

The window stands first; the router is opened meanwhile. Shutdown has an order: refuse new commands,
stop the router within a bound, close the bridge, then let Qt's objects go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from gui.asking.asker import Asker
from gui.bridge import Bridge
from gui.closing import CloseFilter
from gui.collecting import Collector
from gui.commands import Commands
from gui.dialogs import ask, show_error
from gui.hosting import HostedRouter, RouterThread
from gui.language import Language
from gui.linking import is_own_link
from gui.look.icons import app_icon
from gui.look.theme import theme
from gui.notices import Notices
from gui.saying import hint_of, message_of
from gui.tray.icon import Tray
from gui.windows import Windows
from router.api.events import Event, SettingsApplied
from router.config.settings import Settings
from router.domain.errors import NotFound, ToolboothError
from router.domain.ids import ServerRef
from router.domain.servers import ServerState

STOP_TIMEOUT_S = 5.0
_RUNNING = (ServerState.CONNECTING, ServerState.READY)


class DesktopApplication(QApplication):
    """Qt's application; tells `quitting` before Qt asks the windows to close for a quit."""

    quitting = Signal()
    link_opened = Signal(str)
    """macOS hands links over so, not as an argument."""

    def event(self, event: QEvent, /) -> bool:
        if event.type() == QEvent.Type.Quit:
            self.quitting.emit()
        if isinstance(event, QFileOpenEvent) and is_own_link(event.url().toString()):
            self.link_opened.emit(event.url().toString())
            return True
        return super().event(event)


class Application(QObject):
    _opened = Signal(object)
    _failed = Signal(object)

    def __init__(
        self,
        app: DesktopApplication,
        open_router: Callable[[], Awaitable[HostedRouter]],
        settings: Settings,
        *,
        stop_loop: Callable[[], object],
    ) -> None:
        """`settings` hold until the router has read its own."""
        super().__init__()
        self._app = app
        self._stop_loop = stop_loop
        self._router: HostedRouter | None = None
        self._stopped = False
        self._without_tray = False
        self._link: str | None = None
        self.exit_code = 0
        self._collector = Collector(self)
        self.language = Language(app)
        self._dress(settings)
        self._thread = RouterThread(
            open_router, on_ready=self._subscribe, on_failed=self._failed.emit
        )
        self._bridge = Bridge(self)
        self._commands = Commands(show_error=self._show_error)
        self.tray = Tray(self._commands, self)
        self._closing = CloseFilter(self.tray.is_there, self)
        self.asker = Asker(self._commands, self)
        self.notices = Notices(self.tray.hint, self._is_looked_at, self)
        self.windows = self._new_windows()
        self._connect()

    # Life

    def start(self, *, hidden: bool, link: str | None = None) -> None:
        """Show the tray and, unless `hidden`, the window; then open the router, then `link`."""
        self.tray.show()
        self._link = link
        if link is not None or not hidden:
            self.windows.main.show()
        self._thread.start()

    def quit(self) -> None:
        """End the application; `shut_down` follows when Qt's loop has ended."""
        self._close_for_real()
        self.tray.hide()
        self.windows.main.hide()
        self._stop_loop()

    async def clear_desktop(self) -> None:
        """Take away what would stay on the desktop without us."""
        await self.notices.clear()

    def shut_down(self) -> None:
        """Stop everything in order. Safe to call twice."""
        if self._stopped:
            return
        self._stopped = True
        self._commands.detach()
        self.notices.close()
        self._thread.stop(STOP_TIMEOUT_S)
        self._bridge.close()
        self.asker.close()
        self._collector.close()

    def second_start(self, arguments: Sequence[str]) -> None:
        """Somebody started Toolbooth again."""
        if (link := next(filter(is_own_link, arguments), None)) is not None:
            self.open_link(link)
        elif "--hidden" not in arguments:
            self.windows.show()

    def open_link(self, link: str) -> None:
        """Lead the person to what a link describes, once there is a router."""
        self.windows.show()
        if self._router is None:
            self._link = link
        else:
            self.windows.open_link(link)

    # Building

    def _dress(self, settings: Settings) -> None:
        self._app.setQuitOnLastWindowClosed(False)
        self._app.setApplicationName("Toolbooth")
        self._app.setDesktopFileName("toolbooth")
        self._app.setWindowIcon(app_icon())
        self.language.use(settings.language)
        theme().apply(self._app)
        theme().set_mode(settings.theme)

    def _new_windows(self) -> Windows:
        windows = Windows(self._commands, self._bridge)
        self._closing.watch(windows.main)
        if self._without_tray:
            windows.add_menu(self.tray.menu)
        return windows

    def _connect(self) -> None:
        queued = Qt.ConnectionType.QueuedConnection
        self._opened.connect(self._attach, queued)
        self._failed.connect(self._give_up, queued)
        self._bridge.events.connect(self._handle)
        self._closing.hidden.connect(self._hint_at_tray)
        self._app.quitting.connect(self._close_for_real)
        self._app.link_opened.connect(self.open_link)
        self._app.commitDataRequest.connect(self._close_for_real)
        self._app.aboutToQuit.connect(self.shut_down)
        self.tray.window_requested.connect(lambda: self.windows.show())
        self.tray.missing.connect(self._do_without_tray)
        self.tray.message_clicked.connect(self.notices.looked)
        self.notices.opened.connect(lambda: self.windows.show_needs())
        self._app.applicationStateChanged.connect(self._look)
        menu = self.tray.menu
        menu.server_requested.connect(self._show_server)
        menu.settings_requested.connect(lambda: self.windows.open_settings())
        menu.quit_requested.connect(self._ask_to_quit)

    # The router

    def _subscribe(self, router: HostedRouter) -> None:
        """On the router's thread: from here on no event is missed."""
        router.subscribe(self._bridge.publish)
        _look_ahead(router)
        self._opened.emit(router)

    def _attach(self, router: HostedRouter) -> None:
        self._router = router
        self._apply(router.settings.current())
        self._commands.attach(self._thread.submit)
        self.tray.attach(router)
        self.asker.attach(router)
        self.notices.attach(router)
        self._attach_windows(self.windows, self.windows.attaching(router))
        self._collector.start()

    def _attach_windows(self, windows: Windows, steps: Generator[None]) -> None:
        """A step now, each other in a turn of its own: all at once would take a tenth of a second,
        in which the window stands still."""
        if self.windows is not windows:  # Replaced by some in another language, which have it all.
            steps.close()
        for _ in steps:
            # A millisecond, not none: Qt would do that before anything else.
            QTimer.singleShot(1, self, partial(self._attach_windows, windows, steps))
            return
        if self._link is not None:
            self.windows.open_link(self._link)
        elif self.windows.main.isVisible():
            self.windows.welcome()

    def _give_up(self, error: Exception) -> None:
        """There will be no router: say why, then end."""
        self.exit_code = 1
        self.tray.show_failure()
        self._commands.detach()
        explained = self._explained(error)
        self.windows.main.show_no_router(explained)
        box = show_error(self.windows.main, explained)
        box.finished.connect(self.quit)

    def _explained(self, error: Exception) -> ToolboothError:
        if isinstance(error, ToolboothError):
            return error
        return ToolboothError(
            self.tr("The router could not start."), self.tr("The log has the details.")
        )

    def _handle(self, events: Sequence[Event]) -> None:
        self.windows.handle(events)
        self.tray.on_events(events)
        self.asker.on_events(events)
        self.notices.on_events(events)
        for event in events:
            if isinstance(event, SettingsApplied):
                self._apply(event.settings)

    def _apply(self, settings: Settings) -> None:
        theme().set_mode(settings.theme)
        if self.language.use(settings.language):
            old, self.windows = self.windows, self._new_windows()
            self.windows.replace(old)
            self.tray.fill_anew()
            self.asker.make_anew()

    # The person

    def _show_server(self, ref: ServerRef) -> None:
        self.windows.show_server(ref)

    def _show_error(self, _: QObject, error: ToolboothError) -> None:
        if self.windows.main.isVisible():
            self.windows.show_error(error)
        else:
            self.tray.hint(message_of(error), hint_of(error))

    def _hint_at_tray(self) -> None:
        if self._first_hint():
            self.tray.hint(
                self.tr("Toolbooth is still running"),
                self.tr("Your apps stay connected. Quit from the icon’s menu to stop."),
            )

    def _do_without_tray(self) -> None:
        if not self._without_tray:
            self._without_tray = True
            self.windows.add_menu(self.tray.menu)
        self.windows.main.show()
        if self._first_hint():
            self.windows.main.banners.put(
                "tray",
                self.tr("This desktop shows no tray icons"),
                self.tr("Closing the window minimises it; the menu at its top quits Toolbooth."),
            )

    def _first_hint(self) -> bool:
        """Whether the person is still to be told what closing does; now they are."""
        if self._router is None or self._router.settings.current().close_hint_shown:
            return False
        told = self._router.settings.current().model_copy(update={"close_hint_shown": True})
        self._commands.run(self, self._router.settings.apply(told))
        return True

    def _ask_to_quit(self) -> None:
        """Quitting stops all servers: said where there are any to stop."""
        running = self._running_servers()
        if not running:
            self.quit()
            return
        ask(
            self.windows.main,
            self.tr("Quit Toolbooth?"),
            self.tr("This stops all servers (%n running). Apps lose their tools.", "", running),
            yes=self.tr("Quit"),
            on_yes=self.quit,
        )

    def _running_servers(self) -> int:
        if self._router is None:
            return 0
        workspaces = [workspace.id for workspace in self._router.workspaces.list()]
        statuses = [status for each in workspaces for status in self._router.servers.list(each)]
        return sum(status.state in _RUNNING for status in statuses)

    def _is_looked_at(self) -> bool:
        """Whether the person has our window before them."""
        active = self._app.applicationState() is Qt.ApplicationState.ApplicationActive
        return active and self.windows.main.isVisible()

    def _look(self, _: Qt.ApplicationState) -> None:
        if self._is_looked_at():
            self.notices.looked()

    def _close_for_real(self) -> None:
        self._closing.for_real = True


def _look_ahead(router: HostedRouter) -> None:
    """Have the router make what the window will ask for first, while the window can wait for it:
    thousands of tools take a moment."""
    workspace = router.workspaces.active()
    with suppress(NotFound):
        router.activity.savings(workspace)
        for status in router.servers.list(workspace):
            router.tools.list(status.ref)
