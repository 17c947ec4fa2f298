"""The last discovery of each server, in its status and on disk: how it ended, and which program it
started."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from router.catalog.server_status import ServerStatuses, without_secrets
from router.config.server import ServerConfig
from router.domain.discovery_attempt import DiscoveryAttempt
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.servers import ServerState, TransportType
from router.service.context import ServiceContext
from router.service.program_version import program_version
from router.store.discovery_attempts import AttemptStore

Installed: TypeAlias = Callable[[ServerRef, ServerConfig], Awaitable[ServerConfig]]
"""The configuration that starts a server: of a fetched package, from its folder."""


@dataclass(frozen=True, slots=True)
class DiscoveryAttempts:
    _context: ServiceContext
    _statuses: ServerStatuses
    _installed: Installed
    outdated: set[ServerRef] = field(default_factory=set[ServerRef])
    """Servers whose program has changed since their list was discovered: it is discovered again
    before it is used."""
    _unsaved: set[ServerRef] = field(default_factory=set[ServerRef])

    def last(self, ref: ServerRef) -> DiscoveryAttempt | None:
        """The last attempt with the server's current configuration."""
        return self._statuses.condition(ref).attempt

    async def load(self, ref: ServerRef) -> None:
        """Know what is on disk."""
        config_hash = self._context.catalogs.entry(ref).config.config_hash
        attempt = await asyncio.to_thread(self._store(ref).read, ref.server)
        if attempt is not None and attempt.config_hash != config_hash:
            attempt = None
        if attempt is not None:  # one from the future, by a clock that was wrong, was just now
            attempt = replace(attempt, at=min(attempt.at, self._context.clock()))
        self._statuses.update(ref, attempt=attempt)
        failure = attempt.failure if attempt else None
        if failure is not None and failure.kind is FailureKind.SIGN_IN_NEEDED:
            self._statuses.update(ref, connection=ServerState.NEEDS_SIGN_IN)
        self.outdated.discard(ref)
        await self.check_program(ref)

    async def check_program(self, ref: ServerRef) -> None:
        """Notice a program that has changed since the list was discovered. A list whose program is
        not recorded is from an earlier Toolbooth, and trusted."""
        last, entry = self.last(ref), self._context.catalogs.find(ref)
        if entry is None or entry.cached is None or last is None or not last.program:
            return
        program, _ = await self.program(ref)
        if program != last.program:
            self.outdated.add(ref)

    async def program(self, ref: ServerRef) -> tuple[str, bool]:
        """What identifies the program a server would start now, and whether it is from a package
        that was fetched."""
        config = self._context.catalogs.entry(ref).config
        if config.transport is TransportType.HTTP:
            return "", False
        installed = await self._installed(ref, config)
        in_home = installed.in_folder(str(Path.home()))
        return await asyncio.to_thread(program_version, in_home), installed is not config

    def ended(
        self, ref: ServerRef, config_hash: str, program: str, failure: Failure | None = None
    ) -> None:
        """Note how a discovery ended; `save` writes it. A success like the one before it changes
        nothing: its time is the list's."""
        before = self.last(ref)
        failures = (before.failures if before else 0) + 1 if failure else 0
        if failure is not None:
            failure = replace(without_secrets(failure, self._context.redactor.text), retry_at=None)
        attempt = DiscoveryAttempt(self._context.clock(), config_hash, program, failure, failures)
        self.outdated.discard(ref)
        if before is None or failure or replace(attempt, at=before.at) != before:
            self._unsaved.add(ref)
            self._statuses.update(ref, attempt=attempt)

    async def save(self, ref: ServerRef) -> None:
        attempt = self.last(ref)
        if ref in self._unsaved and attempt is not None:
            self._unsaved.discard(ref)
            write = partial(self._store(ref).write, ref.server, attempt)
            await asyncio.to_thread(self._context.deferred_writes.write, ("attempt", ref), write)

    def cancelled(self, ref: ServerRef, config_hash: str) -> None:
        """The user cancelled a discovery. That is not recorded: the next start tries again."""
        last = self.last(ref)
        self.outdated.discard(ref)
        attempt = DiscoveryAttempt(
            self._context.clock(),
            config_hash,
            last.program if last else "",
            Failure(FailureKind.CANCELLED),
        )
        self._statuses.update(ref, attempt=attempt)

    async def forget_failure(self, ref: ServerRef) -> None:
        """The user changed something about the server: the next try needs no pause."""
        last = self.last(ref)
        if last is not None and last.failure is not None:
            self._statuses.update(ref, attempt=None)
            await self.forget(ref)

    async def forget(self, ref: ServerRef) -> None:
        self.outdated.discard(ref)
        self._unsaved.discard(ref)
        self._context.deferred_writes.forget(("attempt", ref))
        await asyncio.to_thread(self._store(ref).remove, ref.server)

    def _store(self, ref: ServerRef) -> AttemptStore:
        return AttemptStore(self._context.catalogs.folder(ref.workspace) / "attempts")
