"""Stores sign-ins in the keyring, by issuer and resource.

A token is only ever used with the issuer that granted it. Workspaces are separate, so that one
server may be used with two accounts.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from pydantic.alias_generators import to_camel

from router.domain.errors import SecretUnavailable
from router.domain.ids import WorkspaceId
from router.store.secrets import SecretStore
from router.upstream.oauth.client_registration import OAuthClient
from router.upstream.oauth.tokens import OAuthTokens


@dataclass(frozen=True, slots=True)
class CredentialKey:
    """Identifies a sign-in: who granted it, and for which resource."""

    issuer: str
    resource: str


T = TypeVar("T")
_STORED = ConfigDict(alias_generator=to_camel, strict=True)
_KEY = TypeAdapter(with_config(_STORED)(CredentialKey))
_TOKENS = TypeAdapter(with_config(_STORED)(OAuthTokens))
_CLIENT = TypeAdapter(with_config(_STORED)(OAuthClient))


class CredentialStore:
    """The sign-ins of one workspace. Reading never raises: what can't be read is missing."""

    def __init__(self, secrets: SecretStore, workspace: WorkspaceId) -> None:
        self._secrets = secrets
        self._prefix = f"oauth/{workspace}"

    async def key(self, server_url: str) -> CredentialKey | None:
        """The key of the sign-in to the server at `server_url`, if there is one."""
        return await self._read(_KEY, self._pointer(server_url))

    async def tokens(self, key: CredentialKey) -> OAuthTokens | None:
        return await self._read(_TOKENS, self._name("tokens", key))

    async def client(self, key: CredentialKey) -> OAuthClient | None:
        return await self._read(_CLIENT, self._name("client", key))

    async def store_tokens(self, server_url: str, key: CredentialKey, tokens: OAuthTokens) -> None:
        await self._write(self._name("tokens", key), tokens)
        if await self.key(server_url) != key:
            await self._write(self._pointer(server_url), key)

    async def store_client(self, key: CredentialKey, client: OAuthClient) -> None:
        await self._write(self._name("client", key), client)

    async def delete_tokens(self, server_url: str, key: CredentialKey) -> None:
        await self._secrets.delete(self._name("tokens", key))
        await self._secrets.delete(self._pointer(server_url))

    async def delete_client(self, key: CredentialKey) -> None:
        await self._secrets.delete(self._name("client", key))

    def _pointer(self, server_url: str) -> str:
        return f"{self._prefix}/server {server_url}"

    def _name(self, kind: str, key: CredentialKey) -> str:
        return f"{self._prefix}/{kind} {key.issuer} {key.resource}"

    async def _read(self, kind: TypeAdapter[T], name: str) -> T | None:
        try:
            return kind.validate_json(await self._secrets.get(name))
        except (SecretUnavailable, ValidationError):
            return None

    async def _write(self, name: str, value: CredentialKey | OAuthTokens | OAuthClient) -> None:
        members = {to_camel(field): member for field, member in asdict(value).items()}
        await self._secrets.set(name, json.dumps(members, default=datetime.isoformat))
