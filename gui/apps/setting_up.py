"""The two ways to connect an application, over whichever screen shows it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.apps.connector import AppConnector
from gui.apps.dialogs import ByHandDialog, PlanDialog
from router.api.apps import ClientId, ConnectionPlan


def preview(connector: AppConnector, client: ClientId, over: QWidget) -> None:
    """Show what would change in its file; only then it may be changed."""

    def show(plan: ConnectionPlan) -> None:
        dialog = PlanDialog(plan, over)
        dialog.agreed.connect(connector.connect_planned)
        dialog.by_hand_requested.connect(lambda: by_hand(connector, client, over))
        dialog.open()

    connector.preview(client, show)


def by_hand(connector: AppConnector, client: ClientId, over: QWidget) -> None:
    """Show the entry to paste."""
    app = next(app for app in connector.apps if app.id == client)
    dialog = ByHandDialog(app, over)
    dialog.snippet_requested.connect(lambda: connector.snippet(client, dialog.show_snippet))
    dialog.open()
