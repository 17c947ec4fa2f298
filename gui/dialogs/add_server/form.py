"""The fields of a server: its name, and a command with variables or an address with headers."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QWidget

from gui.dialogs.add_server.draft import DraftField, ServerDraft
from gui.dialogs.add_server.pairs_editor import PairsEditor
from gui.widgets import fonts
from gui.widgets.buttons import IconButton, Segmented
from gui.widgets.input_fields import line_edit
from gui.widgets.labels import Message, label
from gui.widgets.layouts import NO_MARGINS, Part, hbox, vbox
from router.domain.servers import TransportType


class ServerForm(QWidget):
    """Holds a draft; emits `changed` when the user edits it."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._problems = {field: Message("err") for field in DraftField}
        self._name = self._line(self.tr("Name"))
        self._kind = Segmented(
            self.tr("Server type"),
            ((TransportType.STDIO, self.tr("Command")), (TransportType.HTTP, self.tr("URL"))),
            on_change=self._choose_kind,
        )
        self._kind.set_current(TransportType.STDIO)
        self._command = self._line(self.tr("Command line"), mono=True)
        self._env = PairsEditor(self.tr("Add variable"))
        self._cwd = self._line(self.tr("Working folder"), mono=True)
        self._url = self._line(self.tr("URL"), mono=True)
        self._headers = PairsEditor(self.tr("Add header"))
        for editor in (self._env, self._headers):
            editor.changed.connect(self.changed)
        self._lay_out()
        self._show_kind()

    def draft(self) -> ServerDraft:
        return ServerDraft(
            name=self._name.text().strip(),
            transport=TransportType(self._kind.current() or TransportType.STDIO),
            command_line=self._command.text(),
            env=tuple(self._env.pairs()),
            cwd=self._cwd.text(),
            url=self._url.text(),
            headers=tuple(self._headers.pairs()),
        )

    def set_draft(self, draft: ServerDraft) -> None:
        self._name.setText(draft.name)
        self._kind.set_current(draft.transport)
        self._command.setText(draft.command_line)
        self._env.set_pairs(dict(draft.env))
        self._cwd.setText(draft.cwd)
        self._url.setText(draft.url)
        self._headers.set_pairs(dict(draft.headers))
        self._show_kind()
        self.changed.emit()

    def show_problems(self, problems: Mapping[DraftField, str]) -> None:
        """Each beside its field."""
        for field, line in self._problems.items():
            line.show_text(problems.get(field, ""))

    def focus_target(self) -> None:
        """Focus the command or address: what is edited most."""
        runs = self._kind.current() == TransportType.STDIO
        (self._command if runs else self._url).setFocus()

    def _line(self, name: str, *, mono: bool = False) -> QLineEdit:
        field = line_edit(name, mono=mono)
        field.textEdited.connect(self.changed)
        return field

    def _lay_out(self) -> None:
        browse = IconButton(
            "folder-open", self.tr("Choose folder"), bordered=True, on_click=self._browse
        )
        problem = self._problems
        self._stdio = _column(
            *(_caption(self.tr("Command line")), self._command, problem[DraftField.COMMAND]),
            *(_caption(self.tr("Environment")), self._env, problem[DraftField.ENV]),
            *(_caption(self.tr("Working folder (optional)")), hbox(self._cwd, browse, spacing=6)),
        )
        self._http = _column(
            *(_caption(self.tr("URL")), self._url, problem[DraftField.URL]),
            *(_caption(self.tr("Headers")), self._headers, problem[DraftField.HEADERS]),
        )
        name = (_caption(self.tr("Name")), self._name, problem[DraftField.NAME])
        parts = (*name, 6, self._kind, self._stdio, self._http)
        vbox(*parts, spacing=6, margins=NO_MARGINS, parent=self)

    def _choose_kind(self, _: str) -> None:
        self._show_kind()
        self.changed.emit()

    def _show_kind(self) -> None:
        stdio = self._kind.current() == TransportType.STDIO
        self._stdio.setVisible(stdio)
        self._http.setVisible(not stdio)

    def _browse(self) -> None:
        dialog = QFileDialog(self.window(), self.tr("Choose folder"), self._cwd.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._take_folder)
        dialog.open()

    def _take_folder(self, folder: str) -> None:
        self._cwd.setText(folder)
        self.changed.emit()


def _column(*parts: Part) -> QWidget:
    widget = QWidget()
    vbox(*parts, spacing=6, margins=NO_MARGINS, parent=widget)
    return widget


def _caption(text: str) -> QLabel:
    made = label(text, font=fonts.medium(fonts.SMALL), tint="text2")
    made.setContentsMargins(0, 6, 0, 0)  # Nearer to its own field than to the one above.
    return made
