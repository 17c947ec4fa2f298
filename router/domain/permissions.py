"""Permissions and permission requests; and which environment variables choose the code a server
runs."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType

from router.domain.ids import ProjectId, ServerRef, ToolKey

PermissionRequestId = NewType("PermissionRequestId", str)

_CHOOSES_CODE = re.compile(
    r"path(?:ext)?|node_(?:options|path)|(?:ld_|dyld_|python|npm_config_|uv_|pip_|pipx_|bun_).*",
    re.IGNORECASE,
)


def chooses_code(variable: str) -> bool:
    """Whether the value of this environment variable decides which code a program runs."""
    return _CHOOSES_CODE.fullmatch(variable) is not None


def would_run(command: str, variables: Collection[str]) -> str:
    """What the user consents to, as text: the command, the names of the variables set for it, and
    which of them choose code."""
    shown = f"“{command}”"
    if variables:
        shown += f" with {', '.join(sorted(variables))}"
    if risky := sorted(filter(chooses_code, variables)):
        shown += f". {', '.join(risky)} can make it run other code: make sure you want this"
    return shown


class Permission(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class PermissionKind(StrEnum):
    """What a permission is about."""

    TOOL = "tool"
    PROMPT = "prompt"
    RESOURCE = "resource"


class Answer(StrEnum):
    """The user's answer to a permission request."""

    ONCE = "once"
    SESSION = "session"
    """Until the client's session ends."""
    HOUR = "hour"
    ALWAYS = "always"
    """The tool's permission becomes allow."""
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """A call that waits for the user's permission."""

    id: PermissionRequestId
    client: str
    ref: ServerRef
    server_name: str
    project: ProjectId | None
    kind: PermissionKind
    name: str
    """The tool's or prompt's own name, or the resource's address."""
    arguments: str
    """As text for people: secrets masked, long values cut."""
    until: datetime
    """When it expires, which counts as a denial."""

    @property
    def key(self) -> ToolKey:
        return ToolKey(self.ref.server, self.name)
