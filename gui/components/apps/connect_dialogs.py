"""The dialogs for connecting an app: the change in its file, or the entry to paste."""

from __future__ import annotations

from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QTextEdit, QWidget

from gui.components.apps.app_row import short_path
from gui.components.apps.connector import AppConnector
from gui.widgets import fonts
from gui.widgets.buttons import CopyButton, link_button, primary_button
from gui.widgets.dialog import Dialog, close_button
from gui.widgets.input_fields import mono_text
from gui.widgets.labels import label, wrapped
from gui.widgets.layouts import STRETCH, Part, hbox, vbox
from gui.widgets.palette import Palette, Token
from gui.widgets.theme import theme
from router.api.apps import App, AppConnectionPlan, AppId, DiffLine

_PADDING = 24


class PlanDialog(Dialog):
    """The change in an app's file; emits `agreed` to apply it, or `manual_setup_requested`."""

    agreed = Signal(object)
    manual_setup_requested = Signal(str)

    def __init__(self, plan: AppConnectionPlan, parent: QWidget | None) -> None:
        title = self.tr("Connect {name}").format(name=plan.name)
        super().__init__(title, (620, 460), parent)
        explanation = (
            self.tr("A new file with this entry will be created.")
            if plan.new_file
            else self.tr("One entry will be added. A backup is saved next to the file.")
        )
        hint = self.tr("The token is created when you connect. Only this app uses it.")
        readable_by_others = self.tr(
            "Other users of this computer can read this file and the token in it. Its "
            "permissions are not changed."
        )
        connect = primary_button(
            self.tr("Connect"), on_click=lambda: (self.agreed.emit(plan), self.accept())
        )
        connect.setDefault(True)
        manual = link_button(
            self.tr("Set up manually"),
            on_click=lambda: (self.manual_setup_requested.emit(plan.client), self.reject()),
        )
        manual.setAutoDefault(False)
        _lay_out(
            self,
            plan.path,
            explanation,
            (diff_view(plan.lines, self.tr("Changes")), 1),
            wrapped(hint, "text3"),
            wrapped(readable_by_others, "warn") if plan.open_to_others else None,
            hbox(manual, STRETCH, close_button(self), connect, spacing=8),
        )


class ManualSetupDialog(Dialog):
    """The entry to paste; its token is created on request, because it is shown only once."""

    snippet_requested = Signal(str)

    def __init__(self, app: App, parent: QWidget | None) -> None:
        title = self.tr("Set up {name} manually").format(name=app.name)
        super().__init__(title, (620, 420), parent)
        # Without wrapping, a QTextEdit would not show the placeholder.
        self._text = mono_text(QPlainTextEdit(), self.tr("Entry to paste"), read_only=True)
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._text.setTabChangesFocus(True)
        self._text.setPlaceholderText(self.tr("The entry will appear here, with a new token."))
        self._create = primary_button(
            self.tr("Create entry"), on_click=lambda: self.snippet_requested.emit(app.id)
        )
        self._copy = CopyButton(self.tr("Copy entry"), self._text.toPlainText)
        self._copy.hide()
        _lay_out(
            self,
            app.path,
            self.tr("Add this entry to the file, next to the existing ones."),
            (self._text, 1),
            (self._copy, 0, Qt.AlignmentFlag.AlignRight),
            hbox(STRETCH, close_button(self), self._create, spacing=8),
        )

    def show_snippet(self, text: str) -> None:
        self._text.setPlainText(text)
        self._create.hide()
        self._copy.show()


def diff_view(lines: tuple[DiffLine, ...], name: str) -> QTextEdit:
    view = mono_text(QTextEdit(), name, read_only=True)
    view.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
    view.setTabChangesFocus(True)
    view.setHtml(diff_html(lines, theme().palette))
    return view


def diff_html(lines: tuple[DiffLine, ...], palette: Palette) -> str:
    """The lines with their signs, coloured; the sign alone carries the meaning."""
    styles: dict[str, tuple[Token, Token]] = {"+": ("ok_soft", "ok"), "-": ("err_soft", "err")}
    rows: list[str] = []
    for line in lines:
        back, text = map(palette.hex, styles.get(line.sign, ("surface", "text2")))
        shown = escape(f"{line.sign} {line.text}").replace(" ", "&nbsp;")
        rows.append(
            f'<tr><td style="background:{back}; color:{text}; padding:1px 8px">{shown}</td></tr>'
        )
    return f'<table width="100%" cellspacing="0">{"".join(rows)}</table>'


def _lay_out(dialog: QDialog, path: Path, explanation: str, *parts: Part) -> None:
    vbox(
        label(dialog.windowTitle(), font=fonts.semibold(18)),
        label(short_path(path, Path.home()), font=fonts.mono_font(), tint="text2"),
        wrapped(explanation),
        *parts,
        spacing=10,
        margins=(_PADDING, 18, _PADDING, 16),
        parent=dialog,
    )


def preview(connector: AppConnector, app_id: AppId, parent: QWidget) -> None:
    """Show the change in its file before it is made."""

    def show(plan: AppConnectionPlan) -> None:
        dialog = PlanDialog(plan, parent)
        dialog.agreed.connect(connector.connect_planned)
        dialog.manual_setup_requested.connect(lambda: set_up_manually(connector, app_id, parent))
        dialog.open()

    connector.preview(app_id, show)


def set_up_manually(connector: AppConnector, app_id: AppId, parent: QWidget) -> None:
    """Show the entry to paste."""
    app = next(app for app in connector.apps if app.id == app_id)
    dialog = ManualSetupDialog(app, parent)
    dialog.snippet_requested.connect(lambda: connector.snippet(app_id, dialog.show_snippet))
    dialog.open()
