"""Activity of the past: the query to the log for a filter, and the merge of its result with what is
in memory. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from gui.components.activity.model import ActivityCategory, ActivityFilter
from router.domain.activity import ActivityEntry, ActivityKind, ActivityQuery

PAGE = 500
_KINDS = {ActivityCategory.SEARCHES: ActivityKind.SEARCH, ActivityCategory.CALLS: ActivityKind.CALL}


def activity_query(wanted: ActivityFilter, before: int | None) -> ActivityQuery:
    """The query for the log. It can't filter by text; that is done on its results."""
    return ActivityQuery(
        client=wanted.client or None,
        server=wanted.server or None,
        kind=_KINDS.get(wanted.showing),
        only_failed=wanted.showing is ActivityCategory.ERRORS,
        limit=PAGE,
        before=before,
    )


def merged(
    in_memory: Iterable[ActivityEntry], on_disk: Iterable[ActivityEntry]
) -> tuple[ActivityEntry, ...]:
    """Each entry once, the newest first. The one in memory counts: it may know the text of a search
    that is not written to disk."""
    known = {_identity(entry): entry for entry in on_disk}
    known.update((_identity(entry), entry) for entry in in_memory)
    return tuple(sorted(known.values(), key=lambda entry: entry.at, reverse=True))


def _identity(entry: ActivityEntry) -> tuple[object, ...]:
    return entry.at, entry.request_id, entry.kind, entry.tool
