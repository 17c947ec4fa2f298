"""The servers behind every proxy: our echo server on stdio and on HTTP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ECHO_SERVER = [sys.executable, str(Path(__file__).with_name("echo_server.py"))]


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server as a client's configuration names it: by a command or by a URL."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""

    def config(self) -> dict[str, Any]:
        if self.url:
            return {"url": self.url}
        return {"command": self.command[0], "args": list(self.command[1:])}


def stdio_upstream(name: str, *options: str) -> Upstream:
    return Upstream(name, command=(*ECHO_SERVER, *options))


@contextmanager
def http_upstream(name: str) -> Generator[Upstream]:
    with subprocess.Popen([*ECHO_SERVER, "--http"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield Upstream(name, url=process.stdout.readline().strip())
        finally:
            process.terminate()
