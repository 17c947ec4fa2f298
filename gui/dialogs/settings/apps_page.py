"""The Connected apps page: the address apps connect to, and the tokens they connect with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.components.apps.panel import AppsPanel
from gui.dialogs.settings.changes import SettingsChanges
from gui.dialogs.settings.new_token import NewToken
from gui.dialogs.settings.page import SettingsPage, heading
from gui.link.commands import Commands
from gui.text import formats
from gui.widgets import fonts
from gui.widgets.buttons import CopyButton, secondary_button
from gui.widgets.cards import RowCard
from gui.widgets.labels import Tile, label
from gui.widgets.layouts import clear, hbox, row_widget, vbox
from gui.widgets.message_box import ask
from gui.widgets.searchable import searchable
from router.api.apps import AppConnection
from router.api.router import RouterPort
from router.domain.clients import TokenSummary
from router.runtime.clock import utc_now


class AppsSettingsPage(SettingsPage):
    icon_name = "plug"

    def __init__(
        self,
        router: RouterPort,
        changes: SettingsChanges,
        commands: Commands,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__(self.tr("Connected apps"), router, changes)
        self._commands = commands
        self._clock = clock
        self._new = NewToken(router, commands)
        self._new.hide()
        self._panel = AppsPanel(router, commands)
        self._panel.done.connect(self._offer_undo)
        searchable(
            self._panel, self.tr("connect, disconnect, clients, mcp.json, config files, setup")
        )
        self.cards.addWidget(self._panel)
        self._add_address()
        self._tokens = QVBoxLayout()
        self._shown: list[tuple[TokenSummary, str]] = []
        self.cards.addLayout(self._token_heading())
        self.cards.addWidget(self._new)
        self.cards.addLayout(self._tokens)

    def show_state(self) -> None:
        self._address.setText(
            self.router.endpoint.state().url or self.tr("The router is not running.")
        )
        if self.isVisible():
            self._panel.load()
        lines = [(token, self._detail(token)) for token in self.router.tokens.list()]
        if lines != self._shown or not self._tokens.count():
            self._shown = lines
            clear(self._tokens)
            self._tokens.addWidget(self._token_card())

    def showEvent(self, event: QShowEvent, /) -> None:
        super().showEvent(event)
        self._panel.load()

    def _offer_undo(self, what: str, connection: AppConnection) -> None:
        self.changes.done(lambda: self.router.apps.undo(connection), what)

    def forget_secrets(self) -> None:
        self._new.dismiss()

    def _add_address(self) -> None:
        copy = CopyButton(self.tr("Copy MCP URL"), lambda: self.router.endpoint.state().url or "")
        card = RowCard()
        where = self.tr("address, endpoint, localhost, server URL")
        self._address = card.add_row(self.tr("MCP URL"), "", copy, words=where)
        self._address.setFont(fonts.mono_font())
        card.add_row(
            self.tr("Header"),
            self.tr("Each app sends its own token: Authorization: Bearer <token>"),
        )
        self.cards.addWidget(card)

    def _token_heading(self) -> QHBoxLayout:
        create = secondary_button(self.tr("New token"), "plus", on_click=self._new.start)
        searchable(create, self.tr("tokens, API key, secret, revoke, expiry, snippet, access"))
        return hbox((heading(self.tr("Tokens")), 1), create)

    def _token_card(self) -> RowCard:
        card = RowCard()
        for token, detail in self._shown:
            card.add_widget(self._token_row(token, detail))
        if not self._shown:
            card.add_row(
                self.tr("No tokens yet"),
                self.tr(
                    "Create one for each app, so that you can track and revoke them individually."
                ),
            )
        return card

    def _token_row(self, token: TokenSummary, detail: str) -> QWidget:
        revoke = secondary_button(self.tr("Revoke…"), on_click=lambda: self._ask_to_revoke(token))
        revoke.setAccessibleName(self.tr("Revoke the token of {name}").format(name=token.name))
        texts = vbox(
            label(token.name, font=fonts.medium()),
            label(detail, font=fonts.ui_font(fonts.SMALL), tint="text2"),
            spacing=1,
        )
        return row_widget(Tile(token.name, 32), (texts, 1), revoke, margins=(0, 9, 0, 9))

    def _detail(self, token: TokenSummary) -> str:
        parts = [self._scope(token), self._last_used(token), *self._expiry(token)]
        return " · ".join(parts)

    def _expiry(self, token: TokenSummary) -> list[str]:
        if token.expires_at is None:
            return []
        if token.expires_at <= self._clock():
            return [self.tr("expired")]
        day = token.expires_at.astimezone().date().isoformat()
        return [self.tr("until {day}").format(day=day)]

    def _scope(self, token: TokenSummary) -> str:
        if token.workspace is None:
            return self.tr("The active workspace")
        names = {each.id: each.name for each in self.router.workspaces.list()}
        workspace = names.get(token.workspace, token.workspace)
        if token.project is not None and token.workspace in names:
            projects = {each.id: each.name for each in self.router.projects.list(token.workspace)}
            workspace = f"{workspace} · {projects.get(token.project, token.project)}"
        if token.servers is not None:
            workspace = f"{workspace} · {', '.join(token.servers)}"
        return self.tr("Only {name}").format(name=workspace)

    def _last_used(self, token: TokenSummary) -> str:
        if token.last_used_at is None:
            return self.tr("never used")
        when = formats.ago(token.last_used_at, self._clock())
        return self.tr("last used {ago}").format(ago=when)

    def _ask_to_revoke(self, token: TokenSummary) -> None:
        ask(
            self,
            self.tr("Revoke the token of {name}?").format(name=token.name),
            self.tr("The app is disconnected immediately. This can’t be undone."),
            yes=self.tr("Revoke"),
            on_yes=lambda: self._commands.run(self, self.router.tokens.revoke(token.id)),
        )
