"""Connected apps, as a page of the main window."""

from __future__ import annotations

from PySide6.QtCore import Signal

from gui.components.apps.panel import AppsPanel
from gui.link.commands import Commands
from gui.widgets.buttons import secondary_button
from gui.widgets.page_frame import PageFrame
from router.ports import RouterPort


class AppsPage(PageFrame):
    tokens_requested = Signal()
    guide_requested = Signal()

    def __init__(self, router: RouterPort, commands: Commands) -> None:
        tokens = secondary_button(self.tr("Tokens…"), "key-round")
        guide = secondary_button(self.tr("Set up step by step…"), "sparkles")
        super().__init__(
            self.tr("Connected apps"),
            self.tr("Each app gets one entry in its own file, and a token of its own."),
            guide,
            tokens,
        )
        tokens.clicked.connect(self.tokens_requested)
        guide.clicked.connect(self.guide_requested)
        self.panel = AppsPanel(router, commands)
        self.add_scrolled(self.panel)
