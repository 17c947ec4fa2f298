"""The guide for the first run: shows only the steps that are missing, and can be left at any time.

Nothing changes until the user presses its button. It can be opened again from Connected apps.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QStackedWidget, QWidget

from gui.components.apps.app_list import AppList
from gui.components.apps.connector import AppConnector
from gui.dialogs.onboarding.check_step import CheckStep
from gui.dialogs.onboarding.choices import Choice
from gui.dialogs.onboarding.found_list import FoundList
from gui.dialogs.onboarding.pending_commands import PendingCommands
from gui.dialogs.onboarding.steps import Steps
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.text.errors import error_text
from gui.widgets import fonts, icons
from gui.widgets.buttons import link_button, primary_button, secondary_button
from gui.widgets.labels import Message, label, wrapped
from gui.widgets.layouts import STRETCH, hbox, vbox
from gui.widgets.scroll_area import ScrollColumn
from router.api.apps import App, AppState
from router.api.events import ActivityRecorded, ServerRemoved, ServerStatusChanged
from router.api.router import RouterPort
from router.domain.errors import ToolboothError
from router.domain.ids import ServerId, ServerRef

SIZE = (720, 600)
_PADDING = 36


class Step(StrEnum):
    IMPORT = "import"
    CONNECT = "connect"
    CHECK = "check"


class GuideDialog(QDialog):
    imported = Signal()

    def __init__(
        self,
        router: RouterPort,
        commands: Commands,
        bridge: EventBridge,
        choices: tuple[Choice, ...],
        steps: Sequence[Step],
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Set up Toolbooth"))
        self.setFixedSize(*SIZE)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # No control has the focus at first.
        self._router = router
        self._commands = commands
        self._steps = tuple(steps)
        self._position = 0
        self._done: set[int] = set()
        self._connector = AppConnector(router, commands, self)
        self._found = FoundList()
        self._problems = Message("warn")
        self._apps = AppList(self._connector, choosable=True)
        self._check = CheckStep()
        self._pending = PendingCommands(router)
        self._pending.approved.connect(self._approve)
        self._found.choice_changed.connect(self._show_buttons)
        self._apps.choice_changed.connect(self._show_buttons)
        self._connector.listed.connect(self._show_apps)
        self._connector.failed.connect(self._show_error)
        self._head = Steps([self._texts(step)[0] for step in self._steps])
        self._title = label(font=fonts.semibold(fonts.TITLE))
        self._explanation = wrapped("")
        self._explanation.setFont(fonts.ui_font())
        self._error = wrapped("", tint="err")
        self._pages = QStackedWidget()
        self._next = primary_button("", on_click=self._continue)
        self._back = secondary_button(self.tr("Back"), on_click=lambda: self._move(-1))
        self._close = link_button(self.tr("Skip for now"), on_click=self.reject)
        self._skip = secondary_button(self.tr("Skip this step"), on_click=self.skip_step)
        self._lay_out()
        self._head.setVisible(len(self._steps) > 1)
        self._found.show_choices(choices)
        self._connector.load()
        self._show_step()
        self.setFocus()
        bridge.subscribe(self, self._on_activity, ActivityRecorded)
        bridge.subscribe(self, self._pending.reload, ServerStatusChanged, ServerRemoved)

    def _on_activity(self, events: Sequence[ActivityRecorded]) -> None:
        for event in events:
            self._check.record(event.entry)
        if self.current_step() is Step.CHECK:
            self._show_buttons()

    def show_problems(self, problems: Sequence[str]) -> None:
        """Say what of other applications' files can't be imported, and why."""
        lines = (self.tr("Skipped:"), *problems)
        self._problems.show_text("\n".join(lines) if problems else "")

    def current_step(self) -> Step:
        return self._steps[self._position]

    def skip_step(self) -> None:
        """Leave this step undone; behind the last one is the end."""
        self._move(1)

    # Building

    def _lay_out(self) -> None:
        self._pages.addWidget(ScrollColumn(self._found, self._problems, STRETCH))
        self._pages.addWidget(ScrollColumn(self._apps, STRETCH))
        self._pages.addWidget(ScrollColumn(self._pending, (self._check, 1)))
        head = hbox(_Logo(), STRETCH, self._head)
        vbox(
            head,
            20,
            self._title,
            4,
            self._explanation,
            16,
            (self._pages, 1),
            self._error,
            12,
            self._footer(),
            spacing=0,
            margins=(_PADDING, 28, _PADDING, 20),
            parent=self,
        )

    def _footer(self) -> QHBoxLayout:
        for button in (self._back, self._skip, self._close):
            button.setAutoDefault(False)
        self._next.setDefault(True)
        return hbox(self._close, STRETCH, self._back, self._skip, self._next, spacing=8)

    # Showing

    def _texts(self, step: Step) -> tuple[str, str, str]:
        """The short name of a step, its title, and what it does."""
        match step:
            case Step.IMPORT:
                text = self.tr(
                    "These are set up in other apps on this computer. Their files are not "
                    "changed, and commands only run after you approve them."
                )
                return self.tr("Import servers"), self.tr("Import your servers"), text
            case Step.CONNECT:
                text = self.tr(
                    "Toolbooth adds one entry to each app you choose. Every file is backed up, "
                    "and you can undo this at any time."
                )
                return self.tr("Connect apps"), self.tr("Connect your AI apps"), text
            case Step.CHECK:
                text = self.tr("Ask one of your apps something that needs a tool.")
                return self.tr("Check"), self.tr("Try it out"), text

    def _show_step(self) -> None:
        step = self.current_step()
        _, title, explanation = self._texts(step)
        self._title.setText(title)
        self._explanation.setText(explanation)
        self._error.setText("")
        self._head.set_current(self._position, self._done)
        self._pages.setCurrentIndex(list(Step).index(step))
        self._pending.reload()
        self._show_buttons()

    def _show_buttons(self) -> None:
        self._back.setVisible(self._position > 0)
        self._close.setVisible(not self._check.is_green)
        self._skip.setVisible(self._position + 1 < len(self._steps))
        if self.current_step() is Step.IMPORT:
            count = len(self._found.chosen())
            self._next.setText(self.tr("Import %n servers", "", count))
            self._next.setEnabled(count > 0)
        elif self.current_step() is Step.CONNECT:
            count = len(self._apps.chosen())
            text = self.tr("Connect %n apps", "", count) if count else self.tr("Continue")
            self._next.setText(text)
            self._next.setEnabled(count > 0 or self._any_connected())
        else:
            self._next.setText(self.tr("Done"))
            self._next.setEnabled(self._check.is_green)

    def _show_apps(self, apps: tuple[App, ...]) -> None:
        self._apps.show_apps(apps)
        of_apps = {app.token for app in apps}
        used = (token for token in self._router.tokens.list() if token.last_used_at is not None)
        self._check.show_apps(apps, [token.name for token in used if token.id not in of_apps])
        self._show_buttons()

    def _any_connected(self) -> bool:
        return any(app.state is AppState.CONNECTED for app in self._connector.apps)

    def _show_error(self, error: ToolboothError) -> None:
        self._next.setEnabled(True)
        self._error.setText(error_text(error))

    # Doing

    def _continue(self) -> None:
        self._error.setText("")
        if self.current_step() is Step.IMPORT:
            self._next.setEnabled(False)
            self._commands.run(
                self,
                self._router.apps.import_servers(
                    self._router.workspaces.active(), self._found.chosen(), self._found.answers()
                ),
                on_done=self._imported,
                on_error=self._show_error,
            )
        elif self.current_step() is Step.CONNECT:
            self._next.setEnabled(False)
            self._connector.connect_all(self._apps.chosen(), self._connected)
        else:
            self.accept()

    def _imported(self, _: tuple[ServerId, ...]) -> None:
        self.imported.emit()
        self._finish_step()

    def _connected(self) -> None:
        self._next.setEnabled(True)
        if not self._error.text():
            self._finish_step()

    def _finish_step(self) -> None:
        self._done.add(self._position)
        self._move(1)

    def _move(self, by: int) -> None:
        self._position += by
        if self._position >= len(self._steps):
            self.accept()
        else:
            self._show_step()

    def _approve(self, ref: ServerRef) -> None:
        command = self._router.servers.grant_consent(ref)
        self._commands.run(self, command, on_error=self._show_error)


class _Logo(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(28, 28)
        self.setAccessibleName("Toolbooth")

    def paintEvent(self, event: QPaintEvent, /) -> None:
        icons.draw_logo(QPainter(self), QRectF(self.rect()))
