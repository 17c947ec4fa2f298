"""What a workspace without servers shows: how to get the first one in."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel

from gui.components.apps.app_row import found_sentence
from gui.link.commands import Commands
from gui.widgets import fonts
from gui.widgets.buttons import primary_button, secondary_button
from gui.widgets.cards import Card
from gui.widgets.labels import IconLabel, label
from gui.widgets.layouts import STRETCH, hbox, vbox
from gui.widgets.palette import Token
from router.api.apps import FoundServers
from router.api.router import RouterPort


class EmptyState(Card):
    add_requested = Signal()
    import_requested = Signal(object)
    """The `FoundServers` in other applications."""
    file_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._found = FoundServers(())
        self._import = primary_button("", "download")
        self._import.clicked.connect(lambda: self.import_requested.emit(self._found))
        self._import.hide()
        self._add = primary_button(self.tr("Add server"), "plus")
        self._by_hand = secondary_button(self.tr("Add manually"), "plus")
        self._by_hand.hide()
        for add in (self._add, self._by_hand):
            add.clicked.connect(self.add_requested)
        from_file = secondary_button(self.tr("Import from file…"), "folder-open")
        from_file.clicked.connect(self.file_requested)
        buttons = hbox(
            STRETCH, self._import, self._add, self._by_hand, from_file, STRETCH, spacing=8
        )
        self._explanation = _line("", fonts.ui_font(), "text2")
        drop = self.tr("You can also drop an mcp.json file here, or paste a snippet.")
        vbox(
            STRETCH,
            (IconLabel("plug-zap", "accent", 40), 0, Qt.AlignmentFlag.AlignHCenter),
            16,
            _line(self.tr("No servers in this workspace yet"), fonts.semibold(18)),
            6,
            self._explanation,
            18,
            buttons,
            14,
            _line(drop, fonts.ui_font(fonts.SMALL), "text3"),
            STRETCH,
            spacing=0,
            parent=self,
        )
        self.show_findings(FoundServers(()))

    def load(self, router: RouterPort, commands: Commands) -> None:
        """Look for servers in other applications' files."""
        commands.run(self, router.apps.find_servers(), on_done=self.show_findings)

    def show_findings(self, findings: FoundServers) -> None:
        """Name what other applications on this computer have."""
        self._found, found = findings, findings.servers
        self._explanation.setText(
            found_sentence(found) if found else self.tr("Add one with its command or URL.")
        )
        self._import.setText(self.tr("Import %n servers…", "", len(found)))
        self._import.setVisible(bool(found))
        self._by_hand.setVisible(bool(found))
        self._add.setVisible(not found)


def _line(text: str, font: QFont, tint: Token = "text1") -> QLabel:
    line = label(text, font=font, tint=tint)
    line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    line.setWordWrap(True)
    return line
