"""A new token: ask for a name and a scope, then show the secret once, with what to paste where."""

from __future__ import annotations

import json
from datetime import timedelta

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gui.link.commands import Commands
from gui.text.errors import error_text
from gui.widgets import fonts
from gui.widgets.buttons import CopyButton, primary_button, secondary_button
from gui.widgets.cards import PADDING, Card
from gui.widgets.input_fields import SecretField, combo_box, line_edit
from gui.widgets.labels import Message, label, wrapped
from gui.widgets.layouts import NO_MARGINS, STRETCH, hbox, vbox
from router.api.router import RouterPort
from router.domain.clients import IssuedToken
from router.domain.errors import ToolboothError
from router.domain.ids import WorkspaceId

_MASK = "•" * 8


def snippet(url: str, secret: str) -> str:
    """The entry that most clients understand in their `mcp.json`."""
    entry = {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {secret}"}}
    return json.dumps({"mcpServers": {"toolbooth": entry}}, indent=2)


class NewToken(Card):
    """First the form, then the token, shown once."""

    def __init__(self, router: RouterPort, commands: Commands) -> None:
        super().__init__()
        self._router = router
        self._form = _Form(router, commands)
        self._once = _ShownOnce()
        self._form.issued.connect(self._show_once)
        self._form.cancelled.connect(self.dismiss)
        self._once.stored.connect(self.dismiss)
        vbox(self._form, self._once, margins=(PADDING, 12, PADDING, 12), parent=self)

    def start(self) -> None:
        """Ask for a new one; a secret that is still shown is forgotten."""
        self._once.forget()
        self._form.start()
        self.show()

    def dismiss(self) -> None:
        self._once.forget()
        self.hide()

    def _show_once(self, issued: IssuedToken) -> None:
        self._form.hide()
        self._once.show_token(issued, self._router.endpoint.state().url or "")


class _Form(QWidget):
    issued = Signal(object)
    cancelled = Signal()

    def __init__(self, router: RouterPort, commands: Commands) -> None:
        super().__init__()
        self._router = router
        self._commands = commands
        self._name = line_edit(self.tr("App name"), self.tr("App name, such as Claude Code"))
        self._name.returnPressed.connect(self._create)
        self._scope = combo_box(self.tr("Access scope"))
        lifetimes = (
            (self.tr("Until revoked"), None),
            (self.tr("One day"), timedelta(days=1)),
            (self.tr("30 days"), timedelta(days=30)),
            (self.tr("One year"), timedelta(days=365)),
        )
        self._lifetime = combo_box(self.tr("Expires"), lifetimes)
        self._error = Message("err")
        create = primary_button(self.tr("Create token"), on_click=self._create)
        cancel = secondary_button(self.tr("Cancel"), on_click=self.cancelled)
        fields = hbox((self._name, 1), self._scope, self._lifetime, spacing=8)
        title = label(self.tr("New token"), font=fonts.semibold())
        buttons = hbox(STRETCH, cancel, create, spacing=8)
        vbox(title, fields, self._error, buttons, spacing=8, margins=NO_MARGINS, parent=self)

    def start(self) -> None:
        self._name.clear()
        self._error.show_text("")
        self._lifetime.setCurrentIndex(0)
        self._scope.clear()
        self._scope.addItem(self.tr("The active workspace"), None)
        for workspace in self._router.workspaces.list():
            self._scope.addItem(self.tr("Only {name}").format(name=workspace.name), workspace.id)
        self.show()
        self._name.setFocus()

    def _create(self) -> None:
        workspace: str | None = self._scope.currentData()
        command = self._router.tokens.issue(
            self._name.text().strip(),
            WorkspaceId(workspace) if workspace else None,
            None,
            lifetime=self._lifetime.currentData(),
        )
        self._commands.run(self, command, on_done=self.issued.emit, on_error=self._show_error)

    def _show_error(self, error: ToolboothError) -> None:
        self._error.show_text(error_text(error))


class _ShownOnce(QWidget):
    """The secret, masked, until `forget`."""

    stored = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._url = ""
        self._title = label(font=fonts.semibold())
        self._field = SecretField(self.tr("Token"), self.tr("Show token"), self.tr("Hide token"))
        self._field.setReadOnly(True)
        self._field.masked.connect(self._show_header)
        self._header = label(font=fonts.mono_font(), tint="text2")
        self._lay_out()
        self.forget()

    def show_token(self, issued: IssuedToken, url: str) -> None:
        self._url = url
        self._title.setText(self.tr("Token for {name}").format(name=issued.summary.name))
        self._field.setText(issued.secret)
        self._field.set_masked(True)
        self.show()

    def forget(self) -> None:
        self._field.clear()
        self.hide()

    def _lay_out(self) -> None:
        copy_snippet = secondary_button(
            self.tr("Copy mcp.json snippet"), "copy", on_click=self._copy_snippet
        )
        done = primary_button(self.tr("I’ve saved it"), on_click=self.stored)
        copy_token = CopyButton(self.tr("Copy token"), self._field.text, size=32)
        vbox(
            self._title,
            wrapped(self.tr("Copy the token now. It is not stored and won’t be shown again.")),
            hbox((self._field, 1), copy_token, spacing=8),
            wrapped(self.tr("Paste the snippet into the app, or these two values:")),
            self._header,
            hbox(STRETCH, copy_snippet, done, spacing=8),
            spacing=8,
            margins=NO_MARGINS,
            parent=self,
        )

    def _show_header(self, masked: bool) -> None:
        secret = _MASK if masked else self._field.text()
        self._header.setText(f"{self._url}\nAuthorization: Bearer {secret}")

    def _copy_snippet(self) -> None:
        QGuiApplication.clipboard().setText(snippet(self._url, self._field.text()))
