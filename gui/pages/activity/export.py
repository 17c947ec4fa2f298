"""Activity as a file for other programs: JSON lines, or a table. Runs on the router's loop."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from gui.components.activity.model import ActivityFilter
from gui.pages.activity.history import activity_query, merged
from gui.text.tr import tr
from router.api.router import RouterPort
from router.domain.activity import ActivityEntry
from router.domain.errors import ToolboothError

MAX_ENTRIES = 100_000
_FIELDS = [field.name for field in fields(ActivityEntry)]
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


async def export(router: RouterPort, wanted: ActivityFilter, path: Path) -> int:
    """Write all that the log has of `wanted`, the newest first; returns how many entries."""
    entries = await _all(router, wanted)
    try:
        await asyncio.to_thread(path.write_text, as_text(entries, path.suffix), encoding="utf-8")
    except OSError as error:
        raise ToolboothError(
            tr("Couldn’t write the file: {reason}").format(reason=error.strerror or error),
            tr("Choose another location."),
        ) from error
    return len(entries)


async def _all(router: RouterPort, wanted: ActivityFilter) -> tuple[ActivityEntry, ...]:
    found: list[ActivityEntry] = []
    before: int | None = None
    while len(found) < MAX_ENTRIES:
        page = await router.activity.page(activity_query(wanted, before))
        found += page.entries
        if (before := page.next) is None:
            break
    entries = merged(router.activity.recent(), found)
    return tuple(entry for entry in entries if wanted.passes(entry))[:MAX_ENTRIES]


def as_text(entries: Sequence[ActivityEntry], suffix: str) -> str:
    """A table for `.csv`, else one JSON object on each line."""
    if suffix.lower() == ".csv":
        return _table(entries)
    return "".join(f"{as_json(entry)}\n" for entry in entries)


def as_json(entry: ActivityEntry, indent: int | None = None) -> str:
    known = {name: value for name, value in _values(entry).items() if value not in (None, "")}
    return json.dumps(known, ensure_ascii=False, indent=indent)


def _values(entry: ActivityEntry) -> dict[str, object]:
    return {**asdict(entry), "at": entry.at.isoformat(), "duration_ms": round(entry.duration_ms, 1)}


def _table(entries: Sequence[ActivityEntry]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_FIELDS)
    for entry in entries:
        values = _values(entry)
        writer.writerow([_without_formula(values[name]) for name in _FIELDS])
    return out.getvalue()


def _without_formula(value: object) -> object:
    """Texts come from clients and servers; a spreadsheet must not run one as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
