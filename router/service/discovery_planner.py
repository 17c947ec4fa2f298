"""How a server is discovered: its access, limits and environment, with placeholders for secrets."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from router.catalog.server_status import ServerStatuses
from router.config.secret_references import replace_secret_references, secret_references
from router.config.server import ServerConfig
from router.config.settings import IsolationSettings
from router.discovery.discoverer import ConnectionPlan, DiscoveryPlan, ProcessPlan
from router.discovery.sandbox.launch_spec import SandboxLimits
from router.discovery.sandbox.sandbox import Sandbox, protection
from router.domain.errors import InvalidInput, sentence
from router.domain.ids import ServerRef
from router.domain.receipts import DiscoveryAccess, IsolationLevel, Protection, SharedPath
from router.domain.servers import TransportType
from router.service.context import ServiceContext
from router.store.secrets import resolve
from router.upstream.process.environment import server_environment
from router.upstream.process.network_variables import is_proxy_variable, is_registry_variable

PLACEHOLDER = "toolbooth-placeholder"
_MEMORY_MB, _STRICT_MEMORY_MB, _STRICT_CPU_PERCENT = 512, 256, 25
_FILES_MB, _DOWNLOADS_MB = 256, 2048
_USER_VARIABLES = ("USER", "LOGNAME", "SHELL")


@dataclass(frozen=True, slots=True)
class DiscoveryPlanner:
    _context: ServiceContext
    _statuses: ServerStatuses
    _sandbox: Sandbox
    _is_live: Callable[[ServerRef], bool]
    _permitted: Callable[[ServerRef], Awaitable[ServerConfig]]
    """The configuration of a server that may run; raises `UpstreamFailed` for another."""

    async def plan(self, ref: ServerRef) -> DiscoveryPlan:
        """How to discover a server now. Raises `UpstreamFailed` for one that may not run."""
        written = self._context.catalogs.entry(ref).config
        if written.transport is TransportType.HTTP or self._is_live(ref):
            return ConnectionPlan(written.discovery_timeout_s)
        config = (await self._permitted(ref)).in_folder(str(Path.home()))
        access = await self._access(ref)
        real: dict[str, str] = {}
        if access is not DiscoveryAccess.ISOLATED:
            real = await resolve(config.env, self._context.secrets, os.environ)
        isolation = self._context.settings().isolation
        network = access is not DiscoveryAccess.ISOLATED
        return ProcessPlan(
            timeout_s=written.discovery_timeout_s,
            config=config,
            config_hash=written.config_hash,
            environment=discovery_environment(os.environ, config.env, real, network=network),
            secrets=tuple(value for key, value in real.items() if value != config.env[key]),
            access=access,
            required_level=IsolationLevel(isolation.required_level),
            limits=_limits(isolation, network=network),
            shared=await self._shared(ref),
        )

    async def protection(self) -> Protection:
        """The protection of a discovery now, for a server that was not allowed more."""
        support = await self._sandbox.support()
        return protection(support, _limits(self._context.settings().isolation), network=False)

    async def allow(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        """Set what a server may access during discovery, as the user decided. `ISOLATED` also ends
        the sharing of files."""
        consents = self._context.catalogs.consents(ref.workspace)
        config = self._context.catalogs.entry(ref).config
        await asyncio.to_thread(consents.allow, ref.server, config, access)
        if access is DiscoveryAccess.ISOLATED:
            await asyncio.to_thread(consents.share, ref.server, config, ())
        await self.load(ref)

    async def share(self, ref: ServerRef, paths: Iterable[SharedPath]) -> None:
        """Share files of the user with a server during discovery, beside those shared before.
        Raises `InvalidInput` for what must not be shared."""
        consents = self._context.catalogs.consents(ref.workspace)
        config = self._context.catalogs.entry(ref).config
        for each in paths:
            await asyncio.to_thread(self._check_shareable, each)
        together = (*await self._shared(ref), *paths)
        await asyncio.to_thread(consents.share, ref.server, config, together)

    def _check_shareable(self, shared: SharedPath) -> None:
        if not Path(shared.path).is_absolute() or not Path(shared.path).exists():
            raise InvalidInput(sentence("There is no file or folder {path}.", path=shared.path))
        if not self._sandbox.may_be_shared(shared):
            raise InvalidInput(
                sentence("{path} can’t be shared: it holds too much.", path=shared.path),
                sentence("Share a folder in it, or discover the server without a sandbox."),
            )

    async def _shared(self, ref: ServerRef) -> tuple[SharedPath, ...]:
        consents = self._context.catalogs.consents(ref.workspace)
        config = self._context.catalogs.entry(ref).config
        return await asyncio.to_thread(consents.shared, ref.server, config)

    async def load(self, ref: ServerRef) -> None:
        """Show in the server's status what it may access."""
        self._statuses.update(ref, access=await self._access(ref))

    async def _access(self, ref: ServerRef) -> DiscoveryAccess:
        consents = self._context.catalogs.consents(ref.workspace)
        config = self._context.catalogs.entry(ref).config
        return await asyncio.to_thread(consents.access, ref.server, config)


def discovery_environment(
    ours: Mapping[str, str],
    configured: Mapping[str, str],
    real: Mapping[str, str],
    *,
    network: bool,
) -> dict[str, str]:
    """All a server gets during discovery: the configured variables, with placeholders for secrets
    that are not in `real`, and of ours those that say nothing about the user. With `network` also
    the user's proxies and registries."""
    inherited = {
        name: value
        for name, value in server_environment(ours, {}).items()
        if name.upper() not in _USER_VARIABLES
        and (network or not (is_proxy_variable(name) or is_registry_variable(name)))
    }
    filled = {k: real.get(k) or _with_placeholders(v, inherited) for k, v in configured.items()}
    return {**inherited, "USER": "toolbooth", **filled}


def _with_placeholders(value: str, known: Mapping[str, str]) -> str:
    """References to inherited variables are resolved; all others count as secrets."""
    values = {
        (kind, name): known.get(name, PLACEHOLDER) if kind == "env" else PLACEHOLDER
        for kind, name in secret_references(value)
    }
    return replace_secret_references(value, values)


def _limits(isolation: IsolationSettings, *, network: bool = False) -> SandboxLimits:
    """With network its home has room for what it downloads."""
    default = _STRICT_MEMORY_MB if isolation.strict else _MEMORY_MB
    return SandboxLimits(
        memory_mb=isolation.memory_mb or default,
        cpu_percent=_STRICT_CPU_PERCENT if isolation.strict else None,
        files_mb=_DOWNLOADS_MB if network else _FILES_MB,
    )
