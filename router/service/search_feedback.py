"""Records usage history: which tools are used after which searches.

A tool that is called within some minutes of a search that found it counts as a use; a search none
of whose hits is called is abandoned. Nothing here sees a tool's arguments or results.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias

from router.domain.clients import Principal
from router.domain.ids import ProjectId, TokenId, ToolKey, WorkspaceId
from router.domain.search import UsageHistory, UsageSignal
from router.runtime.clock import Clock
from router.runtime.tasks import spawn
from router.search.usage_history import content_words, usage_signals, with_abandoned, with_use
from router.store.deferred_writes import DeferredWrites
from router.store.json_file import UnusableFile
from router.store.usage_history import load_usage_history, write_usage_history

log = logging.getLogger(__name__)

FOLLOW_UP_S = 600.0
"""How long after a search a call still counts as its result."""
_MAX_PENDING = 200

_Histories: TypeAlias = dict[ProjectId | None, UsageHistory]
_ClientKey: TypeAlias = tuple[TokenId | None, WorkspaceId, ProjectId | None]


@dataclass(slots=True)
class _PendingSearch:
    """A search that may still be followed by a call."""

    client: _ClientKey
    words: tuple[str, ...]
    found: frozenset[ToolKey]
    until: float
    used: bool = False


@dataclass(slots=True)
class UsageRecorder:
    """The production implementation of `domain.search.SearchFeedback`."""

    _folder: Path
    """Has a folder for each workspace."""
    _is_on: Callable[[], bool]
    _clock: Clock
    _deferred_writes: DeferredWrites
    _monotonic: Callable[[], float] = time.monotonic
    _pending: deque[_PendingSearch] = field(default_factory=deque[_PendingSearch])
    """The oldest first."""
    _histories: dict[WorkspaceId, _Histories] = field(default_factory=dict[WorkspaceId, _Histories])
    _unusable: set[WorkspaceId] = field(default_factory=set[WorkspaceId])
    """Those whose file could not be used."""
    _writes: dict[WorkspaceId, asyncio.Task[None]] = field(
        default_factory=dict[WorkspaceId, asyncio.Task[None]]
    )

    async def open(self, workspace: WorkspaceId) -> None:
        """A file that can't be used stays as it is: what is recorded until the next start is not
        written."""
        try:
            stored = await asyncio.to_thread(load_usage_history, self._folder / workspace)
        except UnusableFile as error:
            log.warning("%s", error.message)
            self._unusable.add(workspace)
            stored = {}
        self._histories.setdefault(workspace, stored)

    def history(self, workspace: WorkspaceId, project: ProjectId | None) -> UsageHistory:
        self._expire()
        return self._history(workspace, project)

    def usage_signals(self, principal: Principal) -> tuple[UsageSignal, ...]:
        if not self._is_on():
            return ()
        return usage_signals(self._history(principal.workspace, principal.project), self._clock())

    def record_search(
        self, principal: Principal, queries: Sequence[str], found: Sequence[ToolKey]
    ) -> None:
        self._expire()
        words = content_words(queries)
        if not self._is_on() or not words:
            return
        until = self._monotonic() + FOLLOW_UP_S
        search = _PendingSearch(_client_key(principal), words, frozenset(found), until)
        self._pending.append(search)

    def record_use(self, principal: Principal, key: ToolKey) -> None:
        """The call is credited to the newest search that found the tool."""
        self._expire()
        if not self._is_on():
            return
        client = _client_key(principal)
        for search in reversed(self._pending):
            if search.client == client and key in search.found:
                search.used = True
                self._update(search, partial(with_use, words=search.words, tool=str(key)))
                return

    async def clear(self, workspace: WorkspaceId, project: ProjectId | None) -> None:
        """Delete a project's history, pending searches included."""
        scope = (workspace, project)
        self._pending = deque(search for search in self._pending if search.client[1:] != scope)
        after = {k: v for k, v in self._histories.get(workspace, {}).items() if k != project}
        await asyncio.to_thread(write_usage_history, self._folder / workspace, after)
        self._histories[workspace] = after
        self._write(workspace)  # over what may have been written meanwhile
        if workspace in self._writes:
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
            if self._pending[0].until > now and len(self._pending) <= _MAX_PENDING:
                return
            search = self._pending.popleft()
            if not search.used:
                self._update(search, partial(with_abandoned, words=search.words))

    def _history(self, workspace: WorkspaceId, project: ProjectId | None) -> UsageHistory:
        return self._histories.get(workspace, {}).get(project, UsageHistory())

    def _update(self, search: _PendingSearch, change: Callable[..., UsageHistory]) -> None:
        _, workspace, project = search.client
        changed = change(self._history(workspace, project), now=self._clock())
        self._histories.setdefault(workspace, {})[project] = changed
        self._write(workspace)

    def _write(self, workspace: WorkspaceId) -> None:
        """One write at a time; changes during a write are in the next."""
        running = self._writes.get(workspace)
        if workspace in self._unusable:
            return
        if running is None or running.done():
            self._writes[workspace] = spawn(self._save(workspace), name="write usage history")

    async def _save(self, workspace: WorkspaceId) -> None:
        written: _Histories | None = None
        while (now := dict(self._histories.get(workspace, {}))) != written:
            write = partial(write_usage_history, self._folder / workspace, now)
            await asyncio.to_thread(self._deferred_writes.write, ("usage", workspace), write)
            written = now


def _client_key(principal: Principal) -> _ClientKey:
    return principal.token, principal.workspace, principal.project
