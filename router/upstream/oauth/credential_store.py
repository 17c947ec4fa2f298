"""Stores sign-ins in the keyring, by issuer and resource.

A token is only ever used with the issuer that granted it. Workspaces are separate, so that one
server may be used with two accounts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from router.domain.errors import SecretUnavailable
from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject, parse_object
from router.store.secrets import SecretStore
from router.upstream.oauth.client_registration import Client
from router.upstream.oauth.tokens import OAuthTokens


@dataclass(frozen=True, slots=True)
class CredentialKey:
    """Identifies a sign-in: who granted it, and for which resource."""

    issuer: str
    resource: str


class CredentialStore:
    """The sign-ins of one workspace. Reading never raises: what can't be read is missing."""

    def __init__(self, secrets: SecretStore, workspace: WorkspaceId) -> None:
        self._secrets = secrets
        self._prefix = f"oauth/{workspace}"

    async def key(self, server_url: str) -> CredentialKey | None:
        """The key of the sign-in to the server at `server_url`, if there is one."""
        match await self._read(self._pointer(server_url)):
            case {"issuer": str(issuer), "resource": str(resource)}:
                return CredentialKey(issuer, resource)
            case _:
                return None

    async def tokens(self, key: CredentialKey) -> OAuthTokens | None:
        return OAuthTokens.from_json(await self._read(self._name("tokens", key)))

    async def client(self, key: CredentialKey) -> Client | None:
        return Client.from_json(await self._read(self._name("client", key)))

    async def store_tokens(self, server_url: str, key: CredentialKey, tokens: OAuthTokens) -> None:
        await self._write(self._name("tokens", key), tokens.to_json())
        pointer: JsonObject = {"issuer": key.issuer, "resource": key.resource}
        if await self.key(server_url) != key:
            await self._write(self._pointer(server_url), pointer)

    async def store_client(self, key: CredentialKey, client: Client) -> None:
        await self._write(self._name("client", key), client.to_json())

    async def delete_tokens(self, server_url: str, key: CredentialKey) -> None:
        await self._secrets.delete(self._name("tokens", key))
        await self._secrets.delete(self._pointer(server_url))

    async def delete_client(self, key: CredentialKey) -> None:
        await self._secrets.delete(self._name("client", key))

    def _pointer(self, server_url: str) -> str:
        return f"{self._prefix}/server {server_url}"

    def _name(self, kind: str, key: CredentialKey) -> str:
        return f"{self._prefix}/{kind} {key.issuer} {key.resource}"

    async def _read(self, name: str) -> JsonObject:
        try:
            return parse_object(await self._secrets.get(name))
        except SecretUnavailable:
            return {}

    async def _write(self, name: str, value: JsonObject) -> None:
        await self._secrets.set(name, json.dumps(value))
