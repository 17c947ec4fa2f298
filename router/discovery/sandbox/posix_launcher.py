"""The launcher where there is no `/proc`: limits by `setrlimit` and psutil, and `sandbox-exec` on
macOS. What a server tries can't be seen this way. Not run on macOS yet."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from router.discovery.sandbox.launch_spec import Limits, Order, unpacked
from router.discovery.sandbox.observations import Sightings

OVER_LIMIT = 124
_LOOK_EVERY_S = 0.25
_TOLERANCE = 1.1
_SYSTEM = ("/usr", "/bin", "/sbin", "/System", "/Library", "/opt/homebrew", "/private/etc/ssl")


def main(order_file: str) -> int:
    order = Order.read(Path(order_file))
    walled = order.level >= 2
    command = [order.program, *order.args]
    if walled:
        command = ["/usr/bin/sandbox-exec", "-p", profile(order), *command]
    server = subprocess.Popen(  # noqa: S603 - what the launcher is for
        command,
        env=unpacked(os.environ),
        cwd=order.cwd,
        preexec_fn=lambda: _limit(order.limits),
    )
    for descriptor in (0, 1):
        os.close(descriptor)
    signal.signal(signal.SIGTERM, lambda _number, _frame: server.kill())
    return _hold(server, order)


def profile(order: Order) -> str:
    """The rules for `sandbox-exec`: reads where the system and the program lie, writes at home."""
    reads = _subpaths((*_SYSTEM, *order.readable, order.home))
    lines = [
        "(version 1)",
        "(deny default)",
        "(allow process-fork process-exec sysctl-read mach-lookup)",
        "(allow file-read-metadata)",
        f"(allow file-read* {reads})",
        f'(allow file-write* {_subpaths((order.home,))} (literal "/dev/null"))',
        "(allow signal (target same-sandbox))",
    ]
    if order.network:
        lines.append("(allow network*)")
    return "\n".join(lines)


def _subpaths(paths: Iterable[str]) -> str:
    quoted = (path.replace("\\", "\\\\").replace('"', '\\"') for path in paths)
    return " ".join(f'(subpath "{path}")' for path in quoted)


def _limit(limits: Limits) -> None:
    size = limits.files_mb << 20
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    if sys.platform != "win32":
        _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
        most = limits.tasks if hard == resource.RLIM_INFINITY else min(limits.tasks, hard)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def _hold(server: subprocess.Popen[bytes], order: Order) -> int:
    seen = Sightings()
    while server.poll() is None:
        seen.taken_mb = max(seen.taken_mb, resident_mb(os.getpgrp()))
        if seen.taken_mb > order.limits.memory_mb * _TOLERANCE:
            seen.killed = "memory"
            server.kill()
        seen.write(Path(order.sightings))
        time.sleep(_LOOK_EVERY_S)
    return OVER_LIMIT if seen.killed else abs(server.returncode)


def resident_mb(group: int) -> int:
    """What the whole process group has resident."""
    total = 0
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if os.getpgid(process.pid) == group:
                total += process.memory_info().rss
    return total >> 20
