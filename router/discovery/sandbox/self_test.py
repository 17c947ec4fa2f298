"""The proof: which level of isolation this machine really gives, found by trying to get out of it.

From the best level down, a probe is run inside. Only a level that holds in every attempt counts;
why a better one does not is kept in words. Blocks for some tenths of a second: for a thread, once.
"""

from __future__ import annotations

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
from typing import Any

from router.discovery.sandbox.bubblewrap import HOME
from router.discovery.sandbox.launch_spec import Limits, Order, packed
from router.discovery.sandbox.required_files import interpreter_files
from router.discovery.sandbox.self_commands import inner_command
from router.domain.receipts import IsolationLevel, Reason, Why

_PATIENCE_S = 20
_TASKS = 24
_SECRET = "a file of the person's"  # noqa: S105 - what the probe must not read


@dataclass(frozen=True, slots=True)
class Way:
    """One way to confine a server."""

    level: IsolationLevel
    watch: bool = False
    """Whether what the server tries can be seen."""
    bwrap: str = ""
    forbids_nesting: bool = False


@dataclass(frozen=True, slots=True)
class Abilities:
    """The best way that holds, and why better ones don't."""

    way: Way
    missing: tuple[Reason, ...] = ()


@functools.cache
def abilities() -> Abilities:
    """What this machine gives, tested at the first call."""
    return best_of(candidates())


def best_of(ways: Iterable[Way]) -> Abilities:
    missing: list[Reason] = []
    for way in ways:
        if not (faults := try_out(way)):
            return Abilities(way, tuple(missing))
        missing += faults
    return Abilities(Way(IsolationLevel.NONE), tuple(missing))


def candidates() -> list[Way]:
    """All ways this system has, best first."""
    if sys.platform == "win32":
        return [Way(IsolationLevel.LIMITED)]
    if sys.platform == "darwin":
        return [Way(IsolationLevel.CONFINED), Way(IsolationLevel.LIMITED)]
    bwrap = shutil.which("bwrap") or ""
    full = Way(IsolationLevel.FULL, True, bwrap, bool(bwrap) and _can_forbid_nesting(bwrap))
    return [
        full,
        Way(IsolationLevel.CONFINED, watch=True),
        Way(IsolationLevel.LIMITED, watch=True),
        Way(IsolationLevel.LIMITED),
    ]


def _can_forbid_nesting(bwrap: str) -> bool:
    helped = subprocess.run([bwrap, "--help"], capture_output=True, check=False)  # noqa: S603
    return b"--disable-userns" in helped.stdout


def try_out(way: Way) -> list[Reason]:
    """Run the probe; what is wrong with the way, if anything."""
    level = str(int(way.level))
    if way.level is IsolationLevel.FULL and not way.bwrap:
        return [Reason(Why.NO_BUBBLEWRAP)]
    with ExitStack() as stack:
        outside = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="toolbooth-test-")))
        baits = _Baits(stack, outside)
        done = _run_probe(way, outside, baits)
        if done is None:
            return [Reason(Why.TEST_TOOK_TOO_LONG, (level,))]
        if (outcome := _decoded(done.stdout)) is None:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no answer"]
            return [Reason(Why.TEST_FAILED, (level, said[-1]))]
        escaped = baits.escapes(outcome) if way.level >= IsolationLevel.CONFINED else []
        if outcome["tasks"] > _TASKS and (way.watch or way.level >= IsolationLevel.CONFINED):
            escaped.append(Why.FORKED)
    return [Reason(why, (level,)) for why in escaped]


class _Baits:
    """What a program inside must not reach: a file, a folder, sockets, this process."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._secret = folder / "secret"
        self._secret.write_text(_SECRET)
        self._target = folder / "target"
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

    def plan(self) -> str:
        return json.dumps(
            {
                "secret": str(self._secret),
                "target": str(self._target),
                "port": self._port,
                "local": self._local,
                "pid": os.getpid(),
                "forks": _TASKS + 8,
            }
        )

    def escapes(self, outcome: dict[str, Any]) -> list[Why]:
        """What the probe could do; a datagram counts if it arrived."""
        found = {
            Why.READ_FILES: outcome["read"],
            Why.WROTE_FILES: self._target.exists(),
            Why.REACHED_NETWORK: outcome["connect"] or self._got_datagram(),
            Why.REACHED_SOCKETS: outcome["local"],
            Why.SIGNALLED: outcome["signal"],
        }
        return [what for what, worked in found.items() if worked]

    def _got_datagram(self) -> bool:
        try:
            return bool(self._datagrams.recv(16))
        except BlockingIOError:
            return False


def _run_probe(way: Way, outside: Path, baits: _Baits) -> subprocess.CompletedProcess[bytes] | None:
    """Run it as a server would be. The baits' folder is beside its home, not in it."""
    program, *args = inner_command("probe", baits.plan())
    full = way.level is IsolationLevel.FULL
    home = outside / "home"
    home.mkdir()
    order = Order(
        level=way.level,
        program=program,
        args=tuple(args),
        home=HOME if full else str(home),
        cwd=HOME if full else str(home),
        readable=interpreter_files(),
        sightings=str(outside / "sightings"),
        limits=Limits(tasks=_TASKS),
        bwrap=way.bwrap,
        forbids_nesting=way.forbids_nesting,
        watch=way.watch,
    )
    order.write(outside / "order")
    try:
        return subprocess.run(  # noqa: S603 - ourselves
            inner_command("confine", str(outside / "order")),
            env=packed({"PATH": os.defpath}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None


def _decoded(printed: bytes) -> dict[str, Any] | None:
    try:
        return json.loads(printed)
    except ValueError:
        return None
