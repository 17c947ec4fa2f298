"""What the launcher gets: which program to run, with which confinement and limits.

The specification is a JSON file. The server's environment is passed in the launcher's own, with a
prefix: so no value is ever on disk or on a command line, and no variable of the server (LD_PRELOAD)
affects the launcher.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ENV_PREFIX = "TOOLBOOTH_CONFINED_"
OVER_LIMIT = 124
"""The launcher's exit code if the server exceeded a limit."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    memory_mb: int = 512
    tasks: int = 512
    """How many processes and threads it may start in all."""
    cpu_percent: int | None = None
    """Of one core."""
    files_mb: int = 256
    """How much it may write to its home, and to a single file where its home is a real folder."""


@dataclass(frozen=True, slots=True)
class SandboxProfile:
    """A kind of sandbox, and which of its features this machine has."""

    level: int
    """An `IsolationLevel`, which the launcher does not import."""
    watch: bool = False
    """Whether the server is observed, with seccomp."""
    bwrap: str = ""
    forbids_nesting: bool = False
    """Whether this `bwrap` can forbid user namespaces inside."""


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """One confined run."""

    profile: SandboxProfile
    program: str
    args: tuple[str, ...]
    home: str
    """At level 3 a path that exists only inside, otherwise a folder created for the run."""
    cwd: str
    readable: tuple[str, ...]
    """Files and folders it may read: its own program, and those its command names."""
    observations: str
    """The file that the launcher writes its observations to."""
    writable: tuple[str, ...] = ()
    """Files and folders it may change too, besides its home."""
    links: tuple[tuple[str, str], ...] = ()
    """Links in its home, each with its target."""
    empty: tuple[str, ...] = ()
    """Folders that exist at level 3, but without their content."""
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    network: bool = False

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(dataclasses.asdict(self)))

    @classmethod
    def read(cls, path: Path) -> LaunchSpec:
        spec = json.loads(path.read_text())
        for name in ("args", "readable", "writable", "empty"):
            spec[name] = tuple(spec[name])
        spec["links"] = tuple((link, target) for link, target in spec["links"])
        spec["profile"] = SandboxProfile(**spec["profile"])
        spec["limits"] = SandboxLimits(**spec["limits"])
        return cls(**spec)


def pack_environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {f"{ENV_PREFIX}{name}": value for name, value in environment.items()}


def unpack_environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix(ENV_PREFIX): value
        for name, value in environment.items()
        if name.startswith(ENV_PREFIX)
    }
