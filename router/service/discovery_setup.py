"""Discovery's ties to the rest: what a server may have while its lists are learnt, its limits, its
environment with placeholders for secrets, and the receipts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from pathlib import Path

from router.catalog.server_status import StatusBoard
from router.config.discovery import IsolationSettings
from router.config.secret_references import replace_secret_references, secret_references
from router.config.server import ServerConfig
from router.config.settings import Settings
from router.discovery.discoverer import Learner, LearningPlan, Running
from router.discovery.packages.package_store import Shelf
from router.discovery.packages.resolver import Packages
from router.discovery.sandbox.launch_spec import Limits
from router.discovery.sandbox.sandbox import Sandbox, protection
from router.domain.ids import ServerRef
from router.domain.receipts import DiscoveryAccess, IsolationLevel, Protection, Receipt
from router.service.workspace_catalogs import Workspaces
from router.store.ports import SecretStore
from router.store.receipts import ReceiptStore
from router.store.secrets import resolve
from router.upstream.process.environment import server_environment

PLACEHOLDER = "toolbooth-placeholder"
_MEMORY_MB, _STRICT_MEMORY_MB, _STRICT_CPU_PERCENT = 512, 256, 25
_ABOUT_THE_PERSON = ("USER", "LOGNAME", "SHELL")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


class Discovering:
    def __init__(
        self,
        *,
        workspaces: Workspaces,
        running: Running,
        secrets: SecretStore,
        settings: Callable[[], Settings],
        board: StatusBoard,
        permit: Callable[[ServerRef], Awaitable[ServerConfig]],
        state_dir: Path,
        clock: Callable[[], datetime],
    ) -> None:
        """`permit` gives the configuration of a server that may run, and raises for another."""
        self._workspaces = workspaces
        self._secrets = secrets
        self._settings = settings
        self._board = board
        self._permit = permit
        self._receipts: dict[ServerRef, Receipt] = {}
        self._packages = Packages(Shelf(state_dir / "packages", clock))
        self._outworn: set[ServerRef] = set()
        """Those whose package shall be fetched anew."""
        self._sandbox = Sandbox(state_dir / "runs", Path.home())
        self._learner = Learner(
            running=running,
            sandbox=self._sandbox,
            config=lambda ref: workspaces.entry(ref).config,
            plan=self._plan,
            keep=self._keep,
            clock=clock,
        )
        self.learn = self._learner.learn

    def receipt(self, ref: ServerRef) -> Receipt | None:
        """What the server tried when its lists were last learnt with its present configuration."""
        found = self._receipts.get(ref)
        current = self._workspaces.entry(ref).config.config_hash
        return found if found is not None and found.config_hash == current else None

    async def isolation(self) -> Protection:
        """What a server would be learnt with now, if nobody has allowed it more."""
        found = await self._sandbox.abilities()
        return protection(found, _limits(self._settings().isolation), network=False)

    async def load(self, ref: ServerRef) -> None:
        """Take what is known of a server from disk."""
        receipt = await asyncio.to_thread(self._store(ref).read, ref.server)
        if receipt is not None:
            self._receipts = {**self._receipts, ref: receipt}
        await self._show(ref)

    def renew_package(self, ref: ServerRef) -> None:
        """A person wants the newest package of a server; it is fetched with the next list."""
        self._outworn.add(ref)

    async def to_start(self, ref: ServerRef, config: ServerConfig) -> ServerConfig:
        """What to start a server in use with: of a package, what was fetched."""
        return await asyncio.to_thread(self._packages.on_shelf, ref, config)

    async def forget(self, ref: ServerRef) -> None:
        self._outworn.discard(ref)
        await self._packages.forget(ref)
        self._receipts = {r: receipt for r, receipt in self._receipts.items() if r != ref}
        await asyncio.to_thread(self._store(ref).remove, ref.server)

    async def allow(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        """A person decides what the server may have while its lists are learnt."""
        consents, config = (
            self._workspaces.consents(ref.workspace),
            self._workspaces.entry(ref).config,
        )
        await asyncio.to_thread(consents.allow, ref.server, config, access)
        await self._show(ref)

    async def _show(self, ref: ServerRef) -> None:
        receipt, access = self.receipt(ref), await self._access(ref)
        known = receipt.protection if receipt else None
        self._board.update(ref, protection=known, access=access)

    async def _access(self, ref: ServerRef) -> DiscoveryAccess:
        consents, config = (
            self._workspaces.consents(ref.workspace),
            self._workspaces.entry(ref).config,
        )
        return await asyncio.to_thread(consents.access, ref.server, config)

    async def _plan(self, ref: ServerRef) -> LearningPlan:
        config = (await self._permit(ref)).in_folder(str(Path.home()))
        access = await self._access(ref)
        isolation = self._settings().isolation
        real: dict[str, str] = {}
        if access is not DiscoveryAccess.ISOLATED:
            real = await resolve(config.env, self._secrets, os.environ)
        environment = discovery_environment(os.environ, config.env, real)
        path = environment.get("PATH", os.defpath)
        renew = ref in self._outworn
        choice = await self._packages.choose(ref, config, path, renew=renew)
        self._outworn.discard(ref)
        return LearningPlan(
            config=choice.config,
            environment=environment,
            secrets=tuple(value for key, value in real.items() if value != config.env[key]),
            access=DiscoveryAccess.UNCONFINED if choice.container else access,
            readable=choice.readable,
            package=choice.package,
            as_written=choice.as_written,
            required_level=IsolationLevel(isolation.required_level),
            limits=_limits(isolation),
        )

    async def _keep(self, ref: ServerRef, receipt: Receipt) -> None:
        self._receipts = {**self._receipts, ref: receipt}
        self._board.update(ref, protection=receipt.protection)
        await asyncio.to_thread(self._store(ref).write, ref.server, receipt)

    def _store(self, ref: ServerRef) -> ReceiptStore:
        return ReceiptStore(self._workspaces.folder(ref.workspace) / "receipts")


def discovery_environment(
    ours: Mapping[str, str], configured: Mapping[str, str], real: Mapping[str, str]
) -> dict[str, str]:
    """All a server gets while its lists are learnt: the configured values with placeholders for
    their secrets, unless they are given, and of ours what says nothing about the person."""
    inherited = server_environment(ours, {})
    for name in (*_ABOUT_THE_PERSON, *(() if real else _PROXIES)):
        for spelling in (name, name.lower()):
            inherited.pop(spelling, None)
    filled = {k: real.get(k) or _with_placeholders(v, inherited) for k, v in configured.items()}
    return {**inherited, "USER": "toolbooth", **filled}


def _with_placeholders(value: str, known: Mapping[str, str]) -> str:
    """References to variables that everybody inherits mean those, all others are secrets."""
    values = {
        (kind, name): known.get(name, PLACEHOLDER) if kind == "env" else PLACEHOLDER
        for kind, name in secret_references(value)
    }
    return replace_secret_references(value, values)


def _limits(isolation: IsolationSettings) -> Limits:
    usual = _STRICT_MEMORY_MB if isolation.strict else _MEMORY_MB
    return Limits(
        memory_mb=isolation.memory_mb or usual,
        cpu_percent=_STRICT_CPU_PERCENT if isolation.strict else None,
    )
