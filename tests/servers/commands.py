"""How tests start the servers in this folder, and check that a process has ended."""

from __future__ import annotations

import json
import os
import select
import sys
import time
from pathlib import Path
from typing import Any

from router.config.server import ServerConfig

_HERE = Path(__file__).parent


def stdio_config(*options: str, **fields: Any) -> ServerConfig:
    """The configuration of a `stdio_server.py` with these command line options."""
    args = (str(_HERE / "stdio_server.py"), *options)
    return ServerConfig(command=sys.executable, args=args, **fields)


def recorded(file: Path, event: str) -> list[Any]:
    """What a server started with `--record` wrote about one kind of event."""
    if not file.exists():
        return []
    entries = [json.loads(line) for line in file.read_text().splitlines()]
    return [entry["value"] for entry in entries if entry["event"] == event]


def is_running(pid: int) -> bool:
    return not ends_within(0, pid)


def ends_within(seconds: float, pid: int) -> bool:
    """Whether a process that need not be our child has ended, or ends in time."""
    if sys.platform != "linux":
        return _disappears_within(seconds, pid)
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def _disappears_within(seconds: float, pid: int) -> bool:
    deadline = time.monotonic() + seconds
    while True:
        try:
            os.kill(pid, 0)
        except OSError:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
