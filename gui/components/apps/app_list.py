"""Applications as rows: tile, name, file, what to know, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from gui.components.apps.app_row import AppAction, AppRow, app_row, in_order
from gui.widgets import fonts
from gui.widgets.buttons import link_button, secondary_button
from gui.widgets.cards import Card, ruled
from gui.widgets.labels import ElidedLabel, Pill, Tile, label
from gui.widgets.layouts import NO_MARGINS, STRETCH, clear, hbox, vbox
from router.api.apps import ClientApp, ClientId

ROW_HEIGHT = 51


class AppList(Card):
    """`choosable`: those that can be connected have a tick, and all of them are ticked at first."""

    preview_requested = Signal(str)
    disconnect_requested = Signal(str)
    by_hand_requested = Signal(str)
    """Each with the `ClientId`."""
    choice_changed = Signal()

    def __init__(self, *, choosable: bool = False) -> None:
        super().__init__()
        self._choosable = choosable
        self._apps: tuple[ClientApp, ...] = ()
        self._unticked: set[ClientId] = set()
        self._ticks: dict[ClientId, QCheckBox] = {}
        looking = label(self.tr("Looking for your apps…"), tint="text3")
        looking.setFixedHeight(ROW_HEIGHT)
        self._column = vbox(looking, margins=(17, 3, 17, 3), parent=self)

    def show_apps(self, apps: tuple[ClientApp, ...]) -> None:
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

    def chosen(self) -> Sequence[ClientId]:
        """What is ticked, in the order of the rows."""
        return [client for client, tick in self._ticks.items() if tick.isChecked()]

    def _row(self, app: ClientApp) -> QWidget:
        line = app_row(app, Path.home())
        row = QWidget()
        row.setFixedHeight(ROW_HEIGHT)
        across = hbox(spacing=12, margins=NO_MARGINS, parent=row)
        if self._choosable:
            across.addWidget(self._tick(app, line), 0, Qt.AlignmentFlag.AlignVCenter)
        across.addWidget(Tile(app.name, 28))
        across.addLayout(_texts(app, line), 1)
        if line.badge:
            across.addWidget(Pill(line.badge, line.tone))
        across.addWidget(self._button(app, line))
        return row

    def _tick(self, app: ClientApp, line: AppRow) -> QWidget:
        if not line.can_connect:
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

    def _remember(self, client: ClientId, ticked: bool) -> None:
        (self._unticked.discard if ticked else self._unticked.add)(client)
        self.choice_changed.emit()

    def _button(self, app: ClientApp, line: AppRow) -> QWidget:
        link = self._choosable or line.action is AppAction.BY_HAND
        text = line.action_text if link or not line.can_connect else self.tr("Connect…")
        button = link_button(text) if link else secondary_button(text)
        button.setAccessibleName(f"{text}: {app.name}")
        signal = {
            AppAction.PREVIEW: self.preview_requested,
            AppAction.DISCONNECT: self.disconnect_requested,
            AppAction.BY_HAND: self.by_hand_requested,
        }[line.action]
        button.clicked.connect(lambda: signal.emit(app.id))
        return button


def _texts(app: ClientApp, line: AppRow) -> QVBoxLayout:
    name = label(app.name, font=fonts.medium(), tint="text1" if line.detail_is_path else "text2")
    detail = ElidedLabel(
        line.detail,
        elide=Qt.TextElideMode.ElideMiddle,
        font=fonts.mono_font(fonts.LABEL) if line.detail_is_path else fonts.ui_font(12),
        tint="text2",
    )
    return vbox(STRETCH, name, detail, STRETCH, spacing=1)
