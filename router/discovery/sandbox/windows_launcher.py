"""The launcher on Windows: puts itself, and so all it starts, into a Job Object with limits on
memory, processes and CPU. The server is not observed. Not tested on Windows yet."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import ClassVar, Protocol

from router.discovery.sandbox.launch_spec import LaunchSpec, SandboxLimits, unpack_environment
from router.upstream.process.windows_job import ExtendedLimits, JobFunctions

_EXTENDED_LIMITS, _CPU_RATE = 9, 15
_ACTIVE_PROCESSES, _JOB_MEMORY, _KILL_ON_CLOSE = 0x8, 0x200, 0x2000
_ENABLED_AND_HARD = 0x1 | 0x4
_HUNDREDTHS = 100


class Kernel32(JobFunctions, Protocol):
    def GetCurrentProcess(self) -> int: ...  # noqa: N802


class CpuRate(ctypes.Structure):
    """JOBOBJECT_CPU_RATE_CONTROL_INFORMATION, with a hard cap."""

    _fields_: ClassVar = [("ControlFlags", ctypes.c_uint32), ("CpuRate", ctypes.c_uint32)]


def main(spec_file: str) -> int:
    spec = LaunchSpec.read(Path(spec_file))
    if sys.platform == "win32":
        join_job(ctypes.WinDLL("kernel32"), spec.limits, os.cpu_count() or 1)
    server = [spec.program, *spec.args]
    return subprocess.call(server, env=unpack_environment(os.environ), cwd=spec.cwd)  # noqa: S603


def join_job(kernel32: Kernel32, limits: SandboxLimits, cores: int) -> None:
    """Put this process into a job with `limits`. Raises `OSError` if that fails: then nothing may
    be started."""
    job = ctypes.c_void_p(kernel32.CreateJobObjectW(None, None))
    bounds = ExtendedLimits()
    bounds.BasicLimitInformation.LimitFlags = _ACTIVE_PROCESSES | _JOB_MEMORY | _KILL_ON_CLOSE
    bounds.BasicLimitInformation.ActiveProcessLimit = limits.tasks
    bounds.JobMemoryLimit = limits.memory_mb << 20
    settings: list[tuple[int, ctypes.Structure]] = [(_EXTENDED_LIMITS, bounds)]
    if limits.cpu_percent is not None:  # a share of all cores, in hundredths of a percent
        rate = CpuRate(_ENABLED_AND_HARD, max(1, limits.cpu_percent * _HUNDREDTHS // cores))
        settings.append((_CPU_RATE, rate))
    done = job and all(
        kernel32.SetInformationJobObject(job, kind, ctypes.byref(data), ctypes.sizeof(data))
        for kind, data in settings
    )
    if not done or not kernel32.AssignProcessToJobObject(job, kernel32.GetCurrentProcess()):
        raise OSError("the job object that limits the server can't be made")
