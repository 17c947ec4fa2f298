"""The desktop application: windows, tray, and the router in its thread.

The window opens first, while the router starts. Shutdown has an order: refuse new commands, stop
the router within a bound, close the bridge, then release Qt's objects.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from gui.desktop.close_to_tray import CloseToTray
from gui.desktop.garbage_collection import GarbageCollector
from gui.desktop.language import Language
from gui.desktop.notifications import Notifications
from gui.desktop.own_link import is_own_link
from gui.dialogs.permission_request.confirmation import ConfirmationPresenter
from gui.dialogs.permission_request.presenter import PermissionPresenter
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.link.router_thread import HostedRouter, RouterThread
from gui.text.errors import hint_of, message_of
from gui.tray.icon import Tray
from gui.widgets.icons import app_icon
from gui.widgets.message_box import ask, show_error
from gui.widgets.theme import theme
from gui.windows import Windows
from router.api.events import SettingsApplied, WindowRequested
from router.config.settings import Settings
from router.domain.errors import NotFound, ToolboothError
from router.domain.ids import ServerRef
from router.domain.servers import ServerState

STOP_TIMEOUT_S = 5.0
_RUNNING = (ServerState.CONNECTING, ServerState.READY)


class DesktopApplication(QApplication):
    """Qt's application; emits `quitting` before Qt asks the windows to close."""

    quitting = Signal()
    link_opened = Signal(str)
    """macOS delivers links this way, not as an argument."""

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
        """`settings` are used until the router has read its own."""
        super().__init__()
        self._app = app
        self._stop_loop = stop_loop
        self._router: HostedRouter | None = None
        self._stopped = False
        self._without_tray = False
        self._link: str | None = None
        self.exit_code = 0
        self._garbage_collector = GarbageCollector(self)
        self.language = Language(app)
        self._apply_appearance(settings)
        self._thread = RouterThread(
            open_router, on_ready=self._subscribe, on_failed=self._failed.emit
        )
        self._bridge = EventBridge(self)
        self._commands = Commands(show_error=self._show_error)
        self.tray = Tray(self._commands, self._bridge, self)
        self._close_to_tray = CloseToTray(self.tray.is_available, self)
        self.permission_presenter = PermissionPresenter(self._commands, self._bridge, self)
        self.confirmation_presenter = ConfirmationPresenter(self._commands, self._bridge, self)
        self.notifications = Notifications(self.tray.hint, self._is_watched, self._bridge, self)
        self.windows = self._new_windows()
        self._connect()

    # Life cycle

    def start(self, *, hidden: bool, link: str | None = None) -> None:
        """Show the tray and, unless `hidden`, the window; then open the router, then `link`."""
        self.tray.show()
        self._link = link
        if link is not None or not hidden:
            self.windows.main.show()
        self._thread.start()

    def quit(self) -> None:
        """End the application; `shut_down` follows when Qt's loop has ended."""
        self._allow_closing()
        self.tray.hide()
        self.windows.main.hide()
        self._stop_loop()

    async def clear_desktop(self) -> None:
        """Remove what would stay on the desktop after the end."""
        await self.notifications.clear()

    def shut_down(self) -> None:
        """Stop everything in order. Safe to call twice."""
        if self._stopped:
            return
        self._stopped = True
        self._commands.detach()
        self.notifications.close()
        self._thread.stop(STOP_TIMEOUT_S)
        self._bridge.close()
        self.permission_presenter.close()
        self.confirmation_presenter.close()
        self._garbage_collector.close()

    def second_start(self, arguments: Sequence[str]) -> None:
        """Toolbooth was started again while this one runs."""
        if (link := next(filter(is_own_link, arguments), None)) is not None:
            self.open_link(link)
        elif "--hidden" not in arguments:
            self.windows.show()

    def open_link(self, link: str) -> None:
        """Open the dialog for a link, once the router is attached."""
        self.windows.show()
        if self._router is None:
            self._link = link
        else:
            self.windows.open_link(link)

    # Construction

    def _apply_appearance(self, settings: Settings) -> None:
        self._app.setQuitOnLastWindowClosed(False)
        self._app.setApplicationName("Toolbooth")
        self._app.setDesktopFileName("toolbooth")
        self._app.setWindowIcon(app_icon())
        self.language.use(settings.language)
        theme().apply(self._app)
        theme().set_mode(settings.theme)

    def _new_windows(self) -> Windows:
        windows = Windows(self._commands, self._bridge)
        self._close_to_tray.watch(windows.main)
        if self._without_tray:
            windows.add_menu(self.tray.menu)
        return windows

    def _connect(self) -> None:
        queued = Qt.ConnectionType.QueuedConnection
        self._opened.connect(self._attach, queued)
        self._failed.connect(self._fail, queued)
        self._bridge.subscribe(self, self._on_settings, SettingsApplied)
        self._bridge.subscribe(self, self._on_window_requested, WindowRequested)
        self._close_to_tray.hidden.connect(self._hint_at_tray)
        self._app.quitting.connect(self._allow_closing)
        self._app.link_opened.connect(self.open_link)
        self._app.commitDataRequest.connect(self._allow_closing)
        self._app.aboutToQuit.connect(self.shut_down)
        self.tray.window_requested.connect(lambda: self.windows.show())
        self.tray.missing.connect(self._do_without_tray)
        self.tray.message_clicked.connect(self.notifications.mark_seen)
        self.notifications.opened.connect(lambda: self.windows.show_attention())
        self._app.applicationStateChanged.connect(self._on_state_changed)
        menu = self.tray.menu
        menu.server_requested.connect(self._show_server)
        menu.settings_requested.connect(lambda: self.windows.open_settings())
        menu.quit_requested.connect(self._ask_to_quit)

    # The router

    def _subscribe(self, router: HostedRouter) -> None:
        """On the router's thread: from here on no event is missed."""
        router.subscribe(self._bridge.publish)
        _warm_up(router)
        self._opened.emit(router)

    def _attach(self, router: HostedRouter) -> None:
        self._router = router
        self._apply(router.settings.current())
        self._commands.attach(self._thread.submit)
        self.tray.attach(router)
        self.permission_presenter.attach(router)
        self.confirmation_presenter.attach(router)
        self.notifications.attach(router)
        self._attach_windows(self.windows, self.windows.attaching(router))
        self._garbage_collector.start()

    def _attach_windows(self, windows: Windows, steps: Generator[None]) -> None:
        """One step per turn of the event loop: all at once would block the window for 100 ms."""
        if self.windows is not windows:  # Replaced after a change of language; those are attached.
            steps.close()
        for _ in steps:
            # Not 0 ms: Qt would run that before anything else.
            QTimer.singleShot(1, self, partial(self._attach_windows, windows, steps))
            return
        if self._link is not None:
            self.windows.open_link(self._link)
        elif self.windows.main.isVisible():
            self.windows.welcome()

    def _fail(self, error: Exception) -> None:
        """The router failed to start: show why, then quit."""
        self.exit_code = 1
        self.tray.show_failure()
        self._commands.detach()
        unexpected = ToolboothError(
            self.tr("The router failed to start."), self.tr("See the log for details.")
        )
        failure = error if isinstance(error, ToolboothError) else unexpected
        self.windows.main.show_no_router(failure)
        box = show_error(self.windows.main, failure)
        box.finished.connect(self.quit)

    def _on_settings(self, events: Sequence[SettingsApplied]) -> None:
        self._apply(events[-1].settings)

    def _on_window_requested(self, events: Sequence[WindowRequested]) -> None:
        for event in events:
            self.second_start(event.words)

    def _apply(self, settings: Settings) -> None:
        theme().set_mode(settings.theme)
        if self.language.use(settings.language):
            old, self.windows = self.windows, self._new_windows()
            self.windows.replace(old)
            self.tray.refill()
            self.permission_presenter.retranslate()

    # User actions

    def _show_server(self, ref: ServerRef) -> None:
        self.windows.show_server(ref)

    def _show_error(self, _: QObject, error: ToolboothError) -> None:
        if self.windows.main.isVisible():
            self.windows.main.show_error(error)
        else:
            self.tray.hint(message_of(error), hint_of(error))

    def _hint_at_tray(self) -> None:
        if self._first_hint():
            self.tray.hint(
                self.tr("Toolbooth is still running"),
                self.tr(
                    "Your apps stay connected. To stop Toolbooth, choose Quit from the icon’s menu."
                ),
            )

    def _do_without_tray(self) -> None:
        if not self._without_tray:
            self._without_tray = True
            self.windows.add_menu(self.tray.menu)
        self.windows.main.show()
        if self._first_hint():
            self.windows.main.banners.put(
                "tray",
                self.tr("Tray icons are not available on this desktop"),
                self.tr(
                    "Closing the window minimizes it. To quit Toolbooth, use the menu at the top."
                ),
            )

    def _first_hint(self) -> bool:
        """True the first time: the user has not been told yet what closing the window does."""
        if self._router is None or self._router.settings.current().close_hint_shown:
            return False
        self._commands.run(self, self._router.settings.update({"close_hint_shown": True}))
        return True

    def _ask_to_quit(self) -> None:
        """Quitting stops all servers; asks first if any is running."""
        running = self._running_servers()
        if not running:
            self.quit()
            return
        ask(
            self.windows.main,
            self.tr("Quit Toolbooth?"),
            self.tr(
                "This stops all servers (%n running). Apps lose access to their tools.", "", running
            ),
            yes=self.tr("Quit"),
            on_yes=self.quit,
        )

    def _running_servers(self) -> int:
        if self._router is None:
            return 0
        workspaces = [workspace.id for workspace in self._router.workspaces.list()]
        statuses = [status for each in workspaces for status in self._router.servers.list(each)]
        return sum(status.state in _RUNNING for status in statuses)

    def _is_watched(self) -> bool:
        """Whether the user has the window in front."""
        active = self._app.applicationState() is Qt.ApplicationState.ApplicationActive
        return active and self.windows.main.isVisible()

    def _on_state_changed(self, _: Qt.ApplicationState) -> None:
        if self._is_watched():
            self.notifications.mark_seen()

    def _allow_closing(self) -> None:
        self._close_to_tray.closing_allowed = True


def _warm_up(router: HostedRouter) -> None:
    """Have the router compute what the window will query first, on the router's own thread:
    thousands of tools take a moment."""
    workspace = router.workspaces.active()
    with suppress(NotFound):
        router.activity.savings(workspace)
        for status in router.servers.list(workspace):
            router.tools.list(status.ref)
