"""When the guide is shown, and with which steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gui.dialogs.onboarding.choices import import_choices
from gui.dialogs.onboarding.dialog import GuideDialog, Step
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from router.api.apps import FoundServer, FoundServers
from router.api.router import RouterPort
from router.config.server import ServerConfig

Found: TypeAlias = Callable[[FoundServers], object]


class Guide(QObject):
    imported = Signal()
    closed = Signal()

    def __init__(
        self, router: RouterPort, commands: Commands, bridge: EventBridge, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._router = router
        self._commands = commands
        self._bridge = bridge
        self._parent = parent

    def welcome(self) -> None:
        """At the first start, show the steps that are missing; only once."""
        if self._router.settings.current().welcome_shown:
            return
        self._commands.run(self, self._router.settings.update({"welcome_shown": True}))
        self._find(self._open_missing)

    def start(self) -> None:
        """Show every step, on request."""
        self._find(
            lambda found: self._open(found, tuple(Step) if found.servers else tuple(Step)[1:])
        )

    def offer(self, found: FoundServers) -> None:
        """Offer `found` for import, and list what was left out."""
        self._open(found, (Step.IMPORT,))

    def _find(self, then: Found) -> None:
        self._commands.run(self, self._router.apps.find_servers(), on_done=then)

    def _open_missing(self, found: FoundServers) -> None:
        any_server = any(each.server_count for each in self._router.workspaces.list())
        any_call = any(token.last_used_at is not None for token in self._router.tokens.list())
        if steps := missing_steps(found.servers, any_server=any_server, any_call=any_call):
            self._open(found, steps)

    def _open(self, found: FoundServers, steps: Sequence[Step]) -> None:
        choices = import_choices(found.servers, self._known())
        dialog = GuideDialog(
            self._router, self._commands, self._bridge, choices, steps, self._parent
        )
        dialog.show_problems(found.problems)
        dialog.imported.connect(self.imported)
        dialog.finished.connect(self.closed)
        dialog.open()

    def _known(self) -> list[ServerConfig]:
        """The servers of the active workspace."""
        servers = self._router.servers.list(self._router.workspaces.active())
        return [self._router.servers.config(status.ref) for status in servers]


def missing_steps(
    found: tuple[FoundServer, ...], *, any_server: bool, any_call: bool
) -> tuple[Step, ...]:
    """No import where nothing was found or servers exist already; no connection and no check where
    an app has called before."""
    importing = (Step.IMPORT,) if found and not any_server else ()
    return importing if any_call else (*importing, Step.CONNECT, Step.CHECK)
