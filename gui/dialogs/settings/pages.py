"""The small pages of the settings dialog: General, Network, Activity, About."""

from __future__ import annotations

import platform

from PySide6 import __version__ as qt_version
from PySide6.QtWidgets import QWidget

from gui.desktop.autostart import system_autostart
from gui.desktop.url_scheme import system_links
from gui.dialogs.settings.changes import SettingsChanges
from gui.dialogs.settings.page import SettingsPage, description, heading
from gui.text.presentation import listener_text
from gui.widgets import fonts
from gui.widgets.buttons import CopyButton, Segmented, Toggle
from gui.widgets.cards import RowCard
from gui.widgets.labels import label, wrapped
from gui.widgets.layouts import hbox
from gui.widgets.number_field import NumberField, Stepper
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
        self._theme = Segmented(
            self.tr("Theme"),
            (
                ("system", self.tr("System")),
                ("light", self.tr("Light")),
                ("dark", self.tr("Dark")),
            ),
        )
        self._theme.changed.connect(changes.setter("theme"))
        self._language = Segmented(
            self.tr("Language"),
            (("system", self.tr("System")), ("en", "English"), ("ja", "日本語")),
        )
        self._language.changed.connect(changes.setter("language"))
        card = RowCard()
        card.add_row(
            self.tr("Theme"),
            description("theme"),
            self._theme,
            words=self.tr("appearance, look, colours, colors, dark mode, night mode, bright"),
        )
        card.add_row(
            self.tr("Language"),
            description("language"),
            self._language,
            words=self.tr("locale, translation, Japanese, English"),
        )
        self._autostart = system_autostart()
        self._at_login = Toggle(self.tr("Start at login"))
        self._at_login.clicked.connect(self._switch_autostart)
        self._hidden = Toggle(self.tr("Start hidden"))
        self._hidden.clicked.connect(changes.setter("start_hidden"))
        self._links = system_links()
        self._opens_links = Toggle(self.tr("Open toolbooth:// links"))
        self._opens_links.clicked.connect(self._switch_links)
        starting = RowCard()
        at_once = self.tr(
            "Starts with only the tray icon, so that your apps can use their tools right away."
        )
        starting.add_row(
            self.tr("Start at login"),
            at_once,
            self._at_login,
            words=self.tr("autostart, startup, boot, launch, log in, sign in to the computer"),
        )
        starting.add_row(
            self.tr("Start hidden"),
            description("start_hidden"),
            self._hidden,
            words=self.tr("minimised, minimized, background, tray, launch"),
        )
        if self._links is not None:
            shown = self.tr("Also adds Toolbooth to the application menu.")
            starting.add_row(
                self.tr("Open toolbooth:// links"),
                shown,
                self._opens_links,
                words=self.tr("URL scheme, deep link, browser, install link, desktop entry"),
            )
        self.column.addWidget(card)
        self.column.addWidget(heading(self.tr("Start")))
        self.column.addWidget(starting)

    def show_state(self) -> None:
        settings = self.router.settings.current()
        self._theme.set_current(settings.theme)
        self._language.set_current(settings.language)
        self._at_login.setChecked(self._autostart.is_on())
        self._hidden.setChecked(settings.start_hidden)
        self._opens_links.setChecked(self._links is not None and self._links.is_on())

    def _switch_links(self, on: bool) -> None:
        if self._links is not None:
            refusal = self.tr("Couldn’t change how links are opened.")
            self.changes.switch(self._links, on, refusal)

    def _switch_autostart(self, on: bool) -> None:
        refusal = self.tr("Couldn’t change start at login.")
        self.changes.switch(self._autostart, on, refusal)


class NetworkPage(SettingsPage):
    icon_name = "globe"

    def __init__(self, router: RouterPort, changes: SettingsChanges) -> None:
        super().__init__(self.tr("Network"), router, changes)
        self._status, self._mark = label(font=fonts.medium()), StatusMark()
        self._address = label(font=fonts.mono_font(), tint="text2")
        self._message = wrapped("", tint="err")
        self._port = self._port_field()
        self._timeout = Stepper(self.tr("Call timeout, in seconds"), 1, 86400, step=30)
        self._timeout.changed.connect(changes.setter("call_timeout_s"))
        self._add_cards()

    def show_state(self) -> None:
        settings, listener = self.router.settings.current(), self.router.endpoint.state()
        text, mark = listener_text(listener.phase)
        self._status.setText(text)
        self._mark.set_mark(mark)
        self._address.setText(listener.url or "")
        self._message.setText(listener.message or "")
        self._message.setVisible(bool(listener.message))
        self._port.show_value(settings.port)
        self._timeout.set_value(round(settings.call_timeout_s))

    def _add_cards(self) -> None:
        where = RowCard()
        where.add_widget(self._status_row())
        where.add_row(
            self.tr("Port"),
            " ".join(
                (
                    description("port"),
                    self.tr("Takes effect immediately. Apps need the new URL."),
                )
            ),
            self._port,
            words=self.tr("address, URL, localhost, listen, taken"),
        )
        rules = RowCard()
        rules.add_row(
            self.tr("Call timeout, in seconds"),
            description("call_timeout_s"),
            self._timeout,
            words=self.tr("timeout, time limit, slow, hang"),
        )
        self.column.addWidget(where)
        self.column.addWidget(self._message)
        self.column.addWidget(rules)

    def _status_row(self) -> QWidget:
        row = QWidget()
        searchable(row, self.tr("status, running, address, URL, endpoint"))
        line = hbox(spacing=8, margins=(0, 8, 0, 8), parent=row)
        copy = CopyButton(self.tr("Copy MCP URL"), self._address.text)
        for widget in (self._mark, self._status):
            line.addWidget(widget)
        line.addStretch(1)
        for widget in (self._address, copy):
            line.addWidget(widget)
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
        self._days = Stepper(self.tr("Days to keep"), 1, 3650)
        self._days.changed.connect(changes.setter("activity_days"))
        self._size = Stepper(self.tr("Maximum size, in MB"), 1, 4096, step=16)
        self._size.changed.connect(changes.setter("activity_mb"))
        self._texts = Toggle(self.tr("Log arguments and search queries"))
        self._texts.clicked.connect(changes.setter("log_arguments"))
        kept, written = RowCard(), RowCard()
        history = self.tr("history, retention, log, delete old, disk space, storage")
        kept.add_row(
            self.tr("Days to keep"), description("activity_days"), self._days, words=history
        )
        kept.add_row(
            self.tr("Maximum size, in MB"), description("activity_mb"), self._size, words=history
        )
        written.add_row(
            self.tr("Log arguments and search queries"),
            description("log_arguments"),
            self._texts,
            words=self.tr("privacy, logging, parameters, record"),
        )
        self.column.addWidget(kept)
        self.column.addWidget(written)
        self.column.addWidget(
            wrapped(
                self.tr(
                    "The log stays on this computer. Known secrets are redacted. Without "
                    "arguments, it records only who called what, when, and how many tokens it "
                    "used."
                )
            )
        )

    def show_state(self) -> None:
        settings = self.router.settings.current()
        self._days.set_value(settings.activity_days)
        self._size.set_value(settings.activity_mb)
        self._texts.setChecked(settings.log_arguments)


class AboutPage(SettingsPage):
    icon_name = "info"

    def __init__(self, router: RouterPort, changes: SettingsChanges) -> None:
        super().__init__(self.tr("About"), router, changes)
        versions = f"Toolbooth {__version__} · Python {platform.python_version()} · Qt {qt_version}"
        card = RowCard()
        card.add_row(
            f"Toolbooth {__version__}",
            self.tr("One door for all your MCP servers."),
            CopyButton(self.tr("Copy version details"), lambda: versions),
            words=self.tr("version, update, help, support"),
        )
        licences = RowCard()
        for product, licence in LICENCES:
            licences.add_row(product, licence, words=self.tr("licences, licenses, open source"))
        self.column.addWidget(card)
        self.column.addWidget(heading(self.tr("Licences")))
        self.column.addWidget(licences)
