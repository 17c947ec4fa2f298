"""Other applications on this computer: the servers they have configured, and their connection to
the router.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NewType, Protocol

from router.config.server import ServerConfig
from router.domain.ids import ServerId, TokenId, WorkspaceId

AppId = NewType("AppId", str)


class AppState(StrEnum):
    ABSENT = "absent"
    """Nothing on this computer shows that it is installed."""
    FOUND = "found"
    CONNECTED = "connected"
    UNREADABLE = "unreadable"
    """Its file can't be understood, so it is left alone."""


@dataclass(frozen=True, slots=True)
class App:
    """An application that can be connected, and where it keeps its servers."""

    id: AppId
    name: str
    path: Path
    state: AppState
    by_bridge: bool = False
    """It only starts programs, so it starts `toolbooth connect`."""
    has_comments: bool = False
    outdated: bool = False
    """It is connected, but to an address that we no longer have."""
    token: TokenId | None = None
    """The token its entry holds, if it is connected with one."""
    reason: str = ""
    """Why its file can't be read."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a preview: `sign` is "+", "-" or a space."""

    sign: str
    text: str


@dataclass(frozen=True, slots=True)
class AppConnectionPlan:
    """What connecting would change in the file as it is now. Contains no token."""

    client: AppId
    name: str
    path: Path
    new_file: bool
    lines: tuple[DiffLine, ...]
    fingerprint: str
    open_to_others: bool = False
    """Other users of this computer can read the file, and so the token that will be in it."""


@dataclass(frozen=True, slots=True)
class AppConnection:
    """A file that was changed, and how to undo that."""

    client: AppId
    name: str
    path: Path
    backup: Path | None
    """The file as it was; None if there was none."""
    undo: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A value that another application prompts the user for when it starts a server."""

    id: str
    description: str
    secret: bool
    default: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server configured in another application, in our own shape."""

    name: str
    source: str
    """The application's name."""
    path: Path
    config: ServerConfig
    prompts: tuple[Prompt, ...] = ()
    prefix: str = ""
    """The prefix of the keyring names of its prompts."""


@dataclass(frozen=True, slots=True)
class SkippedEntry:
    """An entry that is not a server we can run."""

    name: str
    source: str
    prefix: str
    reason: str

    @property
    def sentence(self) -> str:
        return f"Skipped {self.name}: {self.reason}."


@dataclass(frozen=True, slots=True)
class FoundServers:
    servers: tuple[FoundServer, ...]
    problems: tuple[str, ...] = ()
    """A sentence for each file that could not be read, with its path and line."""
    skipped: tuple[SkippedEntry, ...] = ()


class AppsPort(Protocol):
    """All are commands: they read files that others write."""

    async def list(self) -> tuple[App, ...]:
        """Those that can be connected, whether they are installed or not."""
        ...

    async def find_servers(self) -> FoundServers: ...
    async def read_file(self, path: Path) -> FoundServers:
        """The servers of a file, and its entries that are skipped."""
        ...

    async def import_servers(
        self, workspace: WorkspaceId, servers: Sequence[FoundServer], answers: Mapping[str, str]
    ) -> tuple[ServerId, ...]:
        """Add `servers`; `answers` are to their prompts, by id. Commands wait for consent."""
        ...

    async def plan(self, app_id: AppId) -> AppConnectionPlan:
        """What connecting would change in the application's file."""
        ...

    async def connect(self, plan: AppConnectionPlan) -> AppConnection:
        """Make the planned change, with a token for this application. Refused if the file has
        changed since."""
        ...

    async def disconnect(self, app_id: AppId) -> AppConnection: ...
    async def undo(self, connection: AppConnection) -> None:
        """Put the file back as it was, byte for byte."""
        ...

    async def snippet(self, app_id: AppId) -> str:
        """Our entry to paste by hand, with a new token in it."""
        ...
