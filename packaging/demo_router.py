"""A running router with the demo data and a window on it, for `screenshots.py`."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from demo_data import CHAT, CHAT_PORT, FILES, PERSONAL, PORT, SLOW, Folders, MovedClock, token_of
from PySide6.QtWidgets import QApplication, QWidget

from gui.components.apps.app_list import AppList
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.link.router_thread import HostedRouter, RouterThread
from gui.main_window.main_window import MainWindow
from gui.widgets.labels import Tile
from gui.widgets.theme import theme
from router.domain.servers import DiscoveryStatus, ServerState
from router.runtime.tasks import spawn
from router.service import Router
from tests.servers.oauth_server import OAuthServer
from tests.support.running_router import Client

T = TypeVar("T")
_WITHIN_S = 30.0
_QUIET_S = 0.5


class Demo:
    """What a screen needs: the router, commands to it, a window that shows it."""

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self.router: Router = folders.router(MovedClock(), port=PORT)
        self.bridge = EventBridge()
        self.commands = Commands()
        self._ready: list[HostedRouter] = []
        self._thread = RouterThread(self._open, on_ready=self._ready.append, on_failed=self._fail)

    async def _open(self) -> HostedRouter:
        return self.router

    def _fail(self, error: Exception) -> None:
        raise SystemExit(f"The router of the demo could not start: {error}")

    def start(self) -> None:
        self._thread.start()
        until(lambda: bool(self._ready))
        self.commands.attach(self._thread.submit)
        self.router.subscribe(self.bridge.publish)
        until(self._is_settled)

    def stop(self) -> None:
        self.commands.detach()
        self._thread.stop(20)
        self.bridge.close()

    def do(self, command: Coroutine[Any, Any, T]) -> T:
        future = self.submit(command)
        until(future.done)
        return future.result()

    def submit(self, command: Coroutine[Any, Any, T]) -> Future[T]:
        return self._thread.submit(command)

    def window(self) -> MainWindow:
        made = MainWindow(theme(), self.commands, self.bridge)
        made.attach(self.router)
        made.show()
        return made

    @contextlib.contextmanager
    def permission_request(self) -> Generator[None]:
        """A client calls a tool with the permission `ask`; its permission request is pending."""
        secret = token_of(self.folders, "claude-code")
        note = {"path": str(self.folders.home / "notes/today.md"), "content": "- Ship 2.4\n"}
        arguments = {"toolKey": f"{FILES.server}:write_file", "arguments": note}

        async def call() -> None:
            async with httpx2.AsyncClient(timeout=60) as http:
                client = Client(http, self.router.endpoint.state().url or "", secret)
                with contextlib.suppress(httpx2.HTTPError, asyncio.CancelledError):
                    await client.call("tool_execute", arguments)

        async def begin() -> asyncio.Task[None]:
            return spawn(call(), name="a call for a screenshot")

        calling = self.do(begin())
        until(lambda: bool(self.router.permissions.requests()))
        yield
        self._thread.submit(_cancel(calling))

    def _is_settled(self) -> bool:
        """Whether each server is in the state that the screenshots show."""
        servers = {status.id: status for status in self.router.servers.list(PERSONAL)}
        busy = [s for s in servers.values() if s.discovery is DiscoveryStatus.DISCOVERING]
        chat = servers[CHAT]
        return [s.id for s in busy] in ([], [SLOW]) and chat.state is ServerState.NEEDS_SIGN_IN


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()


@contextlib.contextmanager
def running_demo(folder: Path) -> Generator[Demo]:
    folders = Folders(folder)
    folders.enter()
    folders.use_copy()
    with OAuthServer().served(CHAT_PORT):
        demo = Demo(folders)
        demo.start()
        try:
            yield demo
        finally:
            demo.stop()


def until(happened: Callable[[], bool]) -> None:
    """Process the window's events until `happened()` is true."""
    ends = time.monotonic() + _WITHIN_S
    while not happened():
        if time.monotonic() > ends:
            raise TimeoutError(f"{happened} did not happen within {_WITHIN_S:g} seconds")
        QApplication.processEvents()
        time.sleep(0.01)


def until_apps_are_listed(widget: QWidget) -> None:
    """They are found in files, which may take longer than other queries."""
    apps = [each for each in widget.findChildren(AppList) if each.isVisible()]
    until(lambda: all(each.findChildren(Tile) for each in apps))


def settled(widget: QWidget) -> QWidget:
    """Results from the router and layouts of wrapped texts take a moment."""
    ends = time.monotonic() + _QUIET_S
    while time.monotonic() < ends:
        QApplication.processEvents()
        time.sleep(0.01)
    return widget
