"""Add or edit a server: paste or type it, see exactly what will run, consent to that.

Nothing typed is lost when the router refuses: the error appears beside the buttons and the form
stays. Several servers in one snippet can be imported together; their commands then need approval
one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gui.dialogs.add_server.consent_card import ConsentCard
from gui.dialogs.add_server.draft import DraftField, ServerDraft
from gui.dialogs.add_server.form import ServerForm
from gui.dialogs.add_server.paste_box import PasteBox
from gui.link.commands import Commands
from gui.text.errors import error_text
from gui.widgets import fonts
from gui.widgets.buttons import primary_button
from gui.widgets.cards import hline
from gui.widgets.dialog import Dialog, close_button
from gui.widgets.labels import Message, label, wrapped
from gui.widgets.layouts import NO_MARGINS, STRETCH, hbox, vbox
from gui.widgets.scroll_area import ScrollColumn
from router.api.router import RouterPort
from router.config.server import ServerConfig
from router.domain.errors import NotFound, ToolboothError
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.receipts import Protection
from router.domain.servers import TransportType

T = TypeVar("T")
SIZE = (640, 800)
CONSENT_HEIGHT = 240
_PADDING = 24
_MARGINS = (_PADDING, 0, _PADDING, 12)


class ServerDialog(Dialog):
    """For a new server of `workspace`, or after `edit` for one that is there."""

    saved = Signal(object)
    """The `ServerRef` that was added or changed; not emitted for an import of several."""

    def __init__(
        self,
        router: RouterPort,
        commands: Commands,
        workspace: WorkspaceId,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("", SIZE, parent)
        self._router = router
        self._commands = commands
        self._workspace = workspace
        self._editing: ServerRef | None = None
        self._base: ServerConfig | None = None
        self._tried = False
        self._title = label(font=fonts.semibold(18))
        self._origin = wrapped(
            self.tr(
                "A link wants to add this server. Continue only if you trust where it came from."
            ),
            tint="warn",
        )
        self._origin.hide()
        self.paste = PasteBox()
        self.form = ServerForm()
        self.consent = ConsentCard()
        self._consent_area = _ConsentArea(self.consent)
        self._error = Message("err")
        self._missing = wrapped("", tint="text2")
        self._save = primary_button("", on_click=self.submit)
        self.paste.read_one.connect(self._fill)
        self.paste.import_requested.connect(self._import)
        self.form.changed.connect(self._follow)
        self._lay_out()
        self._name_window(self.tr("Add server"))
        self._follow()
        commands.run(self, router.discovery.protection(), on_done=self._show_protection)

    def edit(self, ref: ServerRef, name: str) -> None:
        """Change this server instead of adding one."""
        self._editing = ref
        self.paste.hide()
        self._name_window(self.tr("Edit {name}").format(name=name))
        self._fill(name, self._router.servers.config(ref))
        self.form.focus_target()

    def fill_from_link(self, link: str) -> None:
        """Fill the form from a link, and show a warning about its origin."""
        self.paste.paste(link)
        self._origin.show()

    def submit(self) -> None:
        """Save what the form holds, or show what is wrong with it."""
        draft = self.form.draft()
        self._tried = True
        self._follow()
        if self._problems(draft):
            return
        config = draft.config(self._base)
        if self._editing is None:
            command = self._router.servers.add(self._workspace, draft.name, config, consent=True)
        else:
            command = self._router.servers.update(self._editing, draft.name, config, consent=True)
        self._run(command, self._done)

    def error(self) -> str:
        return self._error.text()

    def _lay_out(self) -> None:
        fields = ScrollColumn(
            self._origin, self.paste, self.form, STRETCH, spacing=14, margins=_MARGINS
        )
        self._title.setContentsMargins(_PADDING, 18, _PADDING, 12)
        vbox(
            self._title,
            (fields, 1),
            hline(),
            12,
            self._consent_area,
            self._footer(),
            spacing=0,
            margins=NO_MARGINS,
            parent=self,
        )

    def _footer(self) -> QHBoxLayout:
        self._save.setDefault(True)
        return hbox(
            (self._missing, 1),
            (self._error, 1),
            close_button(self, self.tr("Cancel")),
            self._save,
            spacing=8,
            margins=(_PADDING, 2, _PADDING, 14),
        )

    def _name_window(self, text: str) -> None:
        self.setWindowTitle(text)
        self._title.setText(text)

    def _fill(self, name: str, config: ServerConfig) -> None:
        self._base = config
        self.form.set_draft(ServerDraft.of(name, config))

    def _follow(self) -> None:
        """Keep what is agreed to, and the button that agrees, in step with the form."""
        draft = self.form.draft()
        self.consent.show_draft(draft)
        self._consent_area.updateGeometry()
        runs = draft.transport is TransportType.STDIO
        if self._editing is None:
            self._save.setText(self.tr("Add and run") if runs else self.tr("Add"))
        else:
            self._save.setText(self.tr("Save and run") if runs else self.tr("Save"))
        problems = self._problems(draft)
        self._save.setEnabled(not problems)
        self._show_message(missing=next(iter(problems.values()), ""))
        if self._tried:
            self.form.show_problems(problems)

    def _show_protection(self, protection: Protection) -> None:
        self.consent.show_protection(protection)
        self._consent_area.updateGeometry()

    def _show_message(self, *, missing: str = "", error: str = "") -> None:
        """Beside the buttons: what is still to be filled in, or what the router refused."""
        self._missing.setText(missing)
        self._missing.setVisible(not error)
        self._error.show_text(error)

    def _import(self, servers: Mapping[str, ServerConfig]) -> None:
        command = self._router.servers.add_imported(self._workspace, servers)
        self._run(command, lambda _: self.accept())

    def _run(self, command: Coroutine[Any, Any, T], on_done: Callable[[T], object]) -> None:
        self._save.setEnabled(False)
        self._commands.run(self, command, on_done=on_done, on_error=self._show_error)

    def _done(self, server: ServerId) -> None:
        workspace = self._editing.workspace if self._editing else self._workspace
        self.saved.emit(ServerRef(workspace, server))
        self.accept()

    def _show_error(self, error: ToolboothError) -> None:
        self._save.setEnabled(not self._problems(self.form.draft()))
        self._show_message(error=error_text(error))

    def _problems(self, draft: ServerDraft) -> dict[DraftField, str]:
        """What is wrong with the draft, or that another server has its name."""
        problems = draft.problems()
        try:
            servers = self._router.servers.list(self._workspace)
        except NotFound:  # The workspace was just removed; the router will report it.
            return problems
        others = {s.name.casefold() for s in servers if s.ref != self._editing}
        if draft.name.casefold() in others:
            text = self.tr("A server named {name} already exists.").format(name=draft.name)
            problems.setdefault(DraftField.NAME, text)
        return problems


class _ConsentArea(ScrollColumn):
    """Always visible, however long the form is: consent must cover what is shown."""

    def __init__(self, consent: ConsentCard) -> None:
        super().__init__(consent, STRETCH, spacing=14, margins=_MARGINS)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def showEvent(self, event: QShowEvent, /) -> None:
        super().showEvent(event)
        self.updateGeometry()  # Sizes are known only after the style was applied.

    def sizeHint(self, /) -> QSize:
        width = self.viewport().width()
        return QSize(width, min(CONSENT_HEIGHT, self.column.totalHeightForWidth(width)))
