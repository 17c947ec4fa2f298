"""A command's output: JSON; tables, times and warnings for people. On a terminal, long text in a
table's last column is cut to what fits."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import cast

from router.domain.ids import escaped_name
from router.domain.json_values import JsonObject

_LONGEST_PROSE = 80
_SHORTEST_PROSE = 20
_GAP = "  "
_PLAIN_KEY = re.compile(r"[\w.:/@*-]*")
_CONTROL = re.compile(
    r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""All but line breaks and tabs."""


def camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def json_fields(value: object, names: str) -> JsonObject:
    """The attributes of `value` with these names, which become camelCase."""
    return {camel_case(name): _json_value(getattr(value, name)) for name in names.split()}


def _json_value(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return list(cast(tuple[object, ...], value))
    return value if value is None or isinstance(value, str | int | float) else str(value)


def table(rows: Iterable[Sequence[object]], *, prose: bool = False) -> list[str]:
    """`prose` says that the last column is text of any length."""
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    if prose and texts:
        room = _width_beside(widths[:-1])
        texts = [[*cells[:-1], shortened(cells[-1], room)] for cells in texts]
    return [
        _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    ]


def single(lines: Callable[[list[JsonObject]], list[str]]) -> Callable[[JsonObject], list[str]]:
    """The lines of a list, for one value."""
    return lambda value: lines([value])


def shortened(text: str, longest: int = _LONGEST_PROSE) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def local_time(text: str) -> str:
    """A time in the computer's time zone; in JSON it stays in UTC."""
    return f"{datetime.fromisoformat(text).astimezone():%Y-%m-%d %H:%M:%S}"


def _width_beside(widths: Sequence[int]) -> int:
    """The width that is left on a terminal; files and pipes have no limit of their own."""
    if not sys.stdout.isatty():
        return _LONGEST_PROSE
    taken = sum(widths) + len(_GAP) * len(widths)
    left = shutil.get_terminal_size().columns - taken
    return max(_SHORTEST_PROSE, min(_LONGEST_PROSE, left))


def ago(text: str) -> str:
    """How long ago a time was; one in the future counts as now."""
    seconds = int((datetime.now(UTC) - datetime.fromisoformat(text)).total_seconds())
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return "just now"


def shown_key(key: str) -> str:
    """A tool key or name as it is shown: what looks like something else is written as its number,
    and what a shell would split or expand is quoted, so that it can be pasted into a command."""
    server, colon, tool = key.partition(":")
    shown = f"{server}{colon}{escaped_name(tool)}" if colon else escaped_name(key)
    return shown if _PLAIN_KEY.fullmatch(shown) else shlex.quote(shown)


def printable(text: str) -> str:
    """Text of a server, without what would control the terminal or turn the direction of text."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def print_to_stderr(sentences: Iterable[str]) -> None:
    """Messages that are not part of the result."""
    for sentence in sentences:
        print(f"toolbooth: {printable(sentence)}", file=sys.stderr)
