"""The commands about what clients did."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from router.api.router import RouterPort
from router.control import views
from router.control.asking import Command
from router.domain.activity import ActivityKind, ActivityQuery
from router.domain.json_values import JsonObject

MOST = 1000


async def _activity(router: RouterPort, arguments: JsonObject) -> JsonObject:
    """One page of entries, and where the next begins."""
    kind = arguments.get("kind")
    query = ActivityQuery(
        since=_since(arguments),
        client=arguments.get("client"),
        server=arguments.get("server"),
        kind=ActivityKind(kind) if kind else None,
        only_failed=bool(arguments.get("errors")),
        limit=min(int(arguments.get("limit") or MOST), MOST),
        before=arguments.get("before"),
    )
    page = await router.activity.page(query)
    return {"entries": [views.activity(entry) for entry in page.entries], "next": page.next}


async def _savings(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    return [
        {**views.camel(asdict(each)), "savedTokens": each.saved_tokens}
        for each in await router.activity.client_savings(_since(arguments))
    ]


def _since(arguments: JsonObject) -> datetime | None:
    text = arguments.get("since")
    return datetime.fromisoformat(text) if text else None


COMMANDS: dict[str, Command] = {"activity": _activity, "savings": _savings}
