"""What protected us while a server's lists were learnt, and what the server tried meanwhile.

Values only. `router.domain.failure_text` has the words for them, `router.discovery` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum


class IsolationLevel(IntEnum):
    """How well a server is walled in while its lists are learnt, as a self-test has proved."""

    NONE = 0
    LIMITED = 1
    """Memory, processes and time are bounded; files and network are not."""
    CONFINED = 2
    """Files and network are blocked by rules."""
    FULL = 3
    """It sees a system of its own, with nothing of the person's in it."""


class DiscoveryAccess(StrEnum):
    """What a person lets a server have while its lists are learnt."""

    ISOLATED = "isolated"
    NETWORK = "network"
    """The network, and its real secrets: placeholders would be of no use there."""
    UNCONFINED = "unconfined"
    """All it has when it is used."""


class Why(StrEnum):
    """Why a server was not better protected, or its package not fetched beforehand: sentences with
    places for their particulars. The window has them in other languages."""

    NO_BUBBLEWRAP = "bubblewrap (bwrap) is not installed."
    TEST_TOOK_TOO_LONG = "Level {0}: the self-test did not end in time."
    TEST_FAILED = "Level {0}: {1}"
    READ_FILES = "Level {0}: a program inside could read files."
    WROTE_FILES = "Level {0}: a program inside could write files."
    REACHED_NETWORK = "Level {0}: a program inside could reach the network."
    REACHED_SOCKETS = "Level {0}: a program inside could reach local sockets."
    SIGNALLED = "Level {0}: a program inside could signal other programs."
    FORKED = "Level {0}: a program inside could start processes without end."
    IN_CONTAINER = "It runs in a container, started as written: isolation ends at the container."
    NO_NPM = "It runs as written: npm is not installed."
    NO_PYTHON = "It runs as written: neither uv nor Python is installed."
    NO_VALUE = "{0} runs it as written: {1} has no value."
    UNKNOWN_OPTION = "{0} runs it as written: the option {1} is not understood."
    NO_PACKAGE = "{0} runs it as written: it names no package."
    NOT_OF_REGISTRY = "{0} runs it as written: {1} does not come from the registry."
    NOT_OF_INDEX = "{0} runs it as written: {1} does not come from the package index."
    OTHER = "{0}"


@dataclass(frozen=True, slots=True)
class Reason:
    why: Why
    parts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.why.format(*self.parts)


@dataclass(frozen=True, slots=True)
class Protection:
    """What was in force while a server's lists were learnt; `failure_text` has the words."""

    level: IsolationLevel
    network: bool
    """Whether it could reach the network."""
    memory_mb: int | None = None
    tasks: int | None = None
    """How many processes and threads it could start."""
    cpu_percent: int | None = None
    missing: tuple[Reason, ...] = ()
    """Why it was not better protected."""

    @property
    def files_blocked(self) -> bool:
        return self.level >= IsolationLevel.CONFINED


class Unseen(StrEnum):
    """What a receipt can't know: what is not on it may still have happened."""

    ALL = "What it tried can't be seen on this system: no file, host or program is listed."
    ONLY_ASKED = "Files it only asked about, without opening them, are not listed."
    NAMES = "The names it looked up can't be seen at this level, only that it did."
    SENT = "What it sent to the hosts it reached can't be seen."
    UNREADABLE = "Some of what it tried could not be read."


@dataclass(frozen=True, slots=True)
class Package:
    """The package a server was fetched as, so that it stays what was looked at."""

    source: str
    """`npm` or `pypi`."""
    name: str
    version: str
    integrity: str
    fetched_at: datetime


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a server tried while its lists were learnt, as far as its protection could see it."""

    at: datetime
    config_hash: str
    protection: Protection
    watched: bool
    """Whether anything could be seen at all."""
    files: tuple[str, ...] = ()
    """Opened, or tried to, outside its home and its own program."""
    hosts: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    left_out: int = 0
    """How many more there were of all these."""
    unseen: tuple[str, ...] = ()
    """What could not be seen, in words."""
    memory_mb: int = 0
    """The most it had resident."""
    package: Package | None = None
    as_written: Reason | None = None
    """Why its package was not fetched beforehand, if it is one."""
