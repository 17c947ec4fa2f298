"""Records usage history: which tools are used after which searches.

A tool that is called within some minutes of a search that found it counts as a use; a search none
of whose hits is called is abandoned. Nothing here sees a tool's arguments or results.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from router.domain.clients import Principal
from router.domain.ids import ProjectId, TokenId, ToolKey, WorkspaceId
from router.domain.search import UsageHistory, UsageSignal
from router.runtime.tasks import spawn
from router.search.usage_history import content_words, usage_signals, with_abandoned, with_use
from router.store.usage_history import read_usage_history, write_usage_history

FOLLOW_UP_S = 600.0
"""How long after a search a call still counts as its result."""
_MAX_PENDING = 200

_ClientKey: TypeAlias = tuple[TokenId | None, WorkspaceId, ProjectId | None]


@dataclass(slots=True)
class _PendingSearch:
    """A search that may still be followed by a call."""

    client: _ClientKey
    words: tuple[str, ...]
    found: frozenset[ToolKey]
    until: float
    used: bool = False


class UsageRecorder:
    """The production implementation of `searching.SearchFeedback`."""

    def __init__(
        self,
        folder: Path,
        is_on: Callable[[], bool],
        clock: Callable[[], datetime],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`folder` has a folder for each workspace."""
        self._folder = folder
        self._is_on = is_on
        self._clock = clock
        self._monotonic = monotonic
        self._pending: OrderedDict[int, _PendingSearch] = OrderedDict()
        self._count = 0
        self._histories: dict[WorkspaceId, dict[ProjectId | None, UsageHistory]] = {}
        self._writes: dict[WorkspaceId, asyncio.Task[None]] = {}

    async def open(self, workspace: WorkspaceId) -> None:
        stored = await asyncio.to_thread(read_usage_history, self._folder / workspace)
        self._histories.setdefault(workspace, stored)

    def history(self, workspace: WorkspaceId, project: ProjectId | None) -> UsageHistory:
        self._expire()
        return self._histories.get(workspace, {}).get(project, UsageHistory())

    def usage_signals(self, caller: Principal) -> tuple[UsageSignal, ...]:
        if not self._is_on():
            return ()
        history = self._histories.get(caller.workspace, {}).get(caller.project)
        return usage_signals(history, self._clock()) if history else ()

    def record_search(
        self, caller: Principal, queries: Sequence[str], found: Sequence[ToolKey]
    ) -> None:
        self._expire()
        words = content_words(queries)
        if not self._is_on() or not words:
            return
        self._count += 1
        until = self._monotonic() + FOLLOW_UP_S
        search = _PendingSearch(_client_key(caller), words, frozenset(found), until)
        self._pending[self._count] = search

    def record_use(self, caller: Principal, key: ToolKey) -> None:
        """The call is credited to the newest search that found the tool."""
        self._expire()
        if not self._is_on():
            return
        newest_first = reversed(self._pending.values())
        client = _client_key(caller)
        matching = (each for each in newest_first if each.client == client and key in each.found)
        if (search := next(matching, None)) is not None:
            search.used = True
            words, tool = search.words, str(key)
            self._update(search, lambda old: with_use(old, words, tool, self._clock()))

    async def clear(self, workspace: WorkspaceId, project: ProjectId | None) -> None:
        """Delete a project's history, pending searches included."""
        pending = self._pending.items()
        scope = (workspace, project)
        self._pending = OrderedDict((n, s) for n, s in pending if s.client[1:] != scope)
        self._histories.setdefault(workspace, {}).pop(project, None)
        self._write(workspace)
        await self._writes[workspace]

    async def close(self) -> None:
        """Finish writing. Searches that are still pending are not abandoned."""
        for task in list(self._writes.values()):
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _expire(self) -> None:
        """Drop pending searches that are too old or too many: abandoned if no hit was used."""
        now = self._monotonic()
        while self._pending:
            number, search = next(iter(self._pending.items()))
            if search.until > now and len(self._pending) <= _MAX_PENDING:
                return
            del self._pending[number]
            if not search.used:
                words = search.words
                self._update(
                    search, lambda old, words=words: with_abandoned(old, words, self._clock())
                )

    def _update(
        self, search: _PendingSearch, change: Callable[[UsageHistory], UsageHistory]
    ) -> None:
        _, workspace, project = search.client
        histories = self._histories.setdefault(workspace, {})
        histories[project] = change(histories.get(project, UsageHistory()))
        self._write(workspace)

    def _write(self, workspace: WorkspaceId) -> None:
        """One write at a time; changes during a write are in the next."""
        running = self._writes.get(workspace)
        if running is None or running.done():
            self._writes[workspace] = spawn(self._save(workspace), name="write usage history")

    async def _save(self, workspace: WorkspaceId) -> None:
        written: dict[ProjectId | None, UsageHistory] | None = None
        while (now := dict(self._histories.get(workspace, {}))) != written:
            await asyncio.to_thread(write_usage_history, self._folder / workspace, now)
            written = now


def _client_key(caller: Principal) -> _ClientKey:
    return caller.token, caller.workspace, caller.project
