"""Tries to escape from inside a sandbox: each attempt that succeeds is a missing restriction.

Prints one line of JSON: the names of the attempts that succeeded, and how many processes it could
start. What arrived outside is checked by `self_test`. No attempt harms what it reaches: signals are
number 0, and values are set to what they are.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main(plan_text: str) -> int:
    plan: dict[str, Any] = json.loads(plan_text)
    attempts: dict[str, Callable[[], object]] = {
        "read": lambda: Path(plan["secret"]).read_text(),
        "write": lambda: Path(plan["target"]).write_text("out"),
        "connect": lambda: socket.create_connection(("127.0.0.1", plan["port"]), 2).close(),
        "datagram": lambda: _send_datagram(plan["port"]),
        "local": lambda: _connect_locally(plan["local"]),
        "kill": lambda: os.kill(plan["pid"], 0),
    }
    if sys.platform == "linux":
        from router.discovery.sandbox.linux_escapes import linux_escapes

        attempts |= linux_escapes(plan)
    found = [name for name, attempt in attempts.items() if _succeeds(attempt)]
    sys.stdout.write(json.dumps({"succeeded": found, "tasks": _fork_up_to(plan["forks"])}))
    sys.stdout.flush()
    return 0


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def _send_datagram(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"out", ("127.0.0.1", port))


def _connect_locally(name: str) -> None:
    if sys.platform != "linux":
        raise OSError("there are no such sockets here")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(f"\0{name}")


def _fork_up_to(limit: int) -> int:
    """How many processes could be started before one was refused."""
    if sys.platform == "win32":
        return 0
    children: list[int] = []
    try:
        while len(children) < limit:
            child = os.fork()
            if child == 0:
                signal.pause()
                os._exit(0)
            children.append(child)
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children)
