"""The commands about what clients did, and its export for other programs."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from router.commands.command import (
    PRINTED,
    Argument,
    Commands,
    Invocation,
    Send,
    choice,
    flag,
    option,
    seconds,
)
from router.commands.context import Context
from router.commands.output import camel_case, local_time, shortened, shown_key, table
from router.commands.servers import run_with_file_problems
from router.domain.activity import ActivityKind, ActivityQuery
from router.domain.json_values import JsonObject

COMMANDS = Commands()
_SHOWN = 50
_LARGEST_PAGE = 1000
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def _ago(text: str) -> str:
    return (datetime.now(UTC) - timedelta(seconds=seconds(text))).isoformat()


_SINCE = Argument("--since", "TIME", "only this period, like 12h, 30d or 4w", type=_ago)


def _since(context: Context) -> datetime | None:
    text = context.get("since")
    return datetime.fromisoformat(text) if text else None


def _camel(fields: JsonObject) -> JsonObject:
    return {camel_case(name): value for name, value in fields.items()}


def _called(entry: JsonObject) -> str:
    return ":".join(filter(None, (entry["server"], entry["tool"])))


def _activity_lines(result: JsonObject) -> list[str]:
    entries: list[JsonObject] = result["entries"]
    if not entries:
        return ["No activity yet."]
    return table(
        (
            local_time(e["at"]),
            e["client"],
            e["kind"],
            shown_key(_called(e)) or shortened(e["detail"] or ""),
            f"{e['durationMs']:.0f} ms",
            f"{e['inputTokens']}/{e['contextTokens']} tokens",
            e["outcome"],
            shortened(e["message"] or ""),
        )
        for e in entries
    )


async def _activity_run(send: Send, call: Invocation) -> Any:
    """The newest entries; with `--export` all of them, printed page by page."""
    name, form = call.command.name, call.arguments["export"]
    if form is None:
        shown = replace(call, arguments={**call.arguments, "limit": _SHOWN})
        return await run_with_file_problems(send, shown)
    write = _json_line if form == "jsonl" else _CsvWriter()
    before: int | None = None
    while True:
        page = await send(name, {**call.arguments, "before": before})
        for entry in page["entries"]:
            write(entry)
        if (before := page["next"]) is None:
            return PRINTED


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


@COMMANDS.add(
    "activity",
    "Show client activity.",
    _SINCE,
    option("--client", "NAME", "only this client"),
    option("--server", "ID", "only this server"),
    choice("--kind", ActivityKind, "only this kind"),
    flag("--errors", "only failures"),
    choice("--export", ("csv", "jsonl"), "write all entries to stdout"),
    examples=["--since 12h --errors", "--export csv"],
    lines=_activity_lines,
    run=_activity_run,
)
async def activity(context: Context) -> JsonObject:
    """One page of entries, and where the next begins."""
    kind = context.get("kind")
    query = ActivityQuery(
        since=_since(context),
        client=context.get("client"),
        server=context.get("server"),
        kind=ActivityKind(kind) if kind else None,
        only_failed=bool(context.get("errors")),
        limit=min(int(context.get("limit") or _LARGEST_PAGE), _LARGEST_PAGE),
        before=context.get("before"),
    )
    page = await context.router.activity.page(query)
    entries = [{**_camel(asdict(entry)), "at": entry.at.isoformat()} for entry in page.entries]
    return {"entries": entries, "next": page.next}


def _savings_lines(clients: list[JsonObject]) -> list[str]:
    if not clients:
        return ["No client has listed tools yet."]
    columns = {
        "client": "client",
        "listings": "listings",
        "in full": "fullTokens",
        "loaded": "loadedTokens",
        "searches": "discoveryTokens",
        "scripts": "scriptTokens",
        "saved": "savedTokens",
    }
    return table([(*columns,), *([c[key] for key in columns.values()] for c in clients)])


@COMMANDS.add(
    "savings",
    "Show the tokens that Context Optimization saved for each client.",
    _SINCE,
    examples=["--since 30d"],
    lines=_savings_lines,
)
async def savings(context: Context) -> list[JsonObject]:
    return [
        {**_camel(asdict(each)), "savedTokens": each.saved_tokens}
        for each in await context.router.activity.client_savings(_since(context))
    ]
