"""The fields of a server: its name, and a command with variables or an address with headers."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QVBoxLayout, QWidget

from gui.dialogs.add_server.draft import DraftField, ServerDraft
from gui.dialogs.add_server.pairs_editor import PairsEditor
from gui.widgets import fonts
from gui.widgets.buttons import IconButton, Segmented
from gui.widgets.input_fields import line_edit
from gui.widgets.labels import label, wrapped
from gui.widgets.layouts import NO_MARGINS, hbox, vbox
from router.domain.servers import TransportType


class ServerForm(QWidget):
    """Holds a draft; emits `changed` when the user edits it."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._problems = {field: wrapped("", tint="err") for field in DraftField}
        self._name = self._line(self.tr("Name"))
        self._kind = Segmented(
            self.tr("Server type"),
            ((TransportType.STDIO, self.tr("Command")), (TransportType.HTTP, self.tr("URL"))),
        )
        self._kind.set_current(TransportType.STDIO)
        self._kind.changed.connect(self._choose_kind)
        self._command = self._line(self.tr("Command line"), mono=True)
        self._env = PairsEditor(self.tr("Name"), self.tr("Value"), self.tr("Add variable"))
        self._cwd = self._line(self.tr("Working folder"), mono=True)
        self._url = self._line(self.tr("URL"), mono=True)
        self._headers = PairsEditor(self.tr("Name"), self.tr("Value"), self.tr("Add header"))
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
            line.setText(problems.get(field, ""))
            line.setVisible(field in problems)

    def focus_target(self) -> None:
        """Focus the command or address: what is edited most."""
        runs = self._kind.current() == TransportType.STDIO
        (self._command if runs else self._url).setFocus()

    def _line(self, name: str, *, mono: bool = False) -> QLineEdit:
        field = line_edit(name, mono=mono)
        field.textEdited.connect(self.changed)
        return field

    def _lay_out(self) -> None:
        browse = IconButton("folder-open", self.tr("Choose folder"), bordered=True)
        browse.clicked.connect(self._browse)
        folder = hbox(self._cwd, browse, spacing=6)
        self._stdio, stdio = _section()
        self._add(stdio, self.tr("Command line"), self._command, DraftField.COMMAND)
        self._add(stdio, self.tr("Environment"), self._env, DraftField.ENV)
        stdio.addWidget(_caption(self.tr("Working folder (optional)")))
        stdio.addLayout(folder)
        self._http, http = _section()
        self._add(http, self.tr("URL"), self._url, DraftField.URL)
        self._add(http, self.tr("Headers"), self._headers, DraftField.HEADERS)
        column = vbox(spacing=6, margins=NO_MARGINS, parent=self)
        self._add(column, self.tr("Name"), self._name, DraftField.NAME)
        column.addSpacing(6)
        column.addWidget(self._kind)
        column.addWidget(self._stdio)
        column.addWidget(self._http)
        self.show_problems({})

    def _add(self, column: QVBoxLayout, caption: str, widget: QWidget, field: DraftField) -> None:
        column.addWidget(_caption(caption))
        column.addWidget(widget)
        column.addWidget(self._problems[field])

    def _choose_kind(self) -> None:
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


def _section() -> tuple[QWidget, QVBoxLayout]:
    holder = QWidget()
    column = vbox(spacing=6, margins=NO_MARGINS, parent=holder)
    return holder, column


def _caption(text: str) -> QLabel:
    made = label(text, font=fonts.medium(fonts.SMALL), tint="text2")
    made.setContentsMargins(0, 6, 0, 0)  # Nearer to its own field than to the one above.
    return made
