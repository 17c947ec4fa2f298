"""The exceptions raised inside the router, each with a sentence and, where there is one, a way out.

Raise these within; where a tool or a command answers, they become a `ToolResult` or an exit code.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from router.domain.failures import Failure


class Sentence(str):
    """An English sentence that knows what it was made of, so that a window can say it in another
    language. One without parts may be a plain `str`: it is its own template."""

    template: str
    parts: Mapping[str, object]


def said(template: str, **parts: object) -> Sentence:
    """`template` with its `{parts}`; those that are sentences are translated too."""
    made = Sentence(template.format(**parts) if parts else template)
    made.template, made.parts = template, parts
    return made


def sentence(text: str) -> Sentence:
    """`text` as a part of another sentence, to be translated with it."""
    return text if isinstance(text, Sentence) else said(text)


class ToolboothError(Exception):
    """Anything we can explain to a person. `hint` says what to do about it. Both are written as
    constants or with `said`, which is where translators find them."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InvalidInput(ToolboothError):
    """What was asked for makes no sense as asked: a bad name, a value out of range."""


class NotFound(InvalidInput):
    """No such server, tool, workspace, project or token."""


class NoWorkspace(NotFound):
    def __init__(self, name: str) -> None:
        super().__init__(
            said('There is no workspace "{name}".', name=name),
            said("List them with: toolbooth workspace list"),
        )


class Refused(InvalidInput):
    """The person, or their rules, don't let this caller do this."""


class Conflict(ToolboothError):
    """The thing is there already, or someone else holds it."""


class ConfigError(ToolboothError):
    """A file a person wrote can't be used; the last good state stays."""

    def __init__(self, path: Path, line: int | None, reason: str) -> None:
        place = said("{path}, line {line}", path=path, line=line) if line is not None else path
        message = said("{place}: {reason}", place=place, reason=sentence(reason))
        super().__init__(message, said("Correct the file; the last good state stays."))
        self.path = path
        self.line = line
        self.reason = reason


class SecretUnavailable(ToolboothError):
    """A secret could not be read or stored. Never carries the secret."""


class UpstreamFailed(ToolboothError):
    """A server could not be reached or did not do its part; `failure` says which way."""

    def __init__(self, failure: Failure, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.failure = failure


class UpstreamAnsweredError(ToolboothError):
    """The server answered with a JSON-RPC error, which goes to the client as it is."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
