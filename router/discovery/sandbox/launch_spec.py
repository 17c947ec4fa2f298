"""What the launcher is told: which program, inside which walls, with which limits.

The order travels as a JSON file, the server's environment in that of the launcher, with a prefix:
so no value is ever on disk or on a command line, and no variable of the server (LD_PRELOAD) acts on
the launcher itself.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ENV_PREFIX = "TOOLBOOTH_CONFINED_"


@dataclass(frozen=True, slots=True)
class Limits:
    memory_mb: int = 512
    tasks: int = 512
    """How many processes and threads it may start in all."""
    cpu_percent: int | None = None
    """Of one core."""
    files_mb: int = 64


@dataclass(frozen=True, slots=True)
class Order:
    """One confined run."""

    level: int
    program: str
    args: tuple[str, ...]
    home: str
    """Its home: at level 3 a path that exists only inside, else a folder made for it."""
    cwd: str
    readable: tuple[str, ...]
    """Files and folders it may read: its own program, and what its command names."""
    sightings: str
    """The file the launcher writes what it saw to."""
    empty: tuple[str, ...] = ()
    """Folders that are there at level 3, but without what is in them."""
    limits: Limits = field(default_factory=Limits)
    network: bool = False
    bwrap: str = ""
    forbids_nesting: bool = False
    """Whether this `bwrap` can forbid user namespaces inside."""
    watch: bool = True
    """Whether to look at what it does, by seccomp."""

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(dataclasses.asdict(self)))

    @classmethod
    def read(cls, path: Path) -> Order:
        order = json.loads(path.read_text())
        limits = Limits(**order.pop("limits"))
        for name in ("args", "readable", "empty"):
            order[name] = tuple(order[name])
        return cls(**order, limits=limits)


def packed(environment: Mapping[str, str]) -> dict[str, str]:
    return {f"{ENV_PREFIX}{name}": value for name, value in environment.items()}


def unpacked(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix(ENV_PREFIX): value
        for name, value in environment.items()
        if name.startswith(ENV_PREFIX)
    }
