"""The exceptions raised inside the router. Each has a message for people and, if possible, a hint.

At the edge they become a `ToolResult` (tools) or an exit code (command line).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from router.domain.failures import Failure
from router.domain.json_values import JsonObject


class Sentence(str):
    """An English sentence with its template and parameters, so that the window can translate it. A
    sentence without parameters may be a plain `str`: it is its own template."""

    template: str
    parts: Mapping[str, object]


def sentence(template: str, **parts: object) -> Sentence:
    """Format `template`; parameters that are sentences are translated too. A text that already is
    a sentence stays as it is."""
    if isinstance(template, Sentence):
        return template
    made = Sentence(template.format(**parts) if parts else template)
    made.template, made.parts = template, parts
    return made


class ToolboothError(Exception):
    """An error with a text for people; `hint` says what to do. Both must be constants or made with
    `sentence`, because translations are collected from there. `terminal` says what the user can do
    at a terminal: no client gets that, because it could do it itself."""

    def __init__(self, message: str, hint: str = "", terminal: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.terminal = terminal

    @property
    def full_hint(self) -> str:
        """For the user."""
        return f"{self.hint} {self.terminal}".strip()


class InvalidInput(ToolboothError):
    """A bad argument: an invalid name, a value out of range."""


class WrongArguments(InvalidInput):
    """Arguments that don't meet the input schema of the tool they are for."""

    def __init__(self, message: str, hint: str, input_schema: JsonObject) -> None:
        super().__init__(message, hint)
        self.input_schema = input_schema


class NotFound(InvalidInput):
    """No such server, tool, workspace, project or token."""


class NoWorkspace(NotFound):
    def __init__(self, name: str) -> None:
        super().__init__(
            sentence('There is no workspace "{name}".', name=name),
            sentence("List them with: toolbooth workspace list"),
        )


class NoServer(NotFound):
    def __init__(self, server: str, name: str) -> None:
        """`name` is that of the workspace."""
        super().__init__(
            sentence(
                'There is no server "{server}" in workspace {name}.', server=server, name=name
            ),
            sentence("List them with: toolbooth list"),
        )


class NoProject(NotFound):
    def __init__(self, project: str, name: str) -> None:
        """`name` is that of the workspace."""
        super().__init__(
            sentence(
                'There is no project "{project}" in workspace {name}.', project=project, name=name
            ),
            sentence("List them with: toolbooth project list"),
        )


class Refused(InvalidInput):
    """A permission denies this to the client."""


class Conflict(ToolboothError):
    """It exists already, or is locked by another process."""


class ConfigError(ToolboothError):
    """A configuration file is invalid; the last good state stays in force."""

    def __init__(self, path: Path, line: int | None, reason: str) -> None:
        place = sentence("{path}, line {line}", path=path, line=line) if line is not None else path
        message = sentence("{place}: {reason}", place=place, reason=sentence(reason))
        super().__init__(
            message, sentence("Fix the file. Until then, the last valid version is used.")
        )
        self.path = path
        self.line = line
        self.reason = reason


class SecretUnavailable(ToolboothError):
    """A secret could not be read or stored. Never carries the secret."""


class UpstreamFailed(ToolboothError):
    """A server could not be started or reached, or broke the protocol; `failure` says how."""

    def __init__(self, failure: Failure, message: str, hint: str = "", terminal: str = "") -> None:
        super().__init__(message, hint, terminal)
        self.failure = failure
        self.sent = False
        """Whether the server had the request, so that it may have been carried out."""


class UpstreamAnsweredError(ToolboothError):
    """The server answered with a JSON-RPC error, which is passed to the client unchanged."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
