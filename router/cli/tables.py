"""Cells and lines for people. On a terminal, prose in a table's last column is cut to what fits."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime

_LONGEST_PROSE = 80
_SHORTEST_PROSE = 20
_GAP = "  "


def table(rows: Iterable[Sequence[object]], *, prose: bool = False) -> list[str]:
    """`prose` says that the last column is text of any length."""
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    if prose and texts:
        room = _room_beside(widths[:-1])
        texts = [[*cells[:-1], short(cells[-1], room)] for cells in texts]
    return [
        _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    ]


def short(text: str, longest: int = _LONGEST_PROSE) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def moment(text: str) -> str:
    """A time as the person's clock shows it; in JSON it stays in UTC."""
    return f"{datetime.fromisoformat(text).astimezone():%Y-%m-%d %H:%M:%S}"


def _room_beside(widths: Sequence[int]) -> int:
    """A file or another program gets all that people would read."""
    if not sys.stdout.isatty():
        return _LONGEST_PROSE
    taken = sum(widths) + len(_GAP) * len(widths)
    left = shutil.get_terminal_size().columns - taken
    return max(_SHORTEST_PROSE, min(_LONGEST_PROSE, left))
