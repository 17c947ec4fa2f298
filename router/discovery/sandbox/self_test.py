"""The self-test: which sandbox profile this machine supports, proved by trying to escape from it.

From the best profile down, a probe runs inside. Only a profile that withstands all attempts counts;
the reasons against better ones are kept. Blocks for some tenths of a second: call it on a thread.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from router.discovery.sandbox.bubblewrap import home_inside
from router.discovery.sandbox.launch_spec import (
    LaunchSpec,
    SandboxLimits,
    SandboxProfile,
    pack_environment,
)
from router.discovery.sandbox.required_files import interpreter_files
from router.discovery.sandbox.self_commands import inner_command
from router.domain.json_values import JsonObject, parse_object
from router.domain.receipts import IsolationLevel, Reason, Why

_PROBE_TIMEOUT_S = 20
_TASKS = 24
_SHARED_MEMORY_BYTES = 4096
_REMOVE = 0
_ESCAPES = {
    Why.READ_FILES: "read inotify_add_watch",
    Why.WROTE_FILES: "write fchmod",
    Why.REACHED_NETWORK: "connect listen AF_VSOCK",
    Why.REACHED_SOCKETS: "local",
    Why.SIGNALLED: (
        "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal F_SETOWN"
    ),
    Why.CHANGED_PROGRAMS: "prlimit64 setpriority sched_setaffinity ioprio_set process_vm_readv",
    Why.SHARED_MEMORY: "shmat",
}
"""What each attempt of the probe shows if it succeeds."""
_SECRET = "a file of the user"  # noqa: S105 - what the probe must not read


@dataclass(frozen=True, slots=True)
class SandboxSupport:
    """The best profile that withstands the probe, and the reasons against better ones."""

    profile: SandboxProfile
    missing: tuple[Reason, ...] = ()


@functools.cache
def supported_sandbox() -> SandboxSupport:
    """What this machine supports, tested at the first call."""
    return best_profile(sandbox_profiles())


def best_profile(profiles: Iterable[SandboxProfile]) -> SandboxSupport:
    missing: list[Reason] = []
    for profile in profiles:
        if not (reasons := check_profile(profile)):
            return SandboxSupport(profile, tuple(missing))
        missing += reasons
    return SandboxSupport(SandboxProfile(IsolationLevel.NONE), tuple(missing))


def sandbox_profiles() -> list[SandboxProfile]:
    """All profiles of this system, best first."""
    if sys.platform == "win32":
        return [SandboxProfile(IsolationLevel.LIMITED)]
    if sys.platform == "darwin":
        return [SandboxProfile(IsolationLevel.CONFINED), SandboxProfile(IsolationLevel.LIMITED)]
    bwrap = shutil.which("bwrap") or ""
    return [
        SandboxProfile(IsolationLevel.FULL, True, bwrap, _can_forbid_nesting(bwrap)),
        SandboxProfile(IsolationLevel.CONFINED, watch=True),
        SandboxProfile(IsolationLevel.LIMITED, watch=True),
        SandboxProfile(IsolationLevel.LIMITED),
    ]


def _can_forbid_nesting(bwrap: str) -> bool:
    if not bwrap:
        return False
    usage = subprocess.run([bwrap, "--help"], capture_output=True, check=False)  # noqa: S603
    return b"--disable-userns" in usage.stdout


def check_profile(profile: SandboxProfile) -> list[Reason]:
    """Run the probe with a profile; the reasons against it, none if it holds."""
    level = str(int(profile.level))
    if profile.level == IsolationLevel.FULL and not profile.bwrap:
        return [Reason(Why.NO_BUBBLEWRAP)]
    with ExitStack() as stack:
        outside = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="toolbooth-test-")))
        decoys = _Decoys(stack, outside)
        done = _run_probe(profile, outside, decoys)
        if done is None:
            return [Reason(Why.TEST_TOOK_TOO_LONG, (level,))]
        if not (outcome := parse_object(done.stdout)):
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no answer"]
            return [Reason(Why.TEST_FAILED, (level, lines[-1]))]
        escaped = decoys.escapes(outcome) if profile.level >= IsolationLevel.CONFINED else []
        bounds_tasks = profile.watch or profile.level >= IsolationLevel.CONFINED
        if bounds_tasks and outcome["tasks"] > _TASKS:
            escaped.append(Why.FORKED)
    return [Reason(why, (level,)) for why in escaped]


class _Decoys:
    """What a program inside must not reach: files, sockets, shared memory, this process."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._secret = folder / "secret"
        self._secret.write_text(_SECRET)
        self._target = folder / "target"
        self.readable = folder / "readable"
        self.readable.write_text("")
        self._byte = ctypes.c_char(b"x")
        self._memory = _shared_memory(stack)
        self._stream = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._port: int = self._stream.getsockname()[1]
        self._datagrams = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self._datagrams.bind(("127.0.0.1", self._port))
        self._datagrams.setblocking(False)
        self._local = f"toolbooth-test-{secrets.token_hex(8)}"
        if sys.platform == "linux":
            local = stack.enter_context(socket.socket(socket.AF_UNIX))
            local.bind(f"\0{self._local}")
            local.listen()

    def plan(self, profile: SandboxProfile) -> str:
        return json.dumps(
            {
                "secret": str(self._secret),
                "readable": str(self.readable),
                "memory": self._memory,
                "address": ctypes.addressof(self._byte),
                "shares_network": profile.level < IsolationLevel.FULL,
                "target": str(self._target),
                "port": self._port,
                "local": self._local,
                "pid": os.getpid(),
                "forks": _TASKS + 8,
            }
        )

    def escapes(self, outcome: JsonObject) -> list[Why]:
        """What the probe could do; a datagram counts if it arrived."""
        succeeded = {*outcome["succeeded"]} - {"datagram"}
        if self._target.exists():
            succeeded.add("write")
        else:  # it may write to a file that exists only inside
            succeeded.discard("write")
        if self._got_datagram():
            succeeded.add("connect")
        return [why for why, attempts in _ESCAPES.items() if succeeded & {*attempts.split()}]

    def _got_datagram(self) -> bool:
        try:
            return bool(self._datagrams.recv(16))
        except BlockingIOError:
            return False


def _shared_memory(stack: ExitStack) -> int:
    """A System V segment of this process; -1 where there is none."""
    if sys.platform != "linux":
        return -1
    libc = ctypes.CDLL(None)
    found: int = libc.shmget(0, _SHARED_MEMORY_BYTES, 0o600)
    stack.callback(libc.shmctl, found, _REMOVE, None)
    return found


def _run_probe(
    profile: SandboxProfile, outside: Path, decoys: _Decoys
) -> subprocess.CompletedProcess[bytes] | None:
    """Run it as a server would be. The decoys' folder is beside its home, not in it."""
    program, *args = inner_command("probe", decoys.plan(profile))
    (outside / "home").mkdir()
    home = home_inside(profile, outside / "home")
    spec = LaunchSpec(
        profile=profile,
        program=program,
        args=tuple(args),
        home=home,
        cwd=home,
        readable=(*interpreter_files(), str(decoys.readable)),
        observations=str(outside / "observations"),
        limits=SandboxLimits(tasks=_TASKS),
    )
    spec.write(outside / "spec")
    try:
        return subprocess.run(  # noqa: S603 - ourselves
            inner_command("confine", str(outside / "spec")),
            env=pack_environment({"PATH": os.defpath}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
