"""Learning a server's lists: from the server that runs already, over its address, or in a sandbox.

Only a command that nobody has started yet is confined: a server in use runs as the person, and one
that is reached by address is nothing we could wall in.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

from router.config.server import ServerConfig
from router.discovery.receipt import make_receipt, why_it_failed
from router.discovery.sandbox.launch_spec import Limits
from router.discovery.sandbox.sandbox import Confined, Sandbox, Wanted
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.receipts import (
    DiscoveryAccess,
    IsolationLevel,
    Package,
    Protection,
    Reason,
    Receipt,
)
from router.domain.servers import DiscoveryStep, TransportType
from router.domain.tool_lists import ServerListing
from router.upstream.connect import open_process
from router.upstream.errors import failed, timed_out
from router.upstream.list_reader import read_listing
from router.upstream.ports import Upstream
from router.upstream.process.environment import find_command

log = logging.getLogger(__name__)

TellStep: TypeAlias = Callable[[DiscoveryStep], None]


@dataclass(frozen=True, slots=True)
class LearningPlan:
    """How a server is started to learn its lists; `environment` is all it gets."""

    config: ServerConfig
    """What to run: of a package, what was fetched."""
    environment: Mapping[str, str] = field(repr=False)
    secrets: Sequence[str] = field(default=(), repr=False)
    """What must not appear in what it says."""
    access: DiscoveryAccess = DiscoveryAccess.ISOLATED
    required_level: IsolationLevel = IsolationLevel.NONE
    limits: Limits = field(default_factory=Limits)
    readable: Sequence[str] = ()
    package: Package | None = None
    as_written: Reason | None = None
    """Why its package was not fetched beforehand, if it is one."""


class Running(Protocol):
    """The servers in use."""

    def is_live(self, ref: ServerRef) -> bool: ...
    def borrow(self, ref: ServerRef) -> AbstractAsyncContextManager[Upstream]: ...


class Learner:
    """`plan` is asked before each confined run and raises `UpstreamFailed` for a server that may
    not run; `keep` gets a receipt of each, also of those that failed."""

    def __init__(
        self,
        *,
        running: Running,
        sandbox: Sandbox,
        config: Callable[[ServerRef], ServerConfig],
        plan: Callable[[ServerRef], Awaitable[LearningPlan]],
        keep: Callable[[ServerRef, Receipt], Awaitable[None]],
        clock: Callable[[], datetime],
    ) -> None:
        self._running = running
        self._sandbox = sandbox
        self._config = config
        self._plan = plan
        self._keep = keep
        self._clock = clock

    async def learn(self, ref: ServerRef, tell: TellStep) -> ServerListing:
        """The server's lists. Raises `UpstreamFailed`; nothing of a confined run is left."""
        config = self._config(ref)
        limit_s = config.discovery_timeout_s
        if config.transport is TransportType.HTTP or self._running.is_live(ref):
            return await self._borrowed(ref, tell, limit_s)
        plan = await self._plan(ref)
        await self._check_level(plan)
        if plan.access is DiscoveryAccess.UNCONFINED:
            listing = await self._borrowed(ref, tell, limit_s)
            nothing = Protection(IsolationLevel.NONE, network=True)
            await self._note(ref, config, plan, nothing, None)
            return listing
        return await self._confined(ref, plan, tell, limit_s)

    async def _check_level(self, plan: LearningPlan) -> None:
        """What a person requires is not given up because it can't be had."""
        found = await self._sandbox.abilities()
        confined = plan.access is not DiscoveryAccess.UNCONFINED
        level = found.way.level if confined else IsolationLevel.NONE
        if level < plan.required_level:
            reasons = map(str, found.missing) if confined else ["it was allowed to run unconfined."]
            detail = f"here it is level {level}. {' '.join(reasons)}".strip()
            required = f"isolation of level {plan.required_level}"
            raise failed(Failure(FailureKind.ISOLATION_TOO_WEAK, required, detail))

    async def _borrowed(self, ref: ServerRef, tell: TellStep, limit_s: float) -> ServerListing:
        tell(DiscoveryStep.CONNECTING)
        async with _within(limit_s), self._running.borrow(ref) as upstream:
            tell(DiscoveryStep.DISCOVERING)
            return await read_listing(upstream)

    async def _confined(
        self, ref: ServerRef, plan: LearningPlan, tell: TellStep, limit_s: float
    ) -> ServerListing:
        config, environment = plan.config, plan.environment
        network = plan.access is DiscoveryAccess.NETWORK
        wanted = Wanted(
            program=find_command(config.command or "", environment, config.cwd),
            args=config.args,
            environment=environment,
            cwd=config.cwd,
            network=network,
            readable=plan.readable,
            limits=plan.limits,
        )
        async with self._sandbox.confined(wanted) as run:
            try:
                return await self._read(ref, run, plan, tell, limit_s)
            except (UpstreamFailed, UpstreamAnsweredError) as error:
                raise why_it_failed(error, ref, run) from error
            finally:
                await asyncio.shield(self._note(ref, self._config(ref), plan, run.protection, run))

    async def _read(
        self, ref: ServerRef, run: Confined, plan: LearningPlan, tell: TellStep, limit_s: float
    ) -> ServerListing:
        tell(DiscoveryStep.CONNECTING)
        async with _within(limit_s):
            upstream = await open_process(
                run.command,
                secrets=plan.secrets,
                on_stderr=lambda line: log.debug("%s (confined): %s", ref.server, line),
                startup_timeout_s=limit_s,
            )
            try:
                tell(DiscoveryStep.DISCOVERING)
                return await read_listing(upstream)
            finally:
                await upstream.close()

    async def _note(
        self,
        ref: ServerRef,
        config: ServerConfig,
        plan: LearningPlan,
        protection: Protection,
        run: Confined | None,
    ) -> None:
        sightings = await asyncio.to_thread(run.sightings) if run else {}
        receipt = make_receipt(
            sightings,
            at=self._clock(),
            config_hash=config.config_hash,
            protection=protection,
            package=plan.package,
            as_written=plan.as_written,
        )
        await self._keep(ref, receipt)


@asynccontextmanager
async def _within(limit_s: float) -> AsyncGenerator[None]:
    """A time limit that fails the way a server does."""
    try:
        async with asyncio.timeout(limit_s):
            yield
    except TimeoutError:
        raise failed(timed_out(limit_s)) from None
