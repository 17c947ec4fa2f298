"""Applications as rows: tile, name, file, what to know, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from gui.components.apps.app_row import AppAction, AppRow, app_row, in_order
from gui.components.apps.connect_dialogs import preview, set_up_manually
from gui.components.apps.connector import AppConnector
from gui.widgets import fonts
from gui.widgets.buttons import link_button, secondary_button
from gui.widgets.cards import Card, ruled
from gui.widgets.labels import ElidedLabel, Pill, Tile, label
from gui.widgets.layouts import NO_MARGINS, STRETCH, clear, row_widget, vbox
from router.api.apps import App, AppId, AppState

ROW_HEIGHT = 51


class AppList(Card):
    """`choosable`: those that can be connected have a tick, and all of them are ticked at first."""

    choice_changed = Signal()

    def __init__(self, connector: AppConnector, *, choosable: bool = False) -> None:
        super().__init__()
        self._actions: dict[AppAction, Callable[[AppId], object]] = {
            AppAction.PREVIEW: partial(preview, connector, parent=self),
            AppAction.DISCONNECT: connector.disconnect_app,
            AppAction.MANUAL_SETUP: partial(set_up_manually, connector, parent=self),
        }
        self._choosable = choosable
        self._apps: tuple[App, ...] = ()
        self._unticked: set[AppId] = set()
        self._ticks: dict[AppId, QCheckBox] = {}
        looking = label(self.tr("Looking for your apps…"), tint="text3")
        looking.setFixedHeight(ROW_HEIGHT)
        self._column = vbox(looking, margins=(17, 3, 17, 3), parent=self)

    def show_apps(self, apps: tuple[App, ...]) -> None:
        if apps == self._apps:
            return
        self._apps = apps
        self._ticks.clear()
        rows = QWidget()
        parts = ruled(self._row(app) for app in in_order(apps))
        vbox(*parts, spacing=0, margins=NO_MARGINS, parent=rows)
        clear(self._column)
        self._column.addWidget(rows)
        self.choice_changed.emit()

    def chosen(self) -> Sequence[AppId]:
        """What is ticked, in the order of the rows."""
        return [app_id for app_id, tick in self._ticks.items() if tick.isChecked()]

    def _row(self, app: App) -> QWidget:
        line = app_row(app, Path.home())
        return row_widget(
            self._tick(app) if self._choosable else None,
            Tile(app.name, 28),
            (_texts(app, line), 1),
            Pill(line.badge, line.tone) if line.badge else None,
            self._button(app, line),
            height=ROW_HEIGHT,
        )

    def _tick(self, app: App) -> QWidget:
        if app.state is not AppState.FOUND:
            gap = QWidget()
            gap.setFixedWidth(16)
            return gap
        tick = QCheckBox()
        tick.setAccessibleName(self.tr("Connect {name}").format(name=app.name))
        tick.setFixedWidth(16)
        tick.setChecked(app.id not in self._unticked)
        tick.toggled.connect(lambda: self._remember(app.id, tick.isChecked()))
        self._ticks[app.id] = tick
        return tick

    def _remember(self, app_id: AppId, ticked: bool) -> None:
        (self._unticked.discard if ticked else self._unticked.add)(app_id)
        self.choice_changed.emit()

    def _button(self, app: App, line: AppRow) -> QWidget:
        link = self._choosable or line.action is AppAction.MANUAL_SETUP
        text = line.action_text
        if app.state is AppState.FOUND and not self._choosable:
            text = self.tr("Connect…")
        button = link_button(text) if link else secondary_button(text)
        button.setAccessibleName(f"{text}: {app.name}")
        button.clicked.connect(lambda: self._actions[line.action](app.id))
        return button


def _texts(app: App, line: AppRow) -> QVBoxLayout:
    usable = app.state in (AppState.CONNECTED, AppState.FOUND)
    name = label(app.name, font=fonts.medium(), tint="text1" if usable else "text2")
    detail = ElidedLabel(
        line.detail,
        elide=Qt.TextElideMode.ElideMiddle,
        font=fonts.mono_font(fonts.LABEL) if usable else fonts.ui_font(12),
        tint="text2",
    )
    return vbox(STRETCH, name, detail, STRETCH, spacing=1)
