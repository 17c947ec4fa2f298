"""Other applications, as the person connects them: tokens, files and the keyring kept in step.

A token that an app no longer needs ends at once; an undo lets it hold again.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from router.api.apps import (
    ClientApp,
    ClientId,
    Connection,
    ConnectionPlan,
    FoundServer,
    FoundServers,
)
from router.apps import config_reader
from router.apps.app_specs import Endpoint
from router.apps.config_reader import SelfReference
from router.apps.config_writer import Connections, spec_of
from router.apps.locations import AppLocations
from router.apps.variables import input_secret, with_answers
from router.config.server import ServerConfig
from router.config.settings import DEFAULT_PORT, Settings
from router.domain.clients import IssuedToken
from router.domain.endpoint import ListenerState
from router.domain.errors import InvalidInput, NotFound, SecretUnavailable, said
from router.domain.ids import ServerId, TokenId, WorkspaceId
from router.runtime.clock import Clock
from router.store.ports import SecretStore
from router.store.tokens import TokenStore, WithdrawnToken

_NO_TOKEN = "tbt_••••••••"  # noqa: S105 - what a preview shows in its place


class Owner(Protocol):
    """What of the router this room needs."""

    def settings(self) -> Settings: ...
    def listener(self) -> ListenerState: ...
    async def issue_token(
        self, name: str, workspace: WorkspaceId | None, project: None
    ) -> IssuedToken: ...
    async def revoke_token(self, token: TokenId) -> None: ...
    async def withdraw_token(self, token: TokenId) -> WithdrawnToken | None: ...
    async def reinstate_token(self, withdrawn: WithdrawnToken) -> None: ...
    async def import_servers(
        self, workspace: WorkspaceId, servers: Mapping[str, ServerConfig]
    ) -> tuple[ServerId, ...]: ...


class Apps:
    """The one production implementation of `clients.AppsPort`."""

    def __init__(
        self,
        router: Owner,
        tokens: TokenStore,
        secrets: SecretStore,
        clock: Clock,
        places: AppLocations | None = None,
    ) -> None:
        self._router = router
        self._tokens = tokens
        self._secrets = secrets
        self._places = places or AppLocations.here()
        self._connections = Connections(self._places, self._ourselves, clock)
        self._issued: dict[str, TokenId] = {}
        """The token made for a connection, by its undo."""
        self._withdrawn: dict[str, WithdrawnToken] = {}
        """The token that ended with a disconnection, by its undo."""

    async def list(self) -> tuple[ClientApp, ...]:
        return await asyncio.to_thread(self._connections.apps)

    async def find_servers(self) -> FoundServers:
        return await asyncio.to_thread(config_reader.find_servers, self._places, self._ourselves())

    async def read_file(self, path: Path) -> FoundServers:
        ourselves = self._ourselves()
        return await asyncio.to_thread(config_reader.read_any_file, path, self._places, ourselves)

    async def import_servers(
        self, workspace: WorkspaceId, servers: Sequence[FoundServer], answers: Mapping[str, str]
    ) -> tuple[ServerId, ...]:
        for found in servers:
            for prompt in found.prompts:
                if answer := answers.get(prompt.id, prompt.default):
                    await self._secrets.set(input_secret(found.prefix, prompt.id), answer)
        chosen: dict[str, ServerConfig] = {}
        for found in servers:
            chosen[_free(found.name, chosen)] = with_answers(found, answers)
        return await self._router.import_servers(workspace, chosen)

    async def plan(self, client: ClientId) -> ConnectionPlan:
        return await asyncio.to_thread(
            self._connections.plan, client, self._endpoint(client, _NO_TOKEN)
        )

    async def connect(self, plan: ConnectionPlan) -> Connection:
        present = await self._present_token(plan.client)
        issued = None
        if present is None or self._tokens.verify(present) is None:
            issued = await self._router.issue_token(plan.name, None, None)
        token = issued.secret if issued else present or ""
        try:
            connection = await self._write(plan, token)
        except BaseException:
            if issued is not None:
                await self._router.revoke_token(issued.summary.id)
            raise
        if issued is not None:
            self._issued[connection.undo] = issued.summary.id
        return connection

    async def disconnect(self, client: ClientId) -> Connection:
        app = next(a for a in await self.list() if a.id == spec_of(client).id)
        present = await self._present_token(app.id)
        known = self._tokens.verify(present) if present else None
        withdrawn = await self._router.withdraw_token(known.id) if known else None
        try:
            connection = await asyncio.to_thread(self._connections.disconnect, app.id)
        except BaseException:
            if withdrawn is not None:
                await self._router.reinstate_token(withdrawn)
            raise
        if withdrawn is not None:
            self._withdrawn[connection.undo] = withdrawn
        return connection

    async def undo(self, connection: Connection) -> None:
        await asyncio.to_thread(self._connections.undo, connection.undo)
        if (withdrawn := self._withdrawn.pop(connection.undo, None)) is not None:
            await self._router.reinstate_token(withdrawn)
        if (issued := self._issued.pop(connection.undo, None)) is not None:
            await self._revoke(issued)

    async def snippet(self, client: ClientId) -> str:
        """With a new token in it: none that exists can be shown again."""
        spec = spec_of(client)
        issued = await self._router.issue_token(spec.name, None, None)
        endpoint = self._endpoint(client, issued.secret)
        return await asyncio.to_thread(self._connections.snippet, spec.id, endpoint)

    async def _write(self, plan: ConnectionPlan, token: str) -> Connection:
        endpoint = self._endpoint(plan.client, token)
        if spec_of(plan.client).by_bridge:
            await self._secrets.set(profile_secret(plan.client), token)
        return await asyncio.to_thread(
            self._connections.connect, plan.client, endpoint, plan.fingerprint
        )

    async def _present_token(self, client: ClientId) -> str | None:
        """The token an app has already: in its entry, or in the keyring where the bridge reads."""
        if not spec_of(client).by_bridge:
            return await asyncio.to_thread(self._connections.present_token, client)
        try:
            return await self._secrets.get(profile_secret(client))
        except SecretUnavailable:
            return None

    async def _revoke(self, token: TokenId) -> None:
        """Whoever has revoked it already did the same."""
        try:
            await self._router.revoke_token(token)
        except NotFound:
            return

    def _endpoint(self, client: ClientId, token: str) -> Endpoint:
        port = self._router.settings().port or DEFAULT_PORT
        url = self._router.listener().url or f"http://127.0.0.1:{port}/mcp"
        bridge = (*bridge_command(), "connect", "--profile", str(client))
        if spec_of(client).by_bridge and " " in bridge[0]:
            raise InvalidInput(
                said(
                    "{path} has a space in it, which {app} can't start.",
                    path=bridge[0],
                    app=spec_of(client).name,
                ),
                "Install Toolbooth into a folder without spaces.",
            )
        return Endpoint(url, token, bridge)

    def _ourselves(self) -> SelfReference:
        url = self._router.listener().url
        port = urlsplit(url).port if url else None
        ports = {self._router.settings().port or DEFAULT_PORT, port or DEFAULT_PORT}
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


def _free(wanted: str, taken: Mapping[str, object]) -> str:
    number, name = 2, wanted
    while name in taken:
        name, number = f"{wanted} {number}", number + 1
    return name
