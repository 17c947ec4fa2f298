"""What a workspace without servers shows: how to get the first one in."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gui.components.apps.presentation import found_sentence
from gui.link.commands import Commands
from gui.widgets import fonts, icons
from gui.widgets.buttons import primary_button, secondary_button
from gui.widgets.cards import Card
from gui.widgets.labels import label
from gui.widgets.palette import Token
from gui.widgets.theme import theme
from router.api.apps import FoundServers
from router.api.router import RouterPort


class EmptyState(Card):
    add_requested = Signal()
    import_requested = Signal(object)
    """The `FoundServers` in other applications."""
    file_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self._import, self._add, self._by_hand, from_file):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setSpacing(0)
        column.addStretch(1)
        column.addWidget(_Picture(), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(16)
        column.addWidget(_line(self.tr("No servers in this workspace yet"), fonts.semibold(18)))
        column.addSpacing(6)
        self._explanation = _line("", fonts.ui_font(), "text2")
        column.addWidget(self._explanation)
        column.addSpacing(18)
        column.addLayout(buttons)
        column.addSpacing(14)
        drop = self.tr("You can also drop an mcp.json file here, or paste a snippet.")
        column.addWidget(_line(drop, fonts.ui_font(fonts.SMALL), "text3"))
        column.addStretch(1)
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


class _Picture(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(QSize(40, 40))

    def paintEvent(self, event: QPaintEvent, /) -> None:
        icons.draw(QPainter(self), "plug-zap", QRectF(self.rect()), theme().palette.accent)


def _line(text: str, font: QFont, tint: Token = "text1") -> QLabel:
    line = label(text, font=font, tint=tint)
    line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    line.setWordWrap(True)
    return line
