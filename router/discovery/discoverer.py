"""Discovering the tool list of a server: over its connection, or from a process in a sandbox.

Only a command that is not running yet is sandboxed: a server in use already runs as the user, and
one that has an address runs elsewhere. The list is vetted before it is returned. What becomes of it
(cache, approvals, catalog, events) is not known here.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

from router.config.server import ServerConfig
from router.discovery.packages.resolver import PackageResolver, ResolvedCommand
from router.discovery.receipt import failure_of_run, make_receipt
from router.discovery.sandbox.launch_spec import SandboxLimits
from router.discovery.sandbox.observations import Observations
from router.discovery.sandbox.sandbox import Sandbox, SandboxedCommand, SandboxRequest
from router.discovery.vetting.process import VettingProcess
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.receipts import DiscoveryAccess, IsolationLevel, Protection, Receipt, SharedPath
from router.domain.servers import DiscoveryStep
from router.domain.tool_lists import ListLimits, PreparedListing, ServerListing
from router.upstream.connect import open_process
from router.upstream.errors import failed, time_limit
from router.upstream.limits import UpstreamLimits
from router.upstream.list_reader import read_listing
from router.upstream.ports import Upstream
from router.upstream.process.environment import find_command
from router.upstream.process.stdio import ServerCommand

log = logging.getLogger(__name__)

ReportStep: TypeAlias = Callable[[DiscoveryStep], None]

_LAST_WORDS = 40
"""Lines on stderr that may say which files it lacked."""
_UNPROTECTED = Protection(IsolationLevel.NONE, network=True)


@dataclass(frozen=True, slots=True)
class ConnectionPlan:
    """Read the list over the server's connection, which is opened if there is none."""

    timeout_s: float


@dataclass(frozen=True, slots=True)
class ProcessPlan:
    """Start the server's command for discovery only; `environment` is all it gets."""

    timeout_s: float
    config: ServerConfig
    config_hash: str
    """Of the configuration as written."""
    environment: Mapping[str, str] = field(repr=False)
    secrets: Sequence[str] = field(default=(), repr=False)
    """Values that are removed from its stderr."""
    access: DiscoveryAccess = DiscoveryAccess.ISOLATED
    required_level: IsolationLevel = IsolationLevel.NONE
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    shared: Sequence[SharedPath] = ()
    """What the user lets it use of their files."""


DiscoveryPlan: TypeAlias = ConnectionPlan | ProcessPlan


class UpstreamConnections(Protocol):
    """The connections of servers in use."""

    def borrow(self, ref: ServerRef) -> AbstractAsyncContextManager[Upstream]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Discoverer:
    connections: UpstreamConnections
    sandbox: Sandbox
    packages: PackageResolver
    vetting: VettingProcess
    list_limits: Callable[[], ListLimits]
    upstream_limits: Callable[[], UpstreamLimits]
    keep_receipt: Callable[[ServerRef, Receipt], Awaitable[None]]
    """Gets a receipt of each process started for discovery, also of those that failed."""
    clock: Callable[[], datetime]

    async def discover(
        self, ref: ServerRef, plan: DiscoveryPlan, report: ReportStep
    ) -> PreparedListing:
        """The vetted tool list of a server. Raises `UpstreamFailed` or `UpstreamAnsweredError`;
        nothing of a sandboxed run is left."""
        if isinstance(plan, ConnectionPlan):
            listing = await self._read_connected(ref, plan.timeout_s, report)
        else:
            listing = await self._read_process(ref, plan, report)
        report(DiscoveryStep.CACHING)
        return await self.vetting.prepare(listing, self.list_limits())

    async def _read_connected(
        self, ref: ServerRef, timeout_s: float, report: ReportStep
    ) -> ServerListing:
        report(DiscoveryStep.CONNECTING)
        async with (
            time_limit(timeout_s) as deadline,
            self.connections.borrow(ref) as upstream,
        ):
            report(DiscoveryStep.DISCOVERING)
            return await read_listing(upstream, self.upstream_limits(), deadline)

    async def _read_process(
        self, ref: ServerRef, plan: ProcessPlan, report: ReportStep
    ) -> ServerListing:
        search_path = plan.environment.get("PATH", os.defpath)
        resolved = await self.packages.resolve(ref, plan.config, search_path)
        confined = plan.access is not DiscoveryAccess.UNCONFINED and not resolved.is_container
        await self._check_level(plan.required_level, confined=confined)
        if confined:
            return await self._read_sandboxed(ref, plan, resolved, report)
        listing = await self._read_connected(ref, plan.timeout_s, report)
        await self._keep(ref, plan, resolved, None)
        return listing

    async def _check_level(self, required: IsolationLevel, *, confined: bool) -> None:
        """A required level that this machine does not have fails the discovery."""
        support = await self.sandbox.support()
        level = support.profile.level if confined else IsolationLevel.NONE
        if level < required:
            missing = map(str, support.missing)
            reasons = missing if confined else ["it was allowed to run unconfined."]
            detail = f"here it is level {level}. {' '.join(reasons)}".strip()
            subject = f"isolation of level {required}"
            raise failed(Failure(FailureKind.ISOLATION_TOO_WEAK, subject, detail))

    async def _read_sandboxed(
        self, ref: ServerRef, plan: ProcessPlan, resolved: ResolvedCommand, report: ReportStep
    ) -> ServerListing:
        config = resolved.config
        program = find_command(config.command or "", plan.environment, config.cwd)
        request = SandboxRequest(
            ServerCommand(program, config.args, plan.environment, config.cwd, inherits=False),
            network=plan.access is DiscoveryAccess.NETWORK,
            readable=resolved.readable,
            limits=plan.limits,
            shared=plan.shared,
        )
        words = deque[str](maxlen=_LAST_WORDS)
        async with self.sandbox.command(request) as sandboxed:
            try:
                limits = self.upstream_limits()
                return await _read_started(ref, sandboxed, plan, limits, report, words)
            except (UpstreamFailed, UpstreamAnsweredError) as error:
                raise failure_of_run(error, ref, sandboxed, "\n".join(words)) from error
            finally:
                await asyncio.shield(self._keep(ref, plan, resolved, sandboxed))

    async def _keep(
        self,
        ref: ServerRef,
        plan: ProcessPlan,
        resolved: ResolvedCommand,
        sandboxed: SandboxedCommand | None,
    ) -> None:
        receipt = make_receipt(
            await asyncio.to_thread(sandboxed.observations) if sandboxed else Observations(),
            at=self.clock(),
            config_hash=plan.config_hash,
            protection=sandboxed.protection if sandboxed else _UNPROTECTED,
            package=resolved.package,
            as_written=resolved.as_written,
        )
        await self.keep_receipt(ref, receipt)


async def _read_started(
    ref: ServerRef,
    sandboxed: SandboxedCommand,
    plan: ProcessPlan,
    limits: UpstreamLimits,
    report: ReportStep,
    words: deque[str],
) -> ServerListing:
    def keep(line: str) -> None:
        words.append(line)
        log.debug("%s (confined): %s", ref.server, line)

    report(DiscoveryStep.CONNECTING)
    async with time_limit(plan.timeout_s) as deadline:
        upstream = await open_process(
            sandboxed.command,
            secrets=plan.secrets,
            on_stderr=keep,
            startup_timeout_s=plan.timeout_s,
            limits=limits,
        )
        try:
            report(DiscoveryStep.DISCOVERING)
            return await read_listing(upstream, limits, deadline)
        finally:
            await upstream.close()
