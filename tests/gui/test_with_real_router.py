"""A server is added in the window, a client uses it, and the window shows it.

Everything is real but the display: the router in its thread, the server's process, HTTP.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
from PySide6.QtCore import QAbstractItemModel
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.application import Application, DesktopApplication
from gui.dialogs.add_server.dialog import ServerDialog
from gui.dialogs.add_server.paste_box import PasteBox
from gui.dialogs.projects.dialog import ProjectsDialog
from gui.link.router_thread import HostedRouter
from gui.main_window.page import Page
from gui.pages.playground.result_column import ResultColumn
from gui.text.server_row import present
from gui.widgets.theme import theme
from router.config.settings import Settings
from router.domain.ids import ServerId, ToolKey
from router.service import Router
from tests.gui.driver import press, texts
from tests.support.listed_server import ListedServer
from tests.support.running_router import PERSONAL, STDIO_SERVER, Client, stdio_config
from tests.support.timeouts import WAIT_MS, WAIT_S

T = TypeVar("T")


class LiveApplication:
    """The application with a real router, and a client."""

    def __init__(self, app: DesktopApplication, folder: Path, qtbot: QtBot) -> None:
        self.router = Router(folder, port=0)
        self.qtbot = qtbot
        self._clients = ThreadPoolExecutor(1)

        async def open_router() -> HostedRouter:
            return self.router

        self.application = Application(app, open_router, Settings(), stop_loop=lambda: None)
        self.application.start(hidden=False)
        qtbot.waitUntil(lambda: self.router.endpoint.state().url is not None, timeout=WAIT_MS)

    def client(self, work: Coroutine[Any, Any, T]) -> T:
        """What a client gets, in another thread while the window's loop runs."""
        future = self._clients.submit(asyncio.run, work)
        self.qtbot.waitUntil(future.done, timeout=WAIT_MS)
        return future.result()

    def command(self, work: Coroutine[Any, Any, T]) -> T:
        future = self.application._thread.submit(work)  # pyright: ignore[reportPrivateUsage]
        self.qtbot.waitUntil(future.done, timeout=WAIT_MS)
        return future.result()

    def close(self) -> None:
        self._clients.shutdown()
        assert self.application._thread.stop(WAIT_S)  # pyright: ignore[reportPrivateUsage]
        self.application.shut_down()
        self.application.quit()
        self.application.language.forget()
        Shiboken.delete(self.application.windows.main)
        Shiboken.delete(self.application)
        theme().set_mode("system")


@pytest.fixture
def live(
    qapp: DesktopApplication,
    gui_loop: object,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[LiveApplication]:
    monkeypatch.setattr("gui.main_window.undo_bar.UNDO_MS", WAIT_MS)
    started = LiveApplication(qapp, tmp_path, qtbot)
    yield started
    started.close()


def shown(model: QAbstractItemModel, column: int) -> list[str]:
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def rows(sidebar: QWidget) -> list[str]:
    return [button.accessibleName() for button in sidebar.findChildren(QAbstractButton)]


async def ask(
    live: LiveApplication, token: str, method: str, params: dict[str, Any]
) -> dict[str, Any]:
    async with httpx2.AsyncClient(timeout=WAIT_S) as http:
        client = Client(http, live.router.endpoint.state().url or "", token)
        return (await client.modern(method, params))["result"]


@pytest.mark.proves("CARD-1", "CARD-2", "CARD-6")
def test_a_pasted_server_is_used_by_a_client_and_the_window_shows_it(
    live: LiveApplication, qtbot: QtBot
) -> None:
    window = live.application.windows.main
    qtbot.waitUntil(lambda: window.pages.empty.isVisible(), timeout=WAIT_MS)
    window.add_server_requested.emit()
    [dialog] = [w for w in QApplication.topLevelWidgets() if isinstance(w, ServerDialog)]
    [box] = dialog.findChildren(PasteBox)
    box.paste(f"{sys.executable} {STDIO_SERVER}")
    qtbot.waitUntil(lambda: box.result() == "Filled in below.", timeout=WAIT_MS)
    [save] = [b for b in dialog.findChildren(QPushButton) if b.text() == "Add and run"]
    save.click()

    def listed() -> bool:
        workspace = live.router.workspaces.active()
        return any(status.tool_count for status in live.router.servers.list(workspace))

    qtbot.waitUntil(listed, timeout=WAIT_MS)
    [status] = live.router.servers.list(live.router.workspaces.active())
    qtbot.waitUntil(lambda: window.pages.workspace.status(status.ref) is not None, timeout=WAIT_MS)
    token = live.command(live.router.tokens.issue("Editor", None, None)).secret
    found = live.client(
        ask(live, token, "tools/call", {"name": "tool_discovery", "arguments": {"query": ["echo"]}})
    )
    key = found["structuredContent"]["results"][0]["toolKey"]
    arguments = {"toolKey": key, "arguments": {"text": "hello"}}
    call = {"name": "tool_execute", "arguments": arguments}
    answer = live.client(ask(live, token, "tools/call", call))
    assert answer["structuredContent"] == {"text": "hello"}
    [view] = window.pages.workspace.activity.findChildren(QTableView)
    qtbot.waitUntil(lambda: view.model().rowCount() == 2, timeout=WAIT_MS)
    summaries = shown(view.model(), 3)
    assert summaries[0] == f"{status.name} · echo"
    assert "“echo”" in summaries[1]


@pytest.mark.proves("CARD-2", "META-4")
def test_switching_context_optimization_off_changes_the_listed_tools(
    live: LiveApplication, qtbot: QtBot
) -> None:
    window = live.application.windows.main
    live.command(live.router.servers.add(PERSONAL, "Test", stdio_config(), consent=True))
    live.command(live.router.discovery.refresh(PERSONAL))
    token = live.command(live.router.tokens.issue("Editor", None, None)).secret
    qtbot.waitUntil(lambda: window.pages.workspace.isVisible(), timeout=WAIT_MS)
    before = live.client(ask(live, token, "tools/list", {}))
    assert len(before["tools"]) == 2
    window.pages.workspace.header.toggle.click()
    qtbot.waitUntil(
        lambda: live.router.projects.list(PERSONAL)[0].optimization is None, timeout=WAIT_MS
    )
    after = live.client(ask(live, token, "tools/list", {}))
    assert "test__echo" in [tool["name"] for tool in after["tools"]]


def test_removing_the_shown_workspace_shows_another_and_can_be_undone(
    live: LiveApplication, qtbot: QtBot
) -> None:
    window, router = live.application.windows.main, live.router
    other = live.command(router.workspaces.create("Other"))
    for name in ("One", "Two"):
        live.command(router.servers.add(other, name, stdio_config(), consent=True))
    live.command(router.workspaces.switch(other))
    qtbot.waitUntil(lambda: "Other, 2 servers" in rows(window.sidebar), timeout=WAIT_MS)

    summary = next(each for each in router.workspaces.list() if each.id == other)
    with qtbot.captureExceptions() as raised:
        window.sidebar.workspace_removed.emit(summary)
        qtbot.waitUntil(window.undo_bar.isVisible, timeout=WAIT_MS)
        qtbot.waitUntil(window.pages.empty.isVisible, timeout=WAIT_MS)
        qtbot.waitUntil(lambda: "Other, 2 servers" not in rows(window.sidebar), timeout=WAIT_MS)
        # Although they still name the removed one.
        live.command(router.settings.update({"theme": "dark"}))
        window.undo_bar.button.click()
        qtbot.waitUntil(lambda: len(window.pages.workspace.servers.servers()) == 2, timeout=WAIT_MS)

    assert raised == []
    assert router.workspaces.active() == other


@pytest.mark.proves("U-2")
def test_undoing_a_block_on_the_attention_page_asks_for_approval_again(
    live: LiveApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    window, listed = live.application.windows.main, ListedServer(tmp_path / "list.json")
    listed.has({"name": "read"})
    live.command(live.router.servers.add(PERSONAL, "Files", listed.config, consent=True))
    live.command(live.router.discovery.refresh(PERSONAL))
    listed.has({"name": "read"}, {"name": "erase"})
    live.command(live.router.discovery.refresh(PERSONAL))

    def attention_shows(badge: str, *, pending: bool) -> bool:
        [status] = window.pages.workspace.servers.servers()
        approve = present(status).summary == "Needs approval"
        return badge in rows(window.sidebar) and approve is pending

    window.go_to(Page.ATTENTION)
    qtbot.waitUntil(lambda: attention_shows("Needs attention, 1", pending=True), timeout=WAIT_MS)
    press(window, "Block erase")
    qtbot.waitUntil(lambda: attention_shows("Needs attention", pending=False), timeout=WAIT_MS)
    assert "You’re all caught up" in texts(window)
    qtbot.waitUntil(window.undo_bar.isVisible, timeout=WAIT_MS)
    press(window.undo_bar, "Undo")
    qtbot.waitUntil(lambda: attention_shows("Needs attention, 1", pending=True), timeout=WAIT_MS)
    assert "erase" in texts(window)


@pytest.mark.proves("META-1", "META-4")
def test_changes_in_projects_and_playground_reach_a_client_and_can_be_undone(
    live: LiveApplication, qtbot: QtBot
) -> None:
    window = live.application.windows.main
    live.command(live.router.servers.add(PERSONAL, "Test", stdio_config(), consent=True))
    live.command(live.router.discovery.refresh(PERSONAL))
    token = live.command(live.router.tokens.issue("Editor", None, None)).secret

    def offered() -> list[str]:
        return [tool["name"] for tool in live.client(ask(live, token, "tools/list", {}))["tools"]]

    window.go_to(Page.PLAYGROUND)
    column = window.pages.playground.findChildren(ResultColumn)[0]
    column.pin_requested.emit(ToolKey(ServerId("test"), "echo"), True)
    qtbot.waitUntil(window.undo_bar.isVisible, timeout=WAIT_MS)
    assert offered() == ["tool_discovery", "tool_execute", "test__echo"]

    window.sidebar.projects_requested.emit(PERSONAL)
    [dialog] = window.findChildren(ProjectsDialog)
    with qtbot.waitSignal(dialog.changes.saved, timeout=WAIT_MS):
        press(dialog, "Direct")
    assert len(offered()) > 3
    with qtbot.waitSignal(dialog.changes.undone, timeout=WAIT_MS):
        press(dialog, "Undo")
    assert len(offered()) == 3
    dialog.accept()

    window.go_to(Page.ACTIVITY)
    [view] = window.pages.activity.findChildren(QTableView)
    qtbot.waitUntil(lambda: len(shown(view.model(), 3)) == 3, timeout=WAIT_MS)
    assert shown(view.model(), 3)[0] == "Listed 3 tools"
