"""Running a program confined, in each profile this machine supports and as each available user."""

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
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from router.discovery.sandbox.bubblewrap import home_inside
from router.discovery.sandbox.launch_spec import (
    LaunchSpec,
    SandboxLimits,
    SandboxProfile,
    pack_environment,
)
from router.discovery.sandbox.required_files import files_needed
from router.discovery.sandbox.self_test import (
    check_profile,
    sandbox_profiles,
    supported_sandbox,
)
from tests.support.router_process import ROOT
from tests.support.timeouts import WAIT_S

ESCAPE_ATTEMPTS = ROOT / "tests" / "servers" / "escape_attempts.py"
INNER = ROOT / "router" / "discovery" / "sandbox" / "self_commands.py"
_NOBODY = 65534
_PYTHONS = (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3")


@dataclass(frozen=True, slots=True)
class User:
    """Who runs it: a prefix of the command line, and a Python this user can start."""

    name: str
    prefix: tuple[str, ...] = ()
    python: str = sys.executable


@functools.cache
def offered_profiles() -> tuple[SandboxProfile, ...]:
    """The profiles that pass the self-test: all that the tests' expectations depend on."""
    return tuple(profile for profile in sandbox_profiles() if not check_profile(profile))


def offered(level: int) -> SandboxProfile | None:
    """The profile of this level whose attempts can be observed; without one, the self-test says
    why."""
    found = next(
        (profile for profile in offered_profiles() if profile.level == level and profile.watch),
        None,
    )
    if found is None:
        known = supported_sandbox()
        assert known.profile.level != level, "and yet it is used"
        assert known.missing, "and nobody says why"
    return found


@functools.cache
def users() -> tuple[User, ...]:
    ourselves = User("ourselves")
    if os.geteuid() != 0:
        return (ourselves,)
    prefix = ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "env")
    for python in _PYTHONS:
        nobody = User("nobody", prefix, python)
        if _can_run(nobody):
            return (ourselves, nobody)
    return (ourselves,)  # no other user may read this folder, or start a Python


def _can_run(user: User) -> bool:
    """Whether this user can start its Python and read the programs of the tests."""
    with _folder(user) as folder:
        needed = [str(path) for path in (INNER, ESCAPE_ATTEMPTS, folder)]
        code = "import os, sys; sys.exit(not all(os.access(p, os.R_OK) for p in sys.argv[1:]))"
        command = [*user.prefix, user.python, "-c", code, *needed]
        return subprocess.run(command, capture_output=True, cwd="/").returncode == 0


@dataclass(frozen=True, slots=True)
class Run:
    code: int
    out: str
    err: str
    observations: dict[str, Any]

    @property
    def answer(self) -> dict[str, Any]:
        return json.loads(self.out)


def run_confined(
    profile: SandboxProfile,
    user: User,
    *words: str,
    script: Path = ESCAPE_ATTEMPTS,
    limits: SandboxLimits | None = None,
    network: bool = False,
) -> Run:
    """Run one of our scripts in a sandbox, as the router would run a server."""
    with _folder(user) as folder:
        home = home_inside(profile, folder / "home")
        program = user.python
        args = (str(script), *words)
        needed = files_needed(
            program, args, cwd=None, search_path=os.defpath, home=Path("/nonexistent")
        )
        LaunchSpec(
            profile=profile,
            program=program,
            args=args,
            home=home,
            cwd=home,
            readable=tuple(sorted(needed)),
            observations=str(folder / "observations"),
            limits=limits or SandboxLimits(),
            network=network,
        ).write(folder / "spec")
        (folder / "spec").chmod(0o644)
        done = subprocess.run(
            [*user.prefix, user.python, "-I", "-S", "-B", str(INNER), "confine", folder / "spec"],
            env=pack_environment({"HOME": home, "PATH": os.defpath}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
        )
        seen = folder / "observations"
        observations: dict[str, Any] = json.loads(seen.read_text() if seen.exists() else "{}")
        return Run(done.returncode, done.stdout, done.stderr, observations)


@contextmanager
def _folder(user: User) -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="toolbooth-confined-"))
    try:
        (folder / "home").mkdir()
        if user.prefix:
            for path in (folder, folder / "home"):
                os.chown(path, _NOBODY, _NOBODY)
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def escape_targets(user: User) -> Generator[dict[str, Any]]:
    """What a confined program must not reach; unconfined, its user could reach all of it."""
    with ExitStack() as stack:
        folder = stack.enter_context(_folder(user))
        (folder / "secret").write_text("secret")
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        bus = stack.enter_context(socket.socket(socket.AF_UNIX))
        bus.bind(str(folder / "bus"))
        bus.listen()
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        name = f"toolbooth-bait-{secrets.token_hex(8)}"
        abstract.bind(f"\0{name}")
        abstract.listen()
        libc = ctypes.CDLL(None)
        memory = libc.shmget(0, 4096, 0o666)
        stack.callback(libc.shmctl, memory, 0, None)
        if user.prefix:
            for path in (folder / "secret", folder / "bus"):
                os.chown(path, _NOBODY, _NOBODY)
        other = subprocess.Popen([*user.prefix, "sleep", "600"], env={"SECRET": "s3cret"})
        stack.callback(other.wait)
        stack.callback(other.kill)
        yield {
            "secret": str(folder / "secret"),
            "home": str(folder),
            "port": listener.getsockname()[1],
            "bus": str(folder / "bus"),
            "abstract": name,
            "pid": other.pid,
            "memory": memory,
        }
