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
    # the system: loader, lookup of programs and settings, shells, what programs start
    r"path(?:ext)?|(?:_rld|ld|dyld|gconv|getconf|glibc|malloc|nis|resolv|path)_.*|(?:loc|nls|f)path"
    r"|language|term(?:info.*|cap|path)|hostaliases|globignore|(?:read)?nullcmd|tmpprefix"
    r"|home|userprofile|(?:local)?appdata|xdg_.*|tmpdir|te?mp|env|bash.*|shell(?:opts)?|zdotdir"
    r"|ifs|ps4|prompt_command|comspec|psmodulepath|editor|visual|browser|.*pager|lesso.*|lessclose"
    # runtimes and package managers
    r"|node_(?!env$).*|(?:npm|yarn|pnpm|corepack|nvm|bun|deno|tsx?|ts_node)_.*|python.*|(?:uv|pip|pipx)_.*"
    r"|(?:conda|poetry|virtual_env|pyenv).*|perl.*|ruby.*|(?:gem|bundle|bundler|rbenv)_.*|j?ruby_?opts?"
    r"|_?java_.*|jdk_.*|classpath|(?:maven|mvn|gradle|kotlin|scala|sbt|ant|groovy|jvm).*"
    r"|(?:dotnet|coreclr|cor|complus|msbuild|nuget)_.*|php.*|lua_.*|go(?:root|path|flags|toolchain|proxy)"
    r"|(?:cargo|rustup|rustc)_?.*|r_(?:home|libs|profile|environ).*|erl_.*|elixir_.*|ghc.*|guile_.*|tcl.*"
    # tools that run what they are told
    r"|(?:git|ssh|sudo|docker|openssl|ansible|vim)_.*|viminit|cvs_rsh|rsync_rsh|makeflags|gcc_exec_prefix",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r"TZ|LANG|LC_[A-Z]+|NO_COLOR|FORCE_COLOR|(?:[A-Z]+_)?LOG_?LEVEL")


def chooses_code(variable: str) -> bool:
    """Whether this environment variable is known to decide which code a program runs: the user is
    warned. No list of them is complete, so a consent covers all but the harmless ones."""
    return _CHOOSES_CODE.fullmatch(variable) is not None


def is_harmless(variable: str) -> bool:
    """Whether no value of this environment variable changes which code a program runs."""
    return _HARMLESS.fullmatch(variable) is not None


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
    FOLDER = "folder"
    """A client's folder, in which a server is to run. No rule covers it."""


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
    """The tool's or prompt's own name, the resource's address, or the folder."""
    arguments: str
    """As text for people: secrets masked, long values cut."""
    until: datetime
    """When it expires, which counts as a denial."""

    @property
    def key(self) -> ToolKey:
        return ToolKey(self.ref.server, self.name)
