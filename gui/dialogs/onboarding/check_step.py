"""Waits for the first call of an app; turns green when it comes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QWidget

from gui.text.activity_row import activity_row
from gui.text.marks import Mark
from gui.widgets import fonts
from gui.widgets.cards import Card
from gui.widgets.icons import icon
from gui.widgets.labels import label, wrapped
from gui.widgets.layouts import STRETCH, vbox
from gui.widgets.status_mark import StatusMark
from router.api.apps import App, AppState
from router.domain.activity import ActivityEntry, ActivityKind

_TICK_SIZE, _MIN_HEIGHT = 40, 150


class CheckStep(Card):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_green = False
        self._mark = StatusMark(size=28)
        self._mark.set_mark(Mark.WORKING)
        self._tick = label()
        self._tick.setPixmap(icon("circle-check", "ok").pixmap(QSize(_TICK_SIZE, _TICK_SIZE)))
        self._tick.hide()
        self.setMinimumHeight(_MIN_HEIGHT)
        self._title = label(self.tr("Waiting for the first call…"), font=fonts.semibold(16))
        self._detail = wrapped("")
        center = Qt.AlignmentFlag.AlignHCenter
        self._detail.setAlignment(center)
        shown = ((each, 0, center) for each in (self._mark, self._tick, self._title))
        parts = (STRETCH, *shown, self._detail, STRETCH)
        vbox(*parts, spacing=10, margins=(32, 24, 32, 24), parent=self)
        self.show_apps(())

    def show_apps(self, apps: Iterable[App], others: Iterable[str] = ()) -> None:
        """Say which applications to try; `others` were set up manually."""
        if self.is_green:
            return
        names = [app.name for app in apps if app.state is AppState.CONNECTED]
        names += [name for name in others if name not in names]
        if names:
            text = self.tr("Restart {apps}, then ask it to list your tools.")
            self._detail.setText(text.format(apps=self._one_of(names)))
        else:
            self._detail.setText(self.tr("No app is connected yet. Go back to connect one."))

    def _one_of(self, names: Sequence[str]) -> str:
        *some, last = names
        if not some:
            return last
        return self.tr("{some} or {last}").format(some=self.tr(", ").join(some), last=last)

    def record(self, entry: ActivityEntry) -> None:
        """A request reached the router: unless it was refused, the connection works."""
        if self.is_green or entry.kind is ActivityKind.REFUSED:
            return
        self.is_green = True
        row = activity_row(entry)
        self._mark.hide()
        self._tick.show()
        self._title.setText(self.tr("It works: {app} is connected").format(app=row.app))
        self._detail.setText(f"{row.time} · {row.kind} · {row.what}")
