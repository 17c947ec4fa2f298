"""The account at one server: its tokens in memory, refreshed in time, and a circuit breaker.

The keyring is not read until a server requires a sign-in. A new token that is refused is not
replaced again: then every request fails at once, without network traffic, until the user acts.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from router.config.server import OAuthConfig
from router.domain.errors import SecretUnavailable, UpstreamFailed, sentence
from router.domain.failures import Failure, FailureKind
from router.runtime.clock import Clock
from router.runtime.tasks import spawn
from router.upstream.errors import HttpRefused, failed
from router.upstream.oauth.client_registration import OAuthClient, preregistered_client
from router.upstream.oauth.credential_store import CredentialKey, CredentialStore
from router.upstream.oauth.errors import GrantRefused, SignInFailed, sign_in_needed
from router.upstream.oauth.guarded_http_client import GuardedHttpClient
from router.upstream.oauth.metadata import Challenge
from router.upstream.oauth.tokens import OAuthTokens, refresh_tokens, revoke_tokens

log = logging.getLogger(__name__)

Options: TypeAlias = Callable[[], Awaitable[OAuthConfig]]
"""The OAuth settings of the server, with secrets resolved; raises `UpstreamFailed`."""

OnSecrets: TypeAlias = Callable[[tuple[str, ...]], None]
"""Receives the secrets to redact: the current tokens and the previous ones, which a server may
quote."""

_REFRESH_MARGIN = timedelta(seconds=60)
_REFRESH_PAUSE = timedelta(seconds=10)
"""After a refresh without an answer, so that requests don't wait for it one after another."""


@dataclass(frozen=True, slots=True)
class _Grant:
    key: CredentialKey
    tokens: OAuthTokens
    proven: bool
    """Whether the server has accepted it: a new token that it refuses is not replaced again."""
    issued_at: datetime | None = None
    """None for stored tokens."""


class Account:
    """Implements `Credentials`. `server` is the id of the server, for messages."""

    def __init__(
        self,
        server: str,
        url: str,
        *,
        credential_store: CredentialStore,
        http: GuardedHttpClient,
        options: Options,
        clock: Clock,
        on_secrets: OnSecrets = lambda _: None,
    ) -> None:
        self.server = server
        self.url = url
        self.credential_store = credential_store
        self.http = http
        self.options = options
        self.clock = clock
        self.challenge: Challenge | None = None
        """The server's last challenge, if there was one."""
        self._on_secrets = on_secrets
        self._secrets: tuple[str, ...] = ()
        self._grant: _Grant | None = None
        self._given_up = ""
        """Why requests fail without being sent; empty while they are sent."""
        self._unanswered: tuple[datetime, Failure] | None = None
        """When the last refresh failed without an answer, and how."""
        self._lock = asyncio.Lock()

    # For requests

    async def token(self) -> str | None:
        """The access token to send; None until the server requires one. Raises `UpstreamFailed`."""
        self._raise_if_given_up()
        if self._grant is not None and self._expires_soon(self._grant):
            await self._shielded(self._refresh_in_time())
            self._raise_if_given_up()
        return self._grant.tokens.access_token if self._grant else None

    async def replace_token(self, refused: str | None, challenge: str) -> str:
        """Another token in place of `refused`. Raises `UpstreamFailed`, as will all later calls, if
        only a sign-in can provide one."""
        self.challenge = Challenge.parse(challenge)
        await self._shielded(self._replace(refused))
        self._raise_if_given_up()
        return self._grant.tokens.access_token if self._grant else ""

    def accepted(self, token: str | None) -> None:
        grant = self._grant
        if grant is not None and not grant.proven and grant.tokens.access_token == token:
            self._grant = replace(grant, proven=True)

    def insufficient_scope(self, challenge: str) -> HttpRefused:
        """The server requires more scopes than were granted (RFC 6750, 3.1)."""
        asked = Challenge.parse(challenge)
        granted = self._grant.tokens.scope if self._grant else ""
        scopes = dict.fromkeys(f"{granted} {asked.scope}".split())
        self.challenge = replace(asked, scope=" ".join(scopes))
        failure = sign_in_needed(self.server, "it wants more permissions")
        return HttpRefused(failure, HTTPStatus.FORBIDDEN)

    # For the user

    def reset(self) -> None:
        """Allow requests again, because the user asked for it."""
        self._unanswered = None
        if self._given_up:
            self._given_up = ""
            self._grant = None

    async def store_tokens(self, key: CredentialKey, tokens: OAuthTokens) -> None:
        """Store the tokens of a sign-in."""
        async with self._lock:
            await self._store_tokens(key, tokens)
            self._given_up = ""

    async def sign_out(self) -> None:
        """Revoke and delete the tokens; the client stays registered."""
        async with self._lock:
            grant = self._grant or await self._load()
            if grant is not None:
                await self._revoke(grant)
                await self.credential_store.delete_tokens(self.url, grant.key)
            self._grant = None
            self._given_up = "you signed out"

    # One at a time

    async def _shielded(self, work: Coroutine[Any, Any, None]) -> None:
        """Finish `work` even if its caller is cancelled: half a refresh would lose the sign-in."""
        name = f"sign-in {self.server}"
        await asyncio.shield(spawn(self._in_turn(work), name=name, log_failure=False))

    async def _in_turn(self, work: Coroutine[Any, Any, None]) -> None:
        async with self._lock:
            await work

    async def _replace(self, refused: str | None) -> None:
        if self._given_up:
            return
        grant = self._grant = self._grant or await self._load()
        if grant is None:
            self._given_up = "HTTP 401 Unauthorized"
        elif grant.tokens.access_token == refused and not grant.proven:
            self._given_up = "it refuses the token it was just given"
        elif grant.tokens.access_token == refused or self._expires_soon(grant):
            await self._refresh(grant)

    async def _load(self) -> _Grant | None:
        key = await self.credential_store.key(self.url)
        tokens = await self.credential_store.tokens(key) if key else None
        if tokens is not None:
            self._report_secrets(tokens)
        return _Grant(key, tokens, proven=True) if key and tokens else None

    async def _refresh_in_time(self) -> None:
        """Refresh unless that was just done; if it fails, a token that is still valid is used."""
        grant = self._grant
        if grant is None or not self._expires_soon(grant):
            return
        try:
            await self._refresh(grant)
        except UpstreamFailed:
            expires_at = grant.tokens.expires_at
            if expires_at is None or expires_at <= self.clock():
                raise

    async def _refresh(self, grant: _Grant) -> None:
        """Refresh, or give up if the authorization server refuses. Raises `UpstreamFailed` if it
        can't be reached."""
        stored = await self.credential_store.tokens(grant.key)
        if stored is not None and stored.access_token != grant.tokens.access_token:
            # Another process, or the same server in another entry, was faster.
            self._report_secrets(stored)
            grant = self._grant = _Grant(grant.key, stored, proven=False)
            if not self._expires_soon(grant):
                return
        if self._unanswered is not None:
            since, failure = self._unanswered
            if self.clock() < since + _REFRESH_PAUSE:
                raise failed(failure)
        try:
            await self._request_refresh(grant)
        except GrantRefused as error:
            log.info("The sign-in to %s has ended: %s", self.server, error.message)
            await self._forget(grant.key, client_too=error.client_unknown)
            self._given_up = "the sign-in has ended"
        except SignInFailed as error:
            host = urlsplit(grant.tokens.token_endpoint).netloc
            failure = Failure(FailureKind.UNREACHABLE, host, sentence(error.message))
            self._unanswered = (self.clock(), failure)
            raise failed(failure) from error

    async def _request_refresh(self, grant: _Grant) -> None:
        key = grant.key
        client = await self._client(key)
        if client is None or not grant.tokens.refresh_token:
            raise GrantRefused("There is no refresh token.")
        tokens = await refresh_tokens(self.http, grant.tokens, client, key.resource, self.clock)
        await self._store_tokens(key, tokens)

    def _report_secrets(self, tokens: OAuthTokens) -> None:
        self._secrets = (tokens.access_token, tokens.refresh_token, *self._secrets[:2])
        self._on_secrets(self._secrets)

    async def _store_tokens(self, key: CredentialKey, tokens: OAuthTokens) -> None:
        self._report_secrets(tokens)
        self._grant = _Grant(key, tokens, proven=False, issued_at=self.clock())
        self._unanswered = None
        try:
            await self.credential_store.store_tokens(self.url, key, tokens)
        except SecretUnavailable as error:
            log.warning("The sign-in to %s lasts for this session: %s", self.server, error.message)

    async def _forget(self, key: CredentialKey, *, client_too: bool) -> None:
        self._grant = None
        try:
            await self.credential_store.delete_tokens(self.url, key)
            if client_too:
                await self.credential_store.delete_client(key)
        except SecretUnavailable as error:
            log.warning("The ended sign-in to %s was not deleted: %s", self.server, error.message)

    async def _revoke(self, grant: _Grant) -> None:
        try:
            client = await self._client(grant.key)
            if client is not None:
                await revoke_tokens(self.http, grant.tokens, client)
        except (SignInFailed, UpstreamFailed) as error:
            log.info("The sign-in to %s was not given back: %s", self.server, error.message)

    async def _client(self, key: CredentialKey) -> OAuthClient | None:
        """Our OAuth client at the issuer: by the settings, else as we registered it."""
        stored, options = await self.credential_store.client(key), await self.options()
        if not options.client_id:
            return stored
        if stored is not None and stored.client_id == options.client_id:
            return replace(stored, client_secret=options.client_secret)
        return preregistered_client(options)

    def _expires_soon(self, grant: _Grant) -> bool:
        """A token that can't be refreshed is used until it expires, and one that lives shortly for
        half its life: else every request would refresh it."""
        expires_at = grant.tokens.expires_at
        if expires_at is None:
            return False
        margin = _REFRESH_MARGIN if grant.tokens.refresh_token else timedelta()
        if grant.issued_at is not None:
            margin = min(margin, (expires_at - grant.issued_at) / 2)
        return self.clock() >= expires_at - margin

    def _raise_if_given_up(self) -> None:
        if self._given_up:
            failure = sign_in_needed(self.server, self._given_up)
            raise HttpRefused(failure, HTTPStatus.UNAUTHORIZED)
