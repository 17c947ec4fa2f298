"""The launchers of macOS and Windows, as far as they can be checked on other platforms."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

import pytest

from router.discovery.sandbox.launch_spec import LaunchSpec, SandboxLimits, SandboxProfile
from router.discovery.sandbox.posix_launcher import resident_mb, seatbelt_profile
from router.discovery.sandbox.windows_launcher import CpuRate, join_job
from router.upstream.process.windows_job import ExtendedLimits


def spec(**more: Any) -> LaunchSpec:
    fields: dict[str, Any] = {
        "profile": SandboxProfile(2),
        "program": "/opt/x/bin/server",
        "args": (),
        "home": "/private/run/home",
        "cwd": "/private/run/home",
        "readable": ('/opt/x"y',),
        "observations": "/private/run/observations",
    }
    return LaunchSpec(**{**fields, **more})


def test_the_macos_profile_denies_all_but_what_is_needed() -> None:
    rules = seatbelt_profile(spec()).splitlines()
    assert rules[:2] == ["(version 1)", "(deny default)"]
    assert '(subpath "/opt/x\\"y")' in rules[4], "a name can't add a rule"
    assert not any("network" in rule for rule in rules)
    writing = next(rule for rule in rules if "file-write" in rule)
    assert writing == '(allow file-write* (subpath "/private/run/home") (literal "/dev/null"))'


def test_the_macos_profile_allows_the_network_where_granted() -> None:
    assert "(allow network*)" in seatbelt_profile(spec(network=True))


@pytest.mark.skipif(sys.platform == "win32", reason="which has no process groups")
def test_memory_is_measured_for_the_whole_process_group() -> None:
    assert resident_mb(os.getpgrp()) > 5
    assert resident_mb(2**30) == 0


class RecordingKernel:
    """The part of kernel32 a job needs: records its arguments."""

    def __init__(self, *, joins: int = 1) -> None:
        self.information: dict[int, bytes] = {}
        self._joins = joins

    def CreateJobObjectW(self, attributes: Any, name: Any) -> int:  # noqa: N802
        return 7

    def SetInformationJobObject(self, job: Any, kind: int, data: Any, size: int) -> int:  # noqa: N802
        self.information[kind] = ctypes.string_at(data, size)
        return 1

    def AssignProcessToJobObject(self, job: Any, process: Any) -> int:  # noqa: N802
        return self._joins

    def GetCurrentProcess(self) -> int:  # noqa: N802
        return -1


def test_a_windows_job_limits_memory_processes_and_cpu() -> None:
    kernel32 = RecordingKernel()
    join_job(kernel32, SandboxLimits(memory_mb=256, tasks=40, cpu_percent=25), cores=4)
    bounds = ExtendedLimits.from_buffer_copy(kernel32.information[9])
    assert bounds.JobMemoryLimit == 256 << 20
    assert bounds.BasicLimitInformation.ActiveProcessLimit == 40
    assert bounds.BasicLimitInformation.LimitFlags == 0x2208
    assert CpuRate.from_buffer_copy(kernel32.information[15]).CpuRate == 625, "of four cores"


def test_on_windows_nothing_is_started_without_a_job() -> None:
    with pytest.raises(OSError, match="can't be made"):
        join_job(RecordingKernel(joins=0), SandboxLimits(), cores=1)
