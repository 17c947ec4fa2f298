"""Servers whose tool list is not known yet: how a request waits for it, and what a search says of
those that are still being discovered or have failed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from router.domain.failure_text import advise
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.servers import DiscoveryStatus, ServerStatus
from router.upstream.ports import ProgressSink

_MOST_NAMED, _MOST_EXPLAINED = 40, 5
_LONGEST_REASON = 160


class ToolListWaits(Protocol):
    """The one way in which the gateway waits for tool lists."""

    async def until_listed(self, ref: ServerRef, on_progress: ProgressSink | None) -> None:
        """For a request that names a server: return once its tool list is known. Joins its
        discovery, or starts one, and waits up to its discovery timeout.

        Raises `UpstreamFailed` with the cause if there is no list then. A server that is gone
        meanwhile is for the caller to notice.
        """
        ...

    async def briefly(self, refs: Iterable[ServerRef]) -> None:
        """For a request about all tools: wait a moment for discoveries under way. Starts none."""
        ...


class IncreasingProgress:
    """Passes a request's progress on. Where the discovery and the call both report theirs, what
    does not increase is left out, as MCP asks."""

    def __init__(self, sink: ProgressSink) -> None:
        self._sink = sink
        self._last: float | None = None

    async def __call__(self, params: JsonObject) -> None:
        progress = params.get("progress")
        if isinstance(progress, int | float):
            if self._last is not None and progress <= self._last:
                return
            self._last = progress
        await self._sink(params)


def unlisted_json(statuses: Iterable[ServerStatus]) -> list[JsonObject]:
    """The servers without a tool list, for the result of a search: short, because it stays in a
    conversation. Those under way come first."""
    unlisted = sorted(
        (status for status in statuses if status.tool_count is None),
        key=lambda status: (not _is_pending(status), status.id),
    )
    explained = [_unlisted(status) for status in unlisted[:_MOST_EXPLAINED]]
    others = unlisted[_MOST_EXPLAINED:_MOST_NAMED]
    return [*explained, *({"server": status.id, "status": _word(status)} for status in others)]


def unlisted_sentence(unlisted: Iterable[JsonObject]) -> str:
    """For people and models: which servers' tools could not be searched, and why."""
    parts = [f"{each['server']} ({_reason(each)})" for each in unlisted]
    return f"Not searched: {', '.join(parts)}." if parts else ""


def _reason(unlisted: JsonObject) -> str:
    return str(unlisted.get("reason") or unlisted["status"]).rstrip(".")


def _unlisted(status: ServerStatus) -> JsonObject:
    entry: JsonObject = {"server": status.id, "status": _word(status)}
    if _is_pending(status):
        return {**entry, "reason": "Its tools are being discovered. Search again in a moment."}
    if status.failure is None:
        return {**entry, "reason": "Its tools have not been discovered yet."}
    advice = advise(status.failure, "")
    line = " ".join(str(advice).split())
    short = line if len(line) <= _LONGEST_REASON else f"{line[: _LONGEST_REASON - 1]}…"
    return {**entry, "reason": short}


def _is_pending(status: ServerStatus) -> bool:
    return status.discovery is DiscoveryStatus.DISCOVERING


def _word(status: ServerStatus) -> str:
    if _is_pending(status):
        return "discovering"
    return "failed" if status.failure is not None else "unknown"
