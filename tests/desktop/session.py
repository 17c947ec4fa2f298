"""A private desktop session for a test: display, D-Bus, home folder; and Toolbooth as a process in
it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.desktop.bus import bus_daemon
from tests.support.router_process import TOOLBOOTH
from tests.support.timeouts import WAIT_S


@dataclass(frozen=True)
class Session:
    """The environment in which the programs of one user run."""

    home: Path
    bus: str
    display: str
    screen: subprocess.Popen[bytes]

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.home),
            "DISPLAY": self.display,
            "DBUS_SESSION_BUS_ADDRESS": self.bus,
            "DBUS_SYSTEM_BUS_ADDRESS": self.bus,
            "AT_SPI_BUS_ADDRESS": self.bus,
            "QT_QPA_PLATFORM": "xcb",
            "TOOLBOOTH_HOME": str(self.home / "data"),
        }

    def start(
        self, *arguments: str, program: Path = TOOLBOOTH, **environment: str
    ) -> subprocess.Popen[str]:
        """Toolbooth with its window; its stderr is in `log`."""
        with self.log.open("a") as log:
            return subprocess.Popen(
                [program, "--port", "0", *arguments],
                env={**self.environment, **environment},
                stdout=log,
                stderr=log,
                text=True,
                cwd=self.home,
            )

    @property
    def log(self) -> Path:
        return self.home / "output"


@contextmanager
def desktop_session(home: Path) -> Generator[Session]:
    home.chmod(0o700)
    with bus_daemon(home) as bus, x_display() as (display, screen):
        yield Session(home, bus, display, screen)


@contextmanager
def x_display() -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    """The name and process of an X server whose screen holds the whole window."""
    reading, writing = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(writing),
        "-screen",
        "0",
        "1600x1200x24",
        "-nolisten",
        "tcp",
    ]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        try:
            with os.fdopen(reading) as numbers:
                yield f":{numbers.readline().strip()}", server
        finally:
            server.terminate()


def ended(process: subprocess.Popen[str]) -> int:
    """The exit code; the process is killed if it does not end in time."""
    try:
        return process.wait(WAIT_S)
    finally:
        process.kill()
        process.wait()
