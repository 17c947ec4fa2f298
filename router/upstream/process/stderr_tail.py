"""The last lines a server wrote besides its messages, which explain an exit."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeAlias

from router.config.secret_references import secret_references

LineSink: TypeAlias = Callable[[str], None]
"""Receives a line a server wrote to stderr; must not raise."""

MAX_LINE_BYTES = 8 * 1024
KEPT_LINES = 200
_QUOTED_LINES = 10
_QUOTED_CHARACTERS = 2000
_MIN_SECRET_LENGTH = 4


def resolved_secrets(template: str, value: str) -> list[str]:
    """The secrets in `value`, which is `template` with its references resolved."""
    pattern = re.escape(template)
    for kind, name in secret_references(template):
        pattern = pattern.replace(re.escape(f"${{{kind}:{name}}}"), "(.*)", 1)
    found = re.fullmatch(pattern, value, re.DOTALL)
    return list(found.groups()) if found else [value]


class StderrTail:
    """Keeps the lines, without the `secrets` the server was given, and passes each to `on_line`."""

    def __init__(self, on_line: LineSink, secrets: Iterable[str] = ()) -> None:
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._on_line = on_line
        self._secrets = [secret for secret in secrets if len(secret) >= _MIN_SECRET_LENGTH]

    def add(self, raw: bytes) -> str:
        """The line as it is kept; empty for a blank line."""
        line = raw[:MAX_LINE_BYTES].decode("utf-8", "replace").rstrip()
        for secret in self._secrets:
            line = line.replace(secret, "***")
        if line:
            self._lines.append(line)
            self._on_line(line)
        return line

    def __str__(self) -> str:
        return "\n".join(list(self._lines)[-_QUOTED_LINES:])[-_QUOTED_CHARACTERS:]
