"""When the guide is shown, and with which steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gui.commands import Commands
from gui.onboarding.choices import import_choices
from gui.onboarding.dialog import GuideDialog, Step
from router.api.apps import FoundServer, FoundServers
from router.api.events import Event
from router.api.router import RouterPort
from router.config.server import ServerConfig

Found: TypeAlias = Callable[[FoundServers], object]


class Guide(QObject):
    imported = Signal()

    def __init__(self, router: RouterPort, commands: Commands, over: QWidget) -> None:
        super().__init__(over)
        self._router = router
        self._commands = commands
        self._over = over
        self._dialog: GuideDialog | None = None

    def welcome(self) -> None:
        """At the first start, lead through what is missing; nobody is asked twice."""
        if self._router.settings().welcome_shown:
            return
        shown = self._router.settings().model_copy(update={"welcome_shown": True})
        self._commands.run(self, self._router.apply_settings(shown))
        self._find(self._open_missing)

    def start(self) -> None:
        """Lead through everything, because somebody wants that."""
        self._find(
            lambda found: self._open(found, tuple(Step) if found.servers else tuple(Step)[1:])
        )

    def offer(self, found: FoundServers) -> None:
        """Let the person choose which of `found` to import, and say what was left out."""
        self._open(found, (Step.IMPORT,))

    def handle(self, events: Sequence[Event]) -> None:
        if self._dialog is not None:
            self._dialog.on_events(events)

    def _find(self, then: Found) -> None:
        self._commands.run(self, self._router.apps.find_servers(), on_done=then)

    def _open_missing(self, found: FoundServers) -> None:
        any_server = any(each.server_count for each in self._router.workspaces())
        any_call = any(token.last_used_at is not None for token in self._router.tokens())
        if steps := missing_steps(found.servers, any_server=any_server, any_call=any_call):
            self._open(found, steps)

    def _open(self, found: FoundServers, steps: Sequence[Step]) -> None:
        choices = import_choices(found.servers, self._known())
        dialog = GuideDialog(self._router, self._commands, choices, steps, self._over)
        dialog.show_problems(found.problems)
        dialog.imported.connect(self.imported)
        dialog.finished.connect(self._forget)
        self._dialog = dialog
        dialog.open()

    def _forget(self) -> None:
        self._dialog = None

    def _known(self) -> list[ServerConfig]:
        """The servers of the active workspace."""
        servers = self._router.servers(self._router.active_workspace())
        return [self._router.server_config(status.ref) for status in servers]


def missing_steps(
    found: tuple[FoundServer, ...], *, any_server: bool, any_call: bool
) -> tuple[Step, ...]:
    """No import where there is nothing to import, or servers are here already; and an app that
    called needs neither connecting nor checking."""
    importing = (Step.IMPORT,) if found and not any_server else ()
    return importing if any_call else (*importing, Step.CONNECT, Step.CHECK)
