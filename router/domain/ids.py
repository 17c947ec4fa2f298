"""Identifiers of servers, workspaces, projects, tokens and tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

ServerId = NewType("ServerId", str)
WorkspaceId = NewType("WorkspaceId", str)
ProjectId = NewType("ProjectId", str)
TokenId = NewType("TokenId", str)


@dataclass(frozen=True, slots=True, order=True)
class ToolKey:
    """`serverId:toolName`, the name by which the meta-tools call a tool."""

    server: ServerId
    tool: str

    def __str__(self) -> str:
        return f"{self.server}:{self.tool}"

    @property
    def shown(self) -> str:
        """The tool's name for display: look-alike characters are escaped."""
        return escaped_name(self.tool)


@dataclass(frozen=True, slots=True, order=True)
class ServerRef:
    """One server of one workspace: the key of its upstream and its cache entry."""

    workspace: WorkspaceId
    server: ServerId


def escaped_name(name: str) -> str:
    """A tool's name for display: characters that are no plain letter, digit or sign are escaped.

    Letters of other scripts stay, unless they are mixed with ASCII letters, which they may imitate.
    """
    if name.isascii() and name.isprintable():
        return name
    mixed = any(c.isascii() and c.isalpha() for c in name)
    return "".join(c if _is_plain(c, mixed) else _written_out(c) for c in name)


def _is_plain(character: str, mixed: bool) -> bool:
    if character.isascii():
        return character.isprintable()
    return not mixed and character.isalnum()


def _written_out(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
