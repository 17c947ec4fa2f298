"""Where sign-ins are kept: in the keyring, each value under its issuer and its resource.

A token is never found under another issuer's name than the one that gave it. Workspaces are apart
from each other, so that one server may be used with two accounts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

from router.domain.errors import SecretUnavailable
from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject, as_object
from router.store.ports import SecretStore
from router.upstream.oauth.client_registration import Client
from router.upstream.oauth.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Place:
    """Whose tokens, and for what: the name of a sign-in."""

    issuer: str
    resource: str


class Vault:
    """The sign-ins of one workspace. Reading never raises: what can't be read is not there."""

    def __init__(self, secrets: SecretStore, workspace: WorkspaceId) -> None:
        self._secrets = secrets
        self._prefix = f"oauth/{workspace}"

    async def place(self, server_url: str) -> Place | None:
        """Where the sign-in of the server at `server_url` is kept, if there is one."""
        match await self._read(self._pointer(server_url)):
            case {"issuer": str(issuer), "resource": str(resource)}:
                return Place(issuer, resource)
            case _:
                return None

    async def tokens(self, place: Place) -> Tokens | None:
        return Tokens.from_json(await self._read(self._name("tokens", place)))

    async def client(self, place: Place) -> Client | None:
        return Client.from_json(await self._read(self._name("client", place)))

    async def keep_tokens(self, server_url: str, place: Place, tokens: Tokens) -> None:
        await self._write(self._name("tokens", place), tokens.to_json())
        pointer: JsonObject = {"issuer": place.issuer, "resource": place.resource}
        if await self.place(server_url) != place:
            await self._write(self._pointer(server_url), pointer)

    async def keep_client(self, place: Place, client: Client) -> None:
        await self._write(self._name("client", place), client.to_json())

    async def drop_tokens(self, server_url: str, place: Place) -> None:
        await self._secrets.delete(self._name("tokens", place))
        await self._secrets.delete(self._pointer(server_url))

    async def drop_client(self, place: Place) -> None:
        await self._secrets.delete(self._name("client", place))

    def _pointer(self, server_url: str) -> str:
        return f"{self._prefix}/server {server_url}"

    def _name(self, kind: str, place: Place) -> str:
        return f"{self._prefix}/{kind} {place.issuer} {place.resource}"

    async def _read(self, name: str) -> JsonObject:
        try:
            return as_object(cast(object, json.loads(await self._secrets.get(name))))
        except (SecretUnavailable, ValueError):
            return {}

    async def _write(self, name: str, value: JsonObject) -> None:
        await self._secrets.set(name, json.dumps(value))
