"""Discovery receipts: the isolation in force during a discovery, and what the server tried.

`router.discovery` creates them; `failure_text` describes them in English.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum


class IsolationLevel(IntEnum):
    """The isolation of a server during discovery, as the self-test has proved it."""

    NONE = 0
    LIMITED = 1
    """Memory, processes and time are bounded; files and network are not."""
    CONFINED = 2
    """Files and network are blocked by rules."""
    FULL = 3
    """It runs in namespaces of its own, without the user's files."""


class DiscoveryAccess(StrEnum):
    """What the user allows a server during discovery."""

    ISOLATED = "isolated"
    NETWORK = "network"
    """The network and its real secrets, because placeholders are useless there."""
    UNCONFINED = "unconfined"
    """Everything it has in normal use."""


@dataclass(frozen=True, slots=True)
class SharedPath:
    """A file or folder that the user lets a server use during discovery."""

    path: str
    writable: bool = False


class Why(StrEnum):
    """Why a server was not better isolated, or its package not fetched beforehand: templates of
    sentences, which the window translates."""

    NO_BUBBLEWRAP = "bubblewrap (bwrap) is not installed."
    TEST_TOOK_TOO_LONG = "Level {0}: the self-test timed out."
    TEST_FAILED = "Level {0}: {1}"
    READ_FILES = "Level {0}: a sandboxed program could read files."
    WROTE_FILES = "Level {0}: a sandboxed program could write files."
    REACHED_NETWORK = "Level {0}: a sandboxed program could reach the network."
    REACHED_SOCKETS = "Level {0}: a sandboxed program could reach local sockets."
    SIGNALLED = "Level {0}: a sandboxed program could signal other programs."
    CHANGED_PROGRAMS = "Level {0}: a sandboxed program could change other programs."
    SHARED_MEMORY = "Level {0}: a sandboxed program could use the shared memory of others."
    FORKED = "Level {0}: a sandboxed program could start unlimited processes."
    IN_CONTAINER = "It runs in a container, started as configured: isolation ends at the container."
    NO_NPM = "Started as configured: npm is not installed."
    NO_PYTHON = "Started as configured: neither uv nor a Python with its venv module is installed."
    NO_UV = "Started as configured: uv is not installed."
    NO_VALUE = "Started by {0} as configured: {1} has no value."
    UNKNOWN_OPTION = "Started by {0} as configured: unknown option {1}."
    NO_PACKAGE = "Started by {0} as configured: no package name found."
    NOT_OF_REGISTRY = "Started by {0} as configured: {1} is not from the registry."
    NOT_OF_INDEX = "Started by {0} as configured: {1} is not from the package index."
    NOT_A_PROGRAM = "Started by {0} as configured: {1} is not a program of a package."
    OWN_SETTINGS = "Started by {0} as configured: {1} may change what it runs."
    DOWNLOADS_ITSELF = "Started as configured: {0} downloads {1} when it starts."
    OTHER = "{0}"


@dataclass(frozen=True, slots=True)
class Reason:
    why: Why
    parts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.why.format(*self.parts)


@dataclass(frozen=True, slots=True)
class Protection:
    """The isolation in force during a discovery."""

    level: IsolationLevel
    network: bool
    """Whether it could reach the network."""
    memory_mb: int | None = None
    tasks: int | None = None
    """How many processes and threads it could start."""
    cpu_percent: int | None = None
    missing: tuple[Reason, ...] = ()
    """Why the isolation was not stronger."""
    shared: tuple[SharedPath, ...] = ()

    @property
    def files_blocked(self) -> bool:
        return self.level >= IsolationLevel.CONFINED


class Unseen(StrEnum):
    """What a receipt can't show: what it does not list may still have happened."""

    ALL = "This system can't monitor the server: files, hosts and programs are not recorded."
    ONLY_ASKED = "Files that it checked but did not open are not recorded."
    NAMES = "DNS lookups are detected at this isolation level, but not the names."
    SENT = "The data sent to hosts is not recorded."
    UNREADABLE = "Some of its activity could not be recorded."


@dataclass(frozen=True, slots=True)
class Package:
    """The package version that was fetched, vetted and is run."""

    source: str
    """`npm` or `pypi`."""
    name: str
    version: str
    integrity: str
    fetched_at: datetime
    size_bytes: int = 0
    """Of its files and those of all packages it needs; equal ones are on the disk once."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a server tried during discovery, as far as its isolation could observe it."""

    at: datetime
    config_hash: str
    protection: Protection
    watched: bool
    """Whether its activity could be observed at all."""
    files: tuple[str, ...] = ()
    """Opened, or tried to, outside its home and its own program."""
    hosts: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    left_out: int = 0
    """How many more files, hosts and programs are not listed."""
    unseen: tuple[str, ...] = ()
    """What could not be observed, as sentences."""
    memory_mb: int = 0
    """Its peak resident memory."""
    package: Package | None = None
    as_written: Reason | None = None
    """Why its package was not fetched beforehand, if it is one."""
