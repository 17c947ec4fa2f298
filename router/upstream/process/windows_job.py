"""Windows Job Objects through `ctypes`: a process and its descendants, killed as one.

A job kills its processes when its last handle closes, which the system does if the router is
killed. A grandchild started before the job is joined (microseconds after creation)
stays outside. `kernel32` is a parameter so that the calls can be checked on any platform.
"""

from __future__ import annotations

import ctypes
import logging
import sys
from typing import Any, ClassVar, Protocol, cast

log = logging.getLogger(__name__)

_EXTENDED_LIMIT_INFORMATION = 9
_KILL_ON_JOB_CLOSE = 0x2000
_PROCESS_SET_QUOTA_AND_TERMINATE = 0x0101
_KILLED = 1


class JobFunctions(Protocol):
    """The functions that make a job; each returns 0 on failure."""

    def CreateJobObjectW(self, attributes: Any, name: Any) -> int: ...  # noqa: N802
    def SetInformationJobObject(self, job: Any, kind: int, data: Any, size: int) -> int: ...  # noqa: N802
    def AssignProcessToJobObject(self, job: Any, process: Any) -> int: ...  # noqa: N802


class Kernel32(JobFunctions, Protocol):
    def OpenProcess(self, access: int, inherit: int, pid: int) -> int: ...  # noqa: N802
    def TerminateJobObject(self, job: Any, code: int) -> int: ...  # noqa: N802
    def TerminateProcess(self, process: Any, code: int) -> int: ...  # noqa: N802
    def CloseHandle(self, handle: Any) -> int: ...  # noqa: N802


class _BasicLimits(ctypes.Structure):
    _fields_: ClassVar = [
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    ]


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_: ClassVar = [
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    ]


if sys.platform == "win32":

    def load_kernel32() -> Kernel32:
        library = ctypes.WinDLL("kernel32")
        for name in ("CreateJobObjectW", "OpenProcess"):
            getattr(library, name).restype = ctypes.c_void_p  # handles are as wide as pointers
        return cast(Kernel32, library)


class JobTree:
    """The Windows tree. If no job can be created, only the process itself is killed."""

    def __init__(self, pid: int, kernel32: Kernel32) -> None:
        self._kernel32 = kernel32
        self._process = _handle(kernel32.OpenProcess(_PROCESS_SET_QUOTA_AND_TERMINATE, 0, pid))
        self._job = self._make_job()

    def terminate(self) -> None:
        """Windows has no signal for it: the closed stdin was the server's chance to exit."""
        self.kill()

    def kill(self) -> None:
        if self._job:
            self._kernel32.TerminateJobObject(self._job, _KILLED)
        elif self._process:
            self._kernel32.TerminateProcess(self._process, _KILLED)

    async def end(self) -> None:
        self.kill()

    def release(self) -> None:
        for handle in filter(None, (self._job, self._process)):
            self._kernel32.CloseHandle(handle)
        self._job = self._process = None

    def _make_job(self) -> ctypes.c_void_p | None:
        kernel32, limits = self._kernel32, ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_JOB_CLOSE
        information = (_EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits))
        job = _handle(kernel32.CreateJobObjectW(None, None))
        configured = job and kernel32.SetInformationJobObject(job, *information)
        if configured and self._process and kernel32.AssignProcessToJobObject(job, self._process):
            return job
        log.warning("A server's process could not be put into a job; its children may outlive it.")
        if job:
            kernel32.CloseHandle(job)
        return None


def _handle(value: int | None) -> ctypes.c_void_p | None:
    return ctypes.c_void_p(value) if value else None
