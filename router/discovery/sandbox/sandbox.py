"""One confined run: a folder for it, the command that starts it inside, what was seen, no traces.

Whoever holds a `Confined` starts its command like any other; this room knows nothing of MCP.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import shutil
import stat
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from router.discovery.sandbox import bubblewrap
from router.discovery.sandbox.launch_spec import Limits, Order, packed
from router.discovery.sandbox.required_files import files_needed, folders_named
from router.discovery.sandbox.self_commands import inner_command
from router.discovery.sandbox.self_test import Abilities, Way, abilities
from router.domain.json_values import JsonObject, as_object
from router.domain.receipts import IsolationLevel, Protection
from router.store.files import is_running, private_folder
from router.upstream.process.stdio import Command

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A server to be run confined: `environment` is all it gets, but for its home."""

    program: str
    args: Sequence[str]
    environment: Mapping[str, str] = field(repr=False)
    cwd: str | None = None
    network: bool = False
    readable: Sequence[str] = ()
    """What it needs besides what its command shows."""
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Confined:
    command: Command
    protection: Protection
    sightings_file: Path

    def sightings(self) -> JsonObject:
        """What the launcher has seen so far."""
        try:
            return as_object(json.loads(self.sightings_file.read_bytes()))
        except (OSError, ValueError):
            return {}


class Sandbox:
    """Makes confined runs in `folder`, the best way this machine has."""

    def __init__(
        self, folder: Path, home: Path, find_abilities: Callable[[], Abilities] = abilities
    ) -> None:
        self._folder = folder
        self._home = home
        self._find_abilities = find_abilities
        self._swept = False

    async def abilities(self) -> Abilities:
        return await asyncio.to_thread(self._find_abilities)

    @asynccontextmanager
    async def confined(self, wanted: Wanted) -> AsyncGenerator[Confined]:
        """Everything of the run is gone at the end, whatever happens."""
        found = await self.abilities()
        run = self._folder / f"{os.getpid()}-{secrets.token_hex(6)}"
        try:
            yield await asyncio.to_thread(self._prepare, run, wanted, found)
        finally:
            await asyncio.shield(asyncio.to_thread(remove_tree, run))

    def _prepare(self, run: Path, wanted: Wanted, found: Abilities) -> Confined:
        self._sweep()
        private_folder(run / "home")
        way = found.way
        command = _unconfined(wanted, run) if not way.level else self._order(run, wanted, way)
        in_force = protection(found, wanted.limits, network=wanted.network)
        return Confined(command, in_force, run / "sightings")

    def _order(self, run: Path, wanted: Wanted, way: Way) -> Command:
        full = way.level is IsolationLevel.FULL
        home = bubblewrap.HOME if full else str(run / "home")
        environment = _at_home(wanted.environment, home, temporary="/tmp" if full else home)  # noqa: S108
        readable = files_needed(
            wanted.program,
            wanted.args,
            cwd=wanted.cwd,
            search_path=wanted.environment.get("PATH", os.defpath),
            home=self._home,
            known=wanted.readable,
        )
        order = Order(
            level=way.level,
            program=wanted.program,
            args=tuple(wanted.args),
            home=home,
            cwd=wanted.cwd if wanted.cwd and _covers(readable, wanted.cwd) else home,
            readable=tuple(sorted(readable)),
            empty=tuple(sorted(folders_named(wanted.args, wanted.cwd, self._home))),
            sightings=str(run / "sightings"),
            limits=wanted.limits,
            network=wanted.network,
            bwrap=way.bwrap,
            forbids_nesting=way.forbids_nesting,
            watch=way.watch,
        )
        order.write(run / "order")
        launcher, *words = inner_command("confine", str(run / "order"))
        return Command(launcher, words, _launcher_environment(environment), str(run), False)

    def _sweep(self) -> None:
        """Remove, once, what runs of a killed Toolbooth have left."""
        if self._swept or not self._folder.is_dir():
            return
        self._swept = True
        for left in self._folder.iterdir():
            maker = left.name.partition("-")[0]
            if maker.isdecimal() and int(maker) != os.getpid() and not is_running(int(maker)):
                remove_tree(left)


def protection(found: Abilities, limits: Limits, *, network: bool) -> Protection:
    """What holds for a run with these limits, given what this machine is able to."""
    level = found.way.level
    bounded = level >= IsolationLevel.LIMITED
    return Protection(
        level=level,
        network=network or level < IsolationLevel.CONFINED,
        memory_mb=limits.memory_mb if bounded else None,
        tasks=limits.tasks if bounded else None,
        cpu_percent=limits.cpu_percent if bounded else None,
        missing=found.missing,
    )


def _covers(paths: Iterable[str], path: str) -> bool:
    return any(Path(path).is_relative_to(each) for each in paths)


def _unconfined(wanted: Wanted, run: Path) -> Command:
    home = str(run / "home")
    environment = _at_home(wanted.environment, home, temporary=home)
    return Command(wanted.program, wanted.args, environment, wanted.cwd or home, False)


def _launcher_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What the launcher itself needs; Windows' Python does not start without its system's folder,
    and that of a bundle finds its libraries by itself."""
    own = {name: os.environ[name] for name in ("SYSTEMROOT", "PATH") if name in os.environ}
    return {**own, **packed(environment)}


def _at_home(environment: Mapping[str, str], home: str, *, temporary: str) -> dict[str, str]:
    """Every variable that says where the person's files lie, bent to the run's own home."""
    bent = {k: v for k, v in environment.items() if not k.startswith("XDG_")}
    places = dict.fromkeys(("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"), home)
    present = {k: v for k, v in places.items() if k == "HOME" or k in bent}
    return {**bent, **present, "TMPDIR": temporary, "TEMP": temporary, "TMP": temporary}


def remove_tree(folder: Path) -> None:
    """Remove `folder`, also where its owner took the right to."""

    def insist(_: Callable[..., Any], path: str, __: Any) -> None:
        try:
            for place in (Path(path).parent, Path(path)):
                place.chmod(stat.S_IRWXU)
            if Path(path).is_dir() and not Path(path).is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                Path(path).unlink()
        except OSError as error:
            log.warning("%s could not be removed: %s", path, error)

    if folder.exists():
        shutil.rmtree(folder, onerror=insist)
