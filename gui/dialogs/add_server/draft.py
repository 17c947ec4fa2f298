"""A server as it is being typed: what is wrong with it, and the configuration it makes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from gui.dialogs.add_server import command_line
from gui.text.tr import tr
from router.config.server import ServerConfig
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject
from router.domain.permissions import chooses_code
from router.domain.servers import TransportType

MAX_NAME = 80
_VARIABLE = re.compile(r"[^=\0\s]+")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OWN_KEYS = ("command", "args", "env", "cwd", "url", "headers")


class DraftField(StrEnum):
    NAME = "name"
    COMMAND = "command"
    ENV = "env"
    URL = "url"
    HEADERS = "headers"


@dataclass(frozen=True, slots=True)
class ServerDraft:
    """What the form holds. Only the half that belongs to `transport` counts."""

    name: str = ""
    transport: TransportType = TransportType.STDIO
    command_line: str = ""
    env: tuple[tuple[str, str], ...] = ()
    cwd: str = ""
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, name: str, config: ServerConfig) -> ServerDraft:
        words = (config.command, *config.args) if config.command else ()
        return cls(
            name=name,
            transport=config.transport,
            command_line=command_line.join(words),
            env=tuple(config.env.items()),
            cwd=config.cwd or "",
            url=config.url or "",
            headers=tuple(config.headers.items()),
        )

    def words(self) -> list[str]:
        """The command and its arguments as typed so far, empty where they can't be read."""
        try:
            return command_line.split(self.command_line)
        except ValueError:
            return []

    def risky_variables(self) -> list[str]:
        """Variables that decide which programs and libraries are found and loaded."""
        return [name for name, _ in self.env if chooses_code(name)]

    def problems(self) -> dict[DraftField, str]:
        """What keeps it from being saved, by field."""
        found = {DraftField.NAME: _name_problem(self.name)}
        if self.transport is TransportType.STDIO:
            found[DraftField.COMMAND] = _command_problem(self.command_line)
            found[DraftField.ENV] = _pairs_problem(self.env, _VARIABLE)
        else:
            found[DraftField.URL] = _url_problem(self.url)
            found[DraftField.HEADERS] = _pairs_problem(self.headers, _HEADER)
        return {field: problem for field, problem in found.items() if problem}

    def config(self, base: ServerConfig | None = None) -> ServerConfig:
        """The configuration; what `base` has beyond the form is kept. Raises InvalidInput."""
        if problems := self.problems():
            raise InvalidInput(next(iter(problems.values())))
        kept = base.to_json() if base else {}
        others = {key: value for key, value in kept.items() if key not in _OWN_KEYS}
        return ServerConfig.model_validate({**others, **self._entry()})

    def _entry(self) -> JsonObject:
        if self.transport is TransportType.HTTP:
            return {"url": self.url.strip(), "headers": dict(self.headers)}
        command, *args = self.words()
        cwd = self.cwd.strip() or None
        return {"command": command, "args": args, "env": dict(self.env), "cwd": cwd}


def _name_problem(name: str) -> str:
    if not name.strip():
        return tr("Enter a name for the server.")
    if len(name.strip()) > MAX_NAME:
        return tr("The name is longer than {most} characters.").format(most=MAX_NAME)
    return ""


def _command_problem(text: str) -> str:
    try:
        words = command_line.split(text)
    except ValueError:
        return tr("A quotation mark is not closed.")
    return "" if words and words[0] else tr("Enter the command that starts the server.")


def _url_problem(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # Raises where the port is no number.
    except ValueError:
        usable = False
    return "" if usable else tr("The URL must start with http:// or https://.")


def _pairs_problem(pairs: Iterable[tuple[str, str]], allowed: re.Pattern[str]) -> str:
    seen: set[str] = set()
    for name, _ in pairs:
        if not name:
            return tr("Every value needs a name.")
        if not allowed.fullmatch(name):
            return tr("“{name}” is not a valid name.").format(name=name)
        if name in seen:
            return tr("“{name}” appears twice.").format(name=name)
        seen.add(name)
    return ""
