"""The scripts of a workspace: choose one, edit it, test it, save it.

Unsaved changes survive looking at another script; closing asks first. A removed script stays in the
editor, so that saving it again restores it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QWidget

from gui.dialogs.scripts.editor import ScriptEditor
from gui.link.commands import Commands
from gui.text.errors import error_text
from gui.text.tr import tr
from gui.widgets import fonts, message_box
from gui.widgets.buttons import primary_button, secondary_button
from gui.widgets.cards import hline, vline
from gui.widgets.dialog import Dialog, close_button
from gui.widgets.labels import label
from gui.widgets.layouts import NO_MARGINS, STRETCH, hbox, vbox
from gui.widgets.tooltip import set_tooltip
from router.api.router import RouterPort
from router.domain.errors import InvalidInput, ToolboothError
from router.domain.ids import WorkspaceId
from router.domain.scripts import SavedScript, ScriptTrial

T = TypeVar("T")
SIZE = (960, 700)
_LIST_WIDTH = 220
_ROW_HEIGHT = 32
_PADDING = 24
NEW_SCRIPT = """\
---Describe what the script does. Models read this to choose it.
---@param path string The folder to list
local listing = files.list_directory{path = arguments.path}:await()
result(listing)
"""


class ScriptsDialog(Dialog):
    def __init__(
        self,
        router: RouterPort,
        commands: Commands,
        workspace: WorkspaceId,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(self.tr("Scripts"), SIZE, parent)
        self._router = router
        self._commands = commands
        self._workspace = workspace
        self._current: str | None = None
        self._drafts: dict[str | None, tuple[str, str]] = {}
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Scripts"))
        self.list.setFixedWidth(_LIST_WIDTH)
        self.list.currentTextChanged.connect(self._choose)
        self.editor = ScriptEditor()
        self.editor.changed.connect(self._keep_draft)
        self.new_button = secondary_button(self.tr("New script"), "plus", on_click=self.start_new)
        self.remove_button = secondary_button(self.tr("Remove"), "trash-2", on_click=self.remove)
        self.try_button = secondary_button(self.tr("Dry run"), "play", on_click=self.try_out)
        set_tooltip(self.try_button, self.tr("Only calls read-only tools"))
        self.save_button = primary_button(self.tr("Save"), on_click=self.save)
        self._lay_out()
        self._refill(None)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # No control has the focus at first.
        self.setFocus()

    def start_new(self) -> None:
        """Start a script that is not saved yet."""
        self.list.setCurrentRow(-1)
        self._show(None)
        self.editor.focus_name()

    def save(self) -> None:
        self.save_button.setEnabled(False)
        save = self._router.scripts.save
        name, text = self.editor.name(), self.editor.text()
        self._run(save(self._workspace, name, text, replacing=self._current), self._saved)

    def remove(self) -> None:
        if self._current is not None:
            self._run(self._router.scripts.remove(self._workspace, self._current), self._removed)

    def try_out(self) -> None:
        try:
            arguments = self.editor.arguments()
        except InvalidInput as error:
            self._show_error(error)
            return
        self.try_button.setEnabled(False)
        self.editor.show_message(self.tr("Running…"))
        try_out = self._router.scripts.try_out
        self._run(try_out(self._workspace, self.editor.text(), arguments), self._tried)

    def closeEvent(self, event: QCloseEvent, /) -> None:
        """Closing by the window's frame is the same as by the button."""
        event.ignore()
        self.reject()

    def reject(self, /) -> None:
        if not self._drafts:
            super().reject()
            return
        message_box.ask(
            self,
            self.tr("Close without saving?"),
            self.tr("%n scripts have unsaved changes.", "", len(self._drafts)),
            yes=self.tr("Close"),
            on_yes=super().reject,
        )

    def _run(self, command: Coroutine[Any, Any, T], on_done: Callable[[T], object]) -> None:
        self._commands.run(self, command, on_done=on_done, on_error=self._show_error)

    def _saved(self, script: SavedScript) -> None:
        self._drafts.pop(self._current, None)
        self._refill(script.name)
        self.editor.show_message(
            self.tr("Saved. Apps can use it as scripts:{name}.").format(name=script.name)
        )
        self._set_busy(False)

    def _removed(self, _: None) -> None:
        name, text = self.editor.name(), self.editor.text()
        self._drafts.pop(self._current, None)
        self._drafts[None] = name, text
        self._refill(None)
        self.editor.show_message(self.tr("Removed. Choose Save to restore it."))

    def _tried(self, trial: ScriptTrial) -> None:
        self._set_busy(False)
        self.editor.show_output(trial_text(trial))
        if trial.problem is None:
            self.editor.show_message(self.tr("Dry run complete. Only read-only tools were called."))
        else:
            self.editor.show_message(self.tr("Dry run failed."), wrong=True)

    def _show_error(self, error: ToolboothError) -> None:
        self._set_busy(False)
        self.editor.show_message(error_text(error), wrong=True)

    def _set_busy(self, waiting: bool) -> None:
        self.save_button.setEnabled(not waiting)
        self.try_button.setEnabled(not waiting)

    def _refill(self, chosen: str | None) -> None:
        """The list as it is now, with `chosen` in the editor."""
        names = [script.name for script in self._router.scripts.list(self._workspace)]
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems(names)
        for row in range(self.list.count()):
            self.list.item(row).setSizeHint(QSize(0, _ROW_HEIGHT))
        self.list.setCurrentRow(names.index(chosen) if chosen in names else -1)
        self.list.blockSignals(False)
        self._show(chosen)

    def _choose(self, name: str) -> None:
        if name:
            self._show(name)

    def _show(self, name: str | None) -> None:
        self._current = name
        if name in self._drafts:
            shown = self._drafts[name]
        elif name is None:
            shown = "", NEW_SCRIPT
        else:
            shown = name, self._router.scripts.get(self._workspace, name).text
        self.editor.show_script(*shown)
        self.remove_button.setEnabled(name is not None)

    def _keep_draft(self) -> None:
        self._drafts[self._current] = self.editor.name(), self.editor.text()

    def _lay_out(self) -> None:
        left = vbox(
            label(self.tr("Scripts"), font=fonts.semibold(18)),
            (self.list, 1),
            self.new_button,
            spacing=12,
            margins=(_PADDING, 18, 16, 14),
        )
        right = vbox((self.editor, 1), margins=(16, 18, _PADDING, 14))
        columns = hbox(left, vline(), (right, 1), spacing=0)
        vbox((columns, 1), hline(), self._footer(), spacing=0, margins=NO_MARGINS, parent=self)

    def _footer(self) -> QHBoxLayout:
        self.try_button.setAutoDefault(False)
        self.save_button.setAutoDefault(False)
        return hbox(
            self.remove_button,
            STRETCH,
            close_button(self),
            self.try_button,
            self.save_button,
            spacing=8,
            margins=(_PADDING, 12, _PADDING, 14),
        )


def trial_text(trial: ScriptTrial) -> str:
    """The calls in order, what was printed, and the result or the error."""
    called = tr("Called {tool} with {arguments}")
    skipped = tr("Not called: {tool} with {arguments}")
    lines = [
        (called if call.made else skipped).format(tool=call.key, arguments=call.arguments)
        for call in trial.calls
    ]
    if trial.printed:
        lines += [tr("Printed:"), trial.printed.rstrip()]
    if trial.problem is not None:
        return "\n".join([*lines, trial.problem])
    result = tr("no result") if trial.result is None else trial.result
    return "\n".join([*lines, tr("Result: {result}").format(result=result)])
