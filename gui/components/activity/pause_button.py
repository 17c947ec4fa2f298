"""The button that pauses a live list, and the badge that shows its state."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.components.activity.model import ActivityModel
from gui.text.marks import Tone
from gui.widgets.buttons import IconButton
from gui.widgets.icons import icon
from gui.widgets.labels import Pill


class PauseControl(QObject):
    """The screen places `badge` and `button`; they control the model after `attach`."""

    def __init__(self, *, bordered: bool = False) -> None:
        super().__init__()
        self.badge = Pill(self.tr("Live"), Tone.OK)
        self.button = IconButton("pause", self.tr("Pause"), bordered=bordered)
        self.button.setCheckable(True)
        self._model: ActivityModel | None = None

    def attach(self, model: ActivityModel) -> None:
        self._model = model
        self.button.toggled.connect(self._set_paused)
        model.waiting_changed.connect(self._show_waiting)

    def _set_paused(self, paused: bool) -> None:
        self.button.setIcon(icon("play" if paused else "pause"))
        self.button.describe(self.tr("Resume") if paused else self.tr("Pause"))
        if self._model is not None:
            self._model.set_paused(paused)

    def _show_waiting(self, waiting: int) -> None:
        if not self.button.isChecked():
            self.badge.show_as(self.tr("Live"), Tone.OK)
        elif waiting:
            self.badge.show_as(self.tr("Paused, %n new", "", waiting), Tone.WARN)
        else:
            self.badge.show_as(self.tr("Paused"), Tone.WARN)
