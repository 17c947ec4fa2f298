"""What a server tried, as the launcher observed it: a growing record in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from pathlib import Path

MAX_ENTRIES = 200
"""Entries of each kind; the rest is only counted."""
_MAX_CHARACTERS = 300

_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/sys", "/dev", "/proc/self",
    "/proc/thread-self", "/proc/sys/", "/etc/ld.so.", "/etc/ssl", "/etc/pki",
    "/etc/ca-certificates", "/etc/alternatives", "/etc/crypto-policies", "/nix/store", "/gnu/store",
)  # fmt: skip
"""Beginnings of their paths."""
_SYSTEM_FILES = frozenset(
    "/etc/localtime /etc/timezone /etc/nsswitch.conf /etc/passwd /etc/group /etc/resolv.conf "
    "/etc/hosts /etc/host.conf /etc/gai.conf /etc/services /etc/protocols /etc/mime.types "
    "/etc/os-release /etc/lsb-release /etc/debian_version /etc/machine-id /proc/cpuinfo "
    "/proc/meminfo /proc/stat /proc/version /proc/mounts /proc/filesystems /proc/uptime "
    "/proc/loadavg /proc/version_signature /".split()
)


@dataclass(slots=True)
class Observations:
    """Distinct entries in the order they came; `counts` includes those that were cut."""

    files: list[str] = field(default_factory=list[str])
    hosts: list[str] = field(default_factory=list[str])
    programs: list[str] = field(default_factory=list[str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    tasks: int = 0
    watched: bool = False
    incomplete: bool = False
    """Whether the arguments of some calls could not be read."""
    killed: str = ""
    """Why the launcher ended it: `memory` or `tasks`."""
    peak_mb: int = 0
    """Its peak resident memory."""

    def add(self, kind: str, what: str) -> None:
        found: list[str] = getattr(self, kind)
        what = what[:_MAX_CHARACTERS]
        if what in found:
            return
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if len(found) < MAX_ENTRIES:
            found.append(what)

    def write(self, path: Path) -> None:
        """The file is replaced as a whole, so that no reader sees half of it."""
        temporary = path.with_name(f"{path.name}.tmp")
        temporary.write_text(json.dumps(asdict(self)))
        temporary.replace(path)


def is_own(path: str, own: Collection[str]) -> bool:
    """Whether `path` is a system file that any program opens, or belongs to the server itself."""
    path = os.path.normpath(path)
    if path in _SYSTEM_FILES or path.startswith(_SYSTEM):
        return True
    return any(path == each or path.startswith(f"{each}/") for each in own)
