"""Connected apps, as a page of the main window."""

from __future__ import annotations

from PySide6.QtCore import Signal

from gui.components.actions import OfferUndo
from gui.components.apps.app_row import connected_count
from gui.components.apps.panel import AppsPanel
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.widgets.buttons import secondary_button
from gui.widgets.page_frame import PageFrame
from router.api.apps import App, AppConnection
from router.api.events import TokensChanged
from router.api.router import RouterPort


class AppsPage(PageFrame):
    tokens_requested = Signal()
    guide_requested = Signal()
    counted = Signal(int)
    """How many apps are connected, each time they were listed."""

    def __init__(
        self, router: RouterPort, commands: Commands, bridge: EventBridge, offer_undo: OfferUndo
    ) -> None:
        super().__init__(
            self.tr("Connected apps"),
            self.tr("Each app gets one entry in its configuration file and its own token."),
        )
        open_guide, open_tokens = self.guide_requested, self.tokens_requested
        self.add_actions(
            secondary_button(self.tr("Open setup guide…"), "sparkles", on_click=open_guide),
            secondary_button(self.tr("Tokens…"), "key-round", on_click=open_tokens),
        )
        self._router, self._offer_undo = router, offer_undo
        self.panel = AppsPanel(router, commands)
        self.panel.done.connect(self._done)
        self.panel.connector.listed.connect(self._count)
        self.add_scrolled(self.panel)
        bridge.subscribe(self, self._on_tokens, TokensChanged)

    def _on_tokens(self, _: object) -> None:
        self.panel.load()

    def _done(self, text: str, connection: AppConnection) -> None:
        self._offer_undo(text, lambda: self.panel.connector.undo(connection))

    def _count(self, apps: tuple[App, ...]) -> None:
        self.counted.emit(connected_count(apps, self._router.tokens.list()))
