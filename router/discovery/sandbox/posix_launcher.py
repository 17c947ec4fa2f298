"""The launcher where there is no `/proc`: limits by `setrlimit` and psutil, and `sandbox-exec` on
macOS. The server is not observed. Not tested on macOS yet."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from router.discovery.resource_limits import set_limits
from router.discovery.sandbox.launch_spec import (
    OVER_LIMIT,
    LaunchSpec,
    unpack_environment,
)
from router.discovery.sandbox.observations import Observations

_CHECK_INTERVAL_S = 0.25
_TOLERANCE = 1.1
_SYSTEM = ("/usr", "/bin", "/sbin", "/System", "/Library", "/opt/homebrew", "/private/etc/ssl")


def main(spec_file: str) -> int:
    spec = LaunchSpec.read(Path(spec_file))
    command = [spec.program, *spec.args]
    if spec.profile.level >= 2:
        command = ["/usr/bin/sandbox-exec", "-p", seatbelt_profile(spec), *command]
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: spec.limits.files_mb << 20,
        resource.RLIMIT_NPROC: spec.limits.tasks,
    }
    server = subprocess.Popen(  # noqa: S603 - what the launcher is for
        command,
        env=unpack_environment(os.environ),
        cwd=spec.cwd,
        preexec_fn=lambda: set_limits(limits),
    )
    for descriptor in (0, 1):
        os.close(descriptor)
    signal.signal(signal.SIGTERM, lambda _number, _frame: server.kill())
    return _supervise(server, spec)


def seatbelt_profile(spec: LaunchSpec) -> str:
    """The profile for `sandbox-exec`: reads system, program and home, writes only to the home."""
    reads = _subpaths((*_SYSTEM, *spec.readable, *spec.writable, spec.home))
    lines = [
        "(version 1)",
        "(deny default)",
        "(allow process-fork process-exec sysctl-read mach-lookup)",
        "(allow file-read-metadata)",
        f"(allow file-read* {reads})",
        f'(allow file-write* {_subpaths((spec.home, *spec.writable))} (literal "/dev/null"))',
        "(allow signal (target same-sandbox))",
    ]
    if spec.network:
        lines.append("(allow network*)")
    return "\n".join(lines)


def _subpaths(paths: Iterable[str]) -> str:
    quoted = (path.replace("\\", "\\\\").replace('"', '\\"') for path in paths)
    return " ".join(f'(subpath "{path}")' for path in quoted)


def _supervise(server: subprocess.Popen[bytes], spec: LaunchSpec) -> int:
    observations = Observations()
    while server.poll() is None:
        observations.peak_mb = max(observations.peak_mb, resident_mb(os.getpgrp()))
        if observations.peak_mb > spec.limits.memory_mb * _TOLERANCE:
            observations.killed = "memory"
            server.kill()
        observations.write(Path(spec.observations))
        time.sleep(_CHECK_INTERVAL_S)
    return OVER_LIMIT if observations.killed else abs(server.returncode)


def resident_mb(group: int) -> int:
    """The resident memory of a whole process group."""
    total = 0
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if os.getpgid(process.pid) == group:
                total += process.memory_info().rss
    return total >> 20
