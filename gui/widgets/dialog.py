"""What dialogs share: title and size, changes that apply at once, and the sidebar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QFrame, QPushButton, QWidget

from gui.link.event_bridge import EventBridge
from gui.text.tr import tr
from gui.widgets.buttons import secondary_button
from gui.widgets.changes import Changes, ChangesFooter
from gui.widgets.layouts import Margins, Part, vbox
from gui.widgets.window_size import open_at_size
from router.api.events import ActivityRecorded, Event

_SIDEBAR_WIDTH = 227


class Dialog(QDialog):
    """Opens at `size`, or as much of it as fits; deleted when it is closed."""

    def __init__(self, title: str, size: tuple[int, int], parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        open_at_size(self, *size)


class ChangesDialog(QDialog):
    """Each change in it applies at once. The subclass places `footer`, which can undo them, and
    shows the current state whenever it may have changed."""

    def __init__(
        self, changes: Changes, bridge: EventBridge, padding: int, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.footer = ChangesFooter(changes, padding)
        self.footer.done.connect(self.accept)
        for signal in (changes.saved, changes.undone, changes.failed):
            signal.connect(self.show_state)
        bridge.subscribe(self, self._on_events)

    def show_state(self) -> None:
        """Show what is in force now."""
        raise NotImplementedError

    def keyPressEvent(self, event: QKeyEvent, /) -> None:
        """Enter belongs to the field it is pressed in: no button here is the default one."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def _on_events(self, events: Sequence[Event]) -> None:
        if self.isVisible() and any(not isinstance(each, ActivityRecorded) for each in events):
            self.show_state()


def close_button(dialog: QDialog, text: str = "") -> QPushButton:
    """Closes it without doing anything; never the one that Enter presses."""
    button = secondary_button(text or tr("Close"), on_click=dialog.reject)
    button.setAutoDefault(False)
    return button


def sidebar(*parts: Part, margins: Margins) -> QFrame:
    """The column at the left, where a page is chosen."""
    frame = QFrame()
    frame.setProperty("role", "sidebar")
    frame.setFixedWidth(_SIDEBAR_WIDTH)
    vbox(*parts, spacing=2, margins=margins, parent=frame)
    return frame
