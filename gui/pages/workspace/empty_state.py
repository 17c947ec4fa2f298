"""Shown in a workspace without servers: how to add the first one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal

from gui.components.apps.app_row import found_sentence
from gui.link.commands import Commands
from gui.widgets import fonts
from gui.widgets.buttons import primary_button, secondary_button
from gui.widgets.cards import Card
from gui.widgets.labels import IconLabel, centered
from gui.widgets.layouts import STRETCH, hbox, vbox
from router.api.apps import FoundServers
from router.api.router import RouterPort


class EmptyState(Card):
    add_requested = Signal()
    import_requested = Signal(object)
    """The `FoundServers` in other applications."""
    file_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._import = primary_button("", "download")
        self._import.clicked.connect(lambda: self.import_requested.emit(self._found))
        add = self.add_requested
        self._add = primary_button(self.tr("Add server"), "plus", on_click=add)
        self._by_hand = secondary_button(self.tr("Add manually"), "plus", on_click=add)
        import_file = secondary_button(
            self.tr("Import from file…"), "folder-open", on_click=self.file_requested
        )
        adding = (self._import, self._add, self._by_hand, import_file)
        buttons = hbox(STRETCH, *adding, STRETCH, spacing=8)
        self._explanation = centered(tint="text2")
        headline = self.tr("No servers in this workspace yet")
        drop = self.tr("You can also drop an mcp.json file here, or paste a snippet.")
        vbox(
            STRETCH,
            (IconLabel("plug-zap", "accent", 40), 0, Qt.AlignmentFlag.AlignHCenter),
            16,
            centered(headline, font=fonts.semibold(18), tint="text1"),
            6,
            self._explanation,
            18,
            buttons,
            14,
            centered(drop, font=fonts.ui_font(fonts.SMALL)),
            STRETCH,
            spacing=0,
            parent=self,
        )
        self.show_findings(FoundServers(()))

    def load(self, router: RouterPort, commands: Commands) -> None:
        """Look for servers in other applications' files."""
        commands.run(self, router.apps.find_servers(), on_done=self.show_findings)

    def show_findings(self, findings: FoundServers) -> None:
        """Show which servers other applications on this computer have."""
        self._found, found = findings, findings.servers
        self._explanation.setText(
            found_sentence(found) if found else self.tr("Add one with its command or URL.")
        )
        self._import.setText(self.tr("Import %n servers…", "", len(found)))
        self._import.setVisible(bool(found))
        self._by_hand.setVisible(bool(found))
        self._add.setVisible(not found)
