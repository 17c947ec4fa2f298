"""Learning from use, kept in step: searches that wait for what follows them, and what is on disk.

A tool that is run within some minutes of a search that found it is a lesson; a search after which
nothing it found was run is a miss. Nothing here sees a tool's arguments or results.
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
from router.domain.search import Experience, Learned
from router.runtime.tasks import spawn
from router.search.learning import experiences, telling_words, with_lesson, with_miss
from router.store.lessons import read_lessons, write_lessons

PATIENCE_S = 600.0
"""How long after a search a tool that is run is still because of it."""
_MAX_WAITING = 200

_Asker: TypeAlias = tuple[TokenId | None, WorkspaceId, ProjectId | None]


@dataclass(slots=True)
class _Search:
    """A search that waits for what is run after it."""

    asker: _Asker
    words: tuple[str, ...]
    found: frozenset[ToolKey]
    until: float
    used: bool = False


class Learning:
    """The one production implementation of `searching.Lessons`."""

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
        self._waiting: OrderedDict[int, _Search] = OrderedDict()
        self._count = 0
        self._learned: dict[WorkspaceId, dict[ProjectId | None, Learned]] = {}
        self._writing: dict[WorkspaceId, asyncio.Task[None]] = {}

    async def open(self, workspace: WorkspaceId) -> None:
        read = await asyncio.to_thread(read_lessons, self._folder / workspace)
        self._learned.setdefault(workspace, read)

    def learned(self, workspace: WorkspaceId, project: ProjectId | None) -> Learned:
        self._settle()
        return self._learned.get(workspace, {}).get(project, Learned())

    def experiences(self, caller: Principal) -> tuple[Experience, ...]:
        if not self._is_on():
            return ()
        learned = self._learned.get(caller.workspace, {}).get(caller.project)
        return experiences(learned, self._clock()) if learned else ()

    def searched(self, caller: Principal, queries: Sequence[str], found: Sequence[ToolKey]) -> None:
        self._settle()
        words = telling_words(queries)
        if not self._is_on() or not words:
            return
        self._count += 1
        until = self._monotonic() + PATIENCE_S
        search = _Search(_asker(caller), words, frozenset(found), until)
        self._waiting[self._count] = search

    def executed(self, caller: Principal, key: ToolKey) -> None:
        """A tool was run with success: the newest search that found it is right."""
        self._settle()
        if not self._is_on():
            return
        newest_first = reversed(self._waiting.values())
        asker = _asker(caller)
        fitting = (each for each in newest_first if each.asker == asker and key in each.found)
        if (search := next(fitting, None)) is not None:
            search.used = True
            words, tool = search.words, str(key)
            self._change(search, lambda old: with_lesson(old, words, tool, self._clock()))

    async def clear(self, workspace: WorkspaceId, project: ProjectId | None) -> None:
        """Forget all that this project has taught, what still waits included."""
        waiting = self._waiting.items()
        place = (workspace, project)
        self._waiting = OrderedDict((n, s) for n, s in waiting if s.asker[1:] != place)
        self._learned.setdefault(workspace, {}).pop(project, None)
        self._write(workspace)
        await self._writing[workspace]

    async def close(self) -> None:
        """Write what is not written yet. Searches that still wait are no misses."""
        for task in list(self._writing.values()):
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _settle(self) -> None:
        """What has waited long enough, or too many wait: a miss if nothing came of it."""
        now = self._monotonic()
        while self._waiting:
            number, search = next(iter(self._waiting.items()))
            if search.until > now and len(self._waiting) <= _MAX_WAITING:
                return
            del self._waiting[number]
            if not search.used:
                words = search.words
                self._change(search, lambda old, words=words: with_miss(old, words, self._clock()))

    def _change(self, search: _Search, change: Callable[[Learned], Learned]) -> None:
        _, workspace, project = search.asker
        learned = self._learned.setdefault(workspace, {})
        learned[project] = change(learned.get(project, Learned()))
        self._write(workspace)

    def _write(self, workspace: WorkspaceId) -> None:
        """One write at a time; what is learned meanwhile is in the next."""
        running = self._writing.get(workspace)
        if running is None or running.done():
            self._writing[workspace] = spawn(self._save(workspace), name="keep lessons")

    async def _save(self, workspace: WorkspaceId) -> None:
        written: dict[ProjectId | None, Learned] | None = None
        while (now := dict(self._learned.get(workspace, {}))) != written:
            await asyncio.to_thread(write_lessons, self._folder / workspace, now)
            written = now


def _asker(caller: Principal) -> _Asker:
    return caller.token, caller.workspace, caller.project
