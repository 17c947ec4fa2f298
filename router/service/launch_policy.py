"""Whether a server may run, and how it is started and kept."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from router.catalog.server_entry import ServerEntry
from router.config.secret_detection import secret_values
from router.config.server import ServerConfig
from router.discovery.packages.resolver import PackageResolver
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.service.context import ServiceContext
from router.service.sign_ins import SignIns
from router.store.consents import search_path
from router.store.secrets import resolve
from router.upstream.connect import LaunchPlan
from router.upstream.errors import failed
from router.upstream.limits import UpstreamLimits, upstream_limits
from router.upstream.process.environment import find_command
from router.upstream.run_options import RunOptions

_RELATIVE_PROGRAM = (
    "its program is relative to the client's folder, so a client could choose what runs: "
    "use an absolute path"
)


@dataclass(frozen=True, slots=True)
class LaunchPolicy:
    _context: ServiceContext
    _sign_ins: SignIns
    _packages: PackageResolver
    _owner: str
    """Marks the processes as this router's."""

    async def permitted(self, ref: ServerRef) -> ServerConfig:
        """The configuration of a server that may run. Raises `UpstreamFailed` for any other."""
        entry = self._context.catalogs.entry(ref)
        if entry.config.disabled:
            raise failed(Failure(FailureKind.DISABLED), entry.name)
        if entry.config.lets_client_choose_program:
            raise failed(Failure(FailureKind.OTHER, detail=_RELATIVE_PROGRAM), entry.name)
        if (refusal := await asyncio.to_thread(self._refusal, ref, entry)) is not None:
            raise failed(refusal, entry.name)
        self._context.redactor.set_secrets(
            ref, (each.value for each in entry.config.plain_secrets), "written"
        )
        return entry.config

    def _refusal(self, ref: ServerRef, entry: ServerEntry) -> Failure | None:
        """Why the user's consent does not cover what would run now. Reads files."""
        if self._context.catalogs.has_consent(ref):
            return None
        if self._context.catalogs.lost_program(ref):
            path = search_path(entry.config)
            try:
                find_command(entry.config.command or "", {"PATH": path}, entry.config.cwd)
            except UpstreamFailed as error:
                return error.failure
        return Failure(FailureKind.CONSENT_NEEDED, entry.id, f"“{entry.config.target}”")

    async def plan(self, ref: ServerRef, folder: str | None) -> LaunchPlan:
        """How to start a server. Called at each start, so that secrets don't outlive their use. A
        server that works in its client's folder gets the user's home while there is no client."""
        config = (await self.permitted(ref)).in_folder(folder or str(Path.home()))
        config = await self._packages.checked(ref, config)
        resolved: list[str] = []
        env = await resolve(config.env, self._context.secrets, os.environ, resolved.append)
        headers = await resolve(config.headers, self._context.secrets, os.environ, resolved.append)
        self._context.redactor.set_secrets(
            ref, (*resolved, *secret_values(env), *secret_values(headers))
        )
        credentials = await self._sign_ins.credentials(ref)
        listing = self._context.catalogs.entry(ref).listing
        return LaunchPlan(
            config,
            env,
            headers,
            credentials,
            owner=self._owner,
            expected_version=config.protocol_version or listing.protocol_version,
            input_schema=partial(self._input_schema, ref),
            limits=self.upstream_limits(),
        )

    def upstream_limits(self) -> UpstreamLimits:
        settings = self._context.settings()
        return upstream_limits(settings.message_limit_mb, settings.list_limits.limits().tools)

    def run_options(self, ref: ServerRef) -> RunOptions:
        entry = self._context.catalogs.find(ref)
        if entry is None:
            return RunOptions()  # it was removed and is about to be stopped
        return RunOptions(
            name=entry.name,
            lifecycle=entry.config.lifecycle,
            sharing=entry.config.sharing,
            follows_client=entry.config.follows_client,
            max_sessions=entry.config.max_sessions,
            idle_timeout_s=self._context.settings().idle_timeout_s,
            max_concurrent_calls=entry.config.max_concurrent_calls,
            memory_limit_mb=entry.config.memory_limit_mb,
        )

    def _input_schema(self, ref: ServerRef, tool: str) -> JsonObject:
        entry = self._context.catalogs.find(ref)
        tools = entry.tools if entry else ()
        found = next((each for each in tools if each.key.tool == tool), None)
        return found.input_schema if found is not None else {}
