"""Connecting other applications: keeps their files, our tokens and the keyring in step.

Disconnecting an app revokes its token at once; undoing that reinstates it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from router.api.apps import (
    App,
    AppConnection,
    AppConnectionPlan,
    AppId,
    FoundServer,
    FoundServers,
)
from router.api.endpoint import EndpointPort
from router.apps import config_reader
from router.apps.app_specs import EntryTarget
from router.apps.config_reader import SelfReference
from router.apps.config_writer import AppConfigWriter, spec_of
from router.apps.locations import AppLocations
from router.apps.variables import input_secret, with_answers
from router.catalog.config_edits import free_name
from router.config.server import ServerConfig
from router.config.settings import DEFAULT_PORT
from router.domain.errors import InvalidInput, NotFound, sentence
from router.domain.ids import ServerId, WorkspaceId
from router.service.context import ServiceContext
from router.service.servers import Servers
from router.service.tokens import Tokens

_NO_TOKEN = "tbt_••••••••"  # noqa: S105 - what a preview shows in its place


class Apps:
    """The production implementation of `api.apps.AppsPort`."""

    def __init__(
        self,
        context: ServiceContext,
        endpoint: EndpointPort,
        servers: Servers,
        tokens: Tokens,
        locations: AppLocations | None = None,
    ) -> None:
        self._settings = context.settings
        self._secrets = context.secrets
        self._endpoint = endpoint
        self._servers = servers
        self._tokens = tokens
        self._locations = locations or AppLocations.here()
        self._connections = AppConfigWriter(self._locations, self._self_reference, context.clock)
        self._token_undo: dict[str, Callable[[], Awaitable[None]]] = {}
        """Undoes what a connection or disconnection did to a token, by its undo id."""

    async def list(self) -> tuple[App, ...]:
        return await asyncio.to_thread(self._connections.apps)

    async def find_servers(self) -> FoundServers:
        ours = self._self_reference()
        return await asyncio.to_thread(config_reader.find_servers, self._locations, ours)

    async def read_file(self, path: Path) -> FoundServers:
        ours = self._self_reference()
        return await asyncio.to_thread(config_reader.read_any_file, path, self._locations, ours)

    async def import_servers(
        self, workspace: WorkspaceId, servers: Sequence[FoundServer], answers: Mapping[str, str]
    ) -> tuple[ServerId, ...]:
        for found in servers:
            for prompt in found.prompts:
                if answer := answers.get(prompt.id, prompt.default):
                    await self._secrets.set(input_secret(found.prefix, prompt.id), answer)
        chosen: dict[str, ServerConfig] = {}
        for found in servers:
            chosen[free_name(found.name, " ", chosen)] = with_answers(found, answers)
        return await self._servers.add_imported(workspace, chosen)

    async def plan(self, app_id: AppId) -> AppConnectionPlan:
        return await asyncio.to_thread(
            self._connections.plan, app_id, self._endpoint_for(app_id, _NO_TOKEN)
        )

    async def connect(self, plan: AppConnectionPlan) -> AppConnection:
        existing = await self._existing_token(plan.client)
        if existing is not None and self._tokens.verify(existing) is not None:
            return await self._write(plan, existing)
        issued = await self._tokens.issue(plan.name, None, None)
        try:
            connection = await self._write(plan, issued.secret)
        except BaseException:
            await self._tokens.revoke(issued.summary.id)
            raise
        self._token_undo[connection.undo] = partial(self._tokens.revoke, issued.summary.id)
        return connection

    async def disconnect(self, app_id: AppId) -> AppConnection:
        existing = await self._existing_token(app_id)
        known = self._tokens.verify(existing) if existing else None
        withdrawn = await self._tokens.withdraw(known.id) if known else None
        try:
            connection = await asyncio.to_thread(self._connections.disconnect, app_id)
        except BaseException:
            if withdrawn is not None:
                await self._tokens.reinstate(withdrawn)
            raise
        if withdrawn is not None:
            self._token_undo[connection.undo] = partial(self._tokens.reinstate, withdrawn)
        return connection

    async def undo(self, connection: AppConnection) -> None:
        await asyncio.to_thread(self._connections.undo, connection.undo)
        if (undo := self._token_undo.pop(connection.undo, None)) is not None:
            with suppress(NotFound):  # A token that was issued may have been revoked already.
                await undo()

    async def snippet(self, app_id: AppId) -> str:
        """With a new token in it: none that exists can be shown again."""
        spec = spec_of(app_id)
        issued = await self._tokens.issue(spec.name, None, None)
        endpoint = self._endpoint_for(app_id, issued.secret)
        return await asyncio.to_thread(self._connections.snippet, app_id, endpoint)

    async def _write(self, plan: AppConnectionPlan, token: str) -> AppConnection:
        endpoint = self._endpoint_for(plan.client, token)
        if spec_of(plan.client).by_bridge:
            await self._secrets.set(profile_secret(plan.client), token)
        return await asyncio.to_thread(
            self._connections.connect, plan.client, endpoint, plan.fingerprint
        )

    async def _existing_token(self, app_id: AppId) -> str | None:
        """The token an app has already: in its entry, or in the keyring where the bridge reads."""
        if not spec_of(app_id).by_bridge:
            return await asyncio.to_thread(self._connections.present_token, app_id)
        return await self._secrets.find(profile_secret(app_id))

    def _endpoint_for(self, app_id: AppId, token: str) -> EntryTarget:
        port = self._settings().port or DEFAULT_PORT
        url = self._endpoint.state().url or f"http://127.0.0.1:{port}/mcp"
        bridge = (*bridge_command(), "connect", "--profile", str(app_id))
        if spec_of(app_id).by_bridge and " " in bridge[0]:
            raise InvalidInput(
                sentence(
                    "{app} can't start {path}, because the path contains a space.",
                    path=bridge[0],
                    app=spec_of(app_id).name,
                ),
                "Install Toolbooth in a folder without spaces in its path.",
            )
        return EntryTarget(url, token, bridge)

    def _self_reference(self) -> SelfReference:
        url = self._endpoint.state().url
        port = urlsplit(url).port if url else None
        ports = {self._settings().port or DEFAULT_PORT, port or DEFAULT_PORT}
        return SelfReference(frozenset(ports))


def profile_secret(profile: str) -> str:
    """Where the bridge finds the token of a profile."""
    return f"profile/{profile}"


def bridge_command(executable: str | None = None, *, frozen: bool | None = None) -> tuple[str, ...]:
    """Our own command by its absolute path: in a bundle the program itself, else the script that
    stands beside the interpreter."""
    executable = executable or sys.executable
    frozen = bool(getattr(sys, "frozen", False)) if frozen is None else frozen
    name = "toolbooth.exe" if executable.endswith(".exe") else "toolbooth"
    return (executable if frozen else str(Path(executable).with_name(name)),)
