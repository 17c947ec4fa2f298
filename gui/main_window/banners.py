"""What the main window's strips say: that a wish failed, that nobody can connect, that a file or a
list is in trouble; and that it is over.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices

from gui.text.errors import hint_of, message_of, shown
from gui.widgets.banner import Banners
from router.errors import ToolboothError
from router.model import ListenerPhase, ListenerState, ServerRef


class Notices(Banners):
    settings_requested = Signal()

    def show_error(self, error: ToolboothError) -> None:
        self.put("command", message_of(error), hint_of(error), tone="err")

    def show_listener(self, state: ListenerState) -> None:
        if state.phase is not ListenerPhase.FAILED:
            self.clear("listener")
            return
        self.put(
            "listener",
            shown(state.message or "") or self.tr("The router could not start listening."),
            self.tr("No app can connect until this is mended."),
            tone="err",
            buttons=[(self.tr("Settings…"), self.settings_requested.emit)],
        )

    def show_unkept(self, ref: ServerRef, reason: str) -> None:
        """A server's list could not be saved; without `reason`, that it is by now."""
        subject = f"list of {ref}"
        if not reason:
            self.clear(subject)
            return
        self.put(
            subject,
            self.tr("The tools of {name} are known, but could not be saved").format(
                name=ref.server
            ),
            reason,
        )

    def show_rejected(self, path: Path, line: int | None, reason: str) -> None:
        place = str(path)
        if line is not None:
            place = self.tr("{path}, line {line}").format(path=path, line=line)
        self.put(
            str(path),
            self.tr("{name} can’t be used; what was good before stays").format(name=path.name),
            f"{place}: {shown(reason)}",
            buttons=[(self.tr("Open file"), lambda: _open(path))],
        )

    def show_accepted(self, path: Path) -> None:
        self.clear(str(path))


def _open(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
