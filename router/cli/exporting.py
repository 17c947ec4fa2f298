"""All of the activity log for other programs: page by page, the newest first."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from router.domain.json_values import JsonObject

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")

Order: TypeAlias = Callable[[str, JsonObject], Awaitable[Any]]


async def export(order: Order, arguments: JsonObject, form: str) -> None:
    """Write every entry that fits to stdout, as CSV with a header or as JSON lines."""
    write = _json_line if form == "jsonl" else _CsvWriter()
    before: int | None = None
    while True:
        page = await order("activity", {**arguments, "before": before})
        for entry in page["entries"]:
            write(entry)
        if (before := page["next"]) is None:
            return


def _json_line(entry: JsonObject) -> None:
    print(json.dumps(entry, ensure_ascii=False))


class _CsvWriter:
    def __init__(self) -> None:
        self._writer: csv.DictWriter[str] | None = None

    def __call__(self, entry: JsonObject) -> None:
        if self._writer is None:
            self._writer = csv.DictWriter(sys.stdout, list(entry))
            self._writer.writeheader()
        self._writer.writerow({key: _cell(value) for key, value in entry.items()})


def _cell(value: object) -> object:
    """A text that a spreadsheet would take for a formula is quoted."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
