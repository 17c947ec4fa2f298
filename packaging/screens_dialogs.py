"""The dialogs and the tray menu with sample data, for `screenshots.py`."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QApplication, QWidget

from gui.commands import Commands
from gui.server.dialog import ServerDialog
from gui.server.draft import ServerDraft
from gui.settings.dialog import PageName, SettingsDialog
from gui.tray.menu import TrayMenu
from gui.tray.view import tray_view
from router.ports import RouterPort
from router.settings import ServerConfig

COMMAND = ServerConfig(
    command="npx",
    args=("-y", "@modelcontextprotocol/server-filesystem", "/home/me/notes"),
    env={"API_TOKEN": "not a real one"},
)
ADDRESS = ServerConfig(
    url="https://mcp.linear.app/mcp", headers={"Authorization": "Bearer not a real one"}
)


def dialog_screens(router: RouterPort) -> Iterator[tuple[str, QWidget]]:
    for page in PageName:
        settings = SettingsDialog(router, Commands(), None)
        settings.open_at(page)
        yield f"settings-{page}", settled(settings)
    for name, config in (("command", COMMAND), ("url", ADDRESS)):
        dialog = ServerDialog(router, Commands(), router.active_workspace())
        dialog.form.set_draft(ServerDraft.of("filesystem" if config.command else "linear", config))
        dialog.open()
        yield f"server-{name}", settled(dialog)
    menu = TrayMenu()
    menu.show_view(tray_view(router))
    menu.popup(menu.pos())
    yield "tray", settled(menu)


def settled(widget: QWidget) -> QWidget:
    """Layouts of wrapped texts need a few rounds until they fit."""
    for _ in range(5):
        QApplication.processEvents()
    return widget
