"""Toolbooth on its own desktop session, with a tray and a screen reader."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.desktop.bus import Connection, connection
from tests.desktop.screen_reader import ScreenReader
from tests.desktop.session import Session, desktop_session, ended
from tests.desktop.tray_host import TrayHost
from tests.support.router_process import TOOLBOOTH, RouterProcess


class DesktopApp:
    """`start` is what the user does; the other fields are what the user sees."""

    def __init__(self, session: Session, bus: Connection) -> None:
        self.session = session
        self.bus = bus
        self.tray = TrayHost(bus)
        self.screen = ScreenReader(bus)
        self.terminal = RouterProcess(TOOLBOOTH, session.home / "data")
        self._process: subprocess.Popen[str] | None = None

    async def start(self, *arguments: str, program: Path = TOOLBOOTH, **environment: str) -> None:
        """Start Toolbooth and wait until the screen reader sees it."""
        await self.screen.begin()
        self._process = self.session.start(*arguments, program=program, **environment)
        await self.screen.application()

    @property
    def process(self) -> subprocess.Popen[str]:
        assert self._process is not None
        return self._process

    async def ready(self) -> None:
        """Wait until the router serves."""
        await self.tray.item()
        await self.tray.until(lambda lines: lines[0].text.startswith("Router running"))

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            ended(self._process)


@asynccontextmanager
async def desktop_app(home: Path) -> AsyncGenerator[DesktopApp]:
    with desktop_session(home) as session:
        async with connection(session.bus) as bus:
            app = DesktopApp(session, bus)
            try:
                yield app
            finally:
                app.close()
