"""The small pages of the settings dialog: General, Network, Activity, About."""

from __future__ import annotations

import platform

from PySide6 import __version__ as qt_version
from PySide6.QtWidgets import QWidget

from gui.desktop.autostart import Registration, system_autostart
from gui.desktop.url_scheme import system_links
from gui.dialogs.settings.changes import SettingsChanges
from gui.dialogs.settings.page import SettingsPage, description, heading
from gui.text.marks import listener_text
from gui.widgets import fonts
from gui.widgets.buttons import CopyButton, Toggle
from gui.widgets.cards import RowCard
from gui.widgets.labels import Message, label, wrapped
from gui.widgets.layouts import STRETCH, row_widget
from gui.widgets.number_field import NumberField
from gui.widgets.searchable import searchable
from gui.widgets.status_mark import StatusMark
from router import __version__
from router.api.router import RouterPort

LICENCES = (
    ("Toolbooth", "MIT"),
    ("Qt, PySide6", "LGPL-3.0"),
    ("MCP Python SDK, pydantic, keyring, platformdirs, filelock, anyio", "MIT"),
    ("Starlette, Uvicorn, HTTPX2", "BSD-3-Clause"),
    ("qasync", "BSD-2-Clause"),
    ("uvloop", "MIT, Apache-2.0"),
    ("Lucide", "ISC"),
)


class GeneralPage(SettingsPage):
    icon_name = "sliders-horizontal"

    def __init__(self, router: RouterPort, changes: SettingsChanges) -> None:
        super().__init__(self.tr("General"), router, changes)
        look = RowCard()
        self.add_choice(
            look,
            "theme",
            self.tr("Theme"),
            (
                ("system", self.tr("System")),
                ("light", self.tr("Light")),
                ("dark", self.tr("Dark")),
            ),
            words=self.tr("appearance, look, colours, colors, dark mode, night mode, bright"),
        )
        self.add_choice(
            look,
            "language",
            self.tr("Language"),
            (("system", self.tr("System")), ("en", "English"), ("ja", "日本語")),
            words=self.tr("locale, translation, Japanese, English"),
        )
        self._entries: list[tuple[Registration, Toggle]] = []
        starting = RowCard()
        self._add_entry(
            starting,
            system_autostart(),
            self.tr("Start at login"),
            self.tr(
                "Starts with only the tray icon, so that your apps can use their tools right away."
            ),
            refusal=self.tr("Couldn’t change start at login."),
            words=self.tr("autostart, startup, boot, launch, log in, sign in to the computer"),
        )
        self.add_toggle(
            starting,
            "start_hidden",
            self.tr("Start hidden"),
            words=self.tr("minimised, minimized, background, tray, launch"),
        )
        if (links := system_links()) is not None:
            self._add_entry(
                starting,
                links,
                self.tr("Open toolbooth:// links"),
                self.tr("Also adds Toolbooth to the application menu."),
                refusal=self.tr("Couldn’t change how links are opened."),
                words=self.tr("URL scheme, deep link, browser, install link, desktop entry"),
            )
        self.add_cards(look, heading(self.tr("Start")), starting)

    def show_state(self) -> None:
        super().show_state()
        for entry, toggle in self._entries:
            toggle.setChecked(entry.is_on())

    def _add_entry(
        self, card: RowCard, entry: Registration, title: str, text: str, *, refusal: str, words: str
    ) -> None:
        """A row for an entry of the operating system; `refusal` is shown if it can't be changed."""
        switch = self.changes.switch
        toggle = Toggle(title, on_click=lambda on: switch(entry, on, refusal))
        self._entries.append((entry, toggle))
        card.add_row(title, text, toggle, words=words)


class NetworkPage(SettingsPage):
    icon_name = "globe"

    def __init__(self, router: RouterPort, changes: SettingsChanges) -> None:
        super().__init__(self.tr("Network"), router, changes)
        self._status, self._mark = label(font=fonts.medium()), StatusMark()
        self._address = label(font=fonts.mono_font(), tint="text2")
        self._message = Message("err")
        self._port = self._port_field()
        self._add_cards()

    def show_state(self) -> None:
        super().show_state()
        listener = self.router.endpoint.state()
        text, mark = listener_text(listener.phase)
        self._status.setText(text)
        self._mark.set_mark(mark)
        self._address.setText(listener.url or "")
        self._message.show_text(listener.message or "")
        self._port.show_value(self.router.settings.current().port)

    def _add_cards(self) -> None:
        where = RowCard()
        where.add_widget(self._status_row())
        takes_effect = self.tr("Takes effect immediately. Apps need the new URL.")
        where.add_row(
            self.tr("Port"),
            f"{description('port')} {takes_effect}",
            self._port,
            words=self.tr("address, URL, localhost, listen, taken"),
        )
        rules = RowCard()
        self.add_number(
            rules,
            "call_timeout_s",
            self.tr("Call timeout, in seconds"),
            86400,
            step=30,
            words=self.tr("timeout, time limit, slow, hang"),
        )
        self.add_number(
            rules,
            "message_limit_mb",
            self.tr("Message limit, in MB"),
            1024,
            words=self.tr("large result, too large, size, memory"),
        )
        self.add_number(
            rules,
            "session_limit",
            self.tr("Session limit"),
            100_000,
            step=100,
            words=self.tr("too many sessions, connections, clients, 503"),
        )
        self.add_cards(where, self._message, rules)

    def _status_row(self) -> QWidget:
        copy = CopyButton(self.tr("Copy MCP URL"), self._address.text)
        parts = (self._mark, self._status, STRETCH, self._address, copy)
        row = row_widget(*parts, spacing=8, margins=(0, 8, 0, 8))
        searchable(row, self.tr("status, running, address, URL, endpoint"))
        return row

    def _port_field(self) -> NumberField:
        field = NumberField(self.tr("Port"), 0, 65535)
        field.setSpecialValueText(self.tr("Automatic"))
        field.setFixedWidth(92)
        field.valueChanged.connect(self.changes.setter("port"))
        return field


class ActivitySettingsPage(SettingsPage):
    icon_name = "activity"

    def __init__(self, router: RouterPort, changes: SettingsChanges) -> None:
        super().__init__(self.tr("Activity"), router, changes)
        kept, written = RowCard(), RowCard()
        history = self.tr("history, retention, log, delete old, disk space, storage")
        self.add_number(kept, "activity_days", self.tr("Days to keep"), 3650, words=history)
        self.add_number(
            kept, "activity_mb", self.tr("Maximum size, in MB"), 4096, step=16, words=history
        )
        self.add_toggle(
            written,
            "log_arguments",
            self.tr("Log arguments and search queries"),
            words=self.tr("privacy, logging, parameters, record"),
        )
        privacy = self.tr(
            "The log stays on this computer. Known secrets are redacted. Without arguments, it "
            "records only who called what, when, and how many tokens it used."
        )
        self.add_cards(kept, written, wrapped(privacy))


class AboutPage(SettingsPage):
    icon_name = "info"

    def __init__(self, router: RouterPort, changes: SettingsChanges) -> None:
        super().__init__(self.tr("About"), router, changes)
        versions = f"Toolbooth {__version__} · Python {platform.python_version()} · Qt {qt_version}"
        card = RowCard()
        card.add_row(
            f"Toolbooth {__version__}",
            self.tr("One local endpoint for all your MCP servers."),
            CopyButton(self.tr("Copy version details"), lambda: versions),
            words=self.tr("version, update, help, support"),
        )
        licences = RowCard()
        for product, licence in LICENCES:
            licences.add_row(product, licence, words=self.tr("licences, licenses, open source"))
        self.add_cards(card, heading(self.tr("Licences")), licences)
