"""An XEmbed tray, as used before D-Bus: a window that embeds windows of other programs."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager

from tests.desktop.session import Session
from tests.support.timeouts import WAIT_S


class XEmbedTray:
    def __init__(self, session: Session) -> None:
        self._session = session

    def wait_for_window_of(self, program: str) -> None:
        """Wait until a window of `program` is inside the tray's window."""
        deadline = time.monotonic() + WAIT_S
        while not re.search(rf'\n {{7,}}0x\w+ .*\("{program}" ', shown := self._inside()):
            assert time.monotonic() < deadline, shown
            time.sleep(0.1)

    def is_there(self) -> bool:
        return bool(self._inside())

    def _inside(self) -> str:
        command = ["xwininfo", "-tree", "-name", "panel"]
        asked = subprocess.run(
            command, env=self._session.environment, capture_output=True, text=True, check=False
        )
        return asked.stdout


@contextmanager
def xembed_tray(session: Session) -> Generator[XEmbedTray]:
    tray = XEmbedTray(session)
    with subprocess.Popen(["trayer"], env=session.environment) as process:
        try:
            deadline = time.monotonic() + WAIT_S
            while not tray.is_there():
                assert time.monotonic() < deadline
                time.sleep(0.1)
            yield tray
        finally:
            process.terminate()
