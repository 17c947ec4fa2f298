"""The account at one server: its tokens in memory, renewed in time, and the end of trying.

Nothing is read from the keyring until a server asks for a sign-in, so that servers without one
never cost a question to it. A token that is refused though it is new is not replaced again by
itself: then every request fails at once, without a word to anybody, until a person does something.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import timedelta
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from router.config.server import OAuthConfig
from router.domain.errors import SecretUnavailable, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.runtime.tasks import spawn
from router.upstream.errors import HttpRefused, failed
from router.upstream.oauth.client_registration import Client, known_client
from router.upstream.oauth.credential_store import Place, Vault
from router.upstream.oauth.errors import GrantRefused, SignInFailed, sign_in_needed
from router.upstream.oauth.guarded_fetch import Fetch
from router.upstream.oauth.metadata import Challenge
from router.upstream.oauth.tokens import Clock, Tokens, renew, revoke

log = logging.getLogger(__name__)

Options: TypeAlias = Callable[[], Awaitable[OAuthConfig]]
"""What the settings say about signing in, with secrets filled in; raises `UpstreamFailed`."""

OnSecrets: TypeAlias = Callable[[tuple[str, ...]], None]
"""Told what nobody else may be: the tokens in use, and those before, which a server may quote."""

_RENEWED_BEFORE = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class _Held:
    place: Place
    tokens: Tokens
    proven: bool
    """Whether the server has taken it: a new token that it refuses is not worth another."""


class Account:
    """Implements `Credentials`. `server` is the id under which a person signs in."""

    def __init__(
        self,
        server: str,
        url: str,
        *,
        vault: Vault,
        fetch: Fetch,
        options: Options,
        clock: Clock,
        on_secrets: OnSecrets = lambda _: None,
    ) -> None:
        self.server = server
        self.url = url
        self.vault = vault
        self.fetch = fetch
        self.options = options
        self.clock = clock
        self.challenge: Challenge | None = None
        """What the server said when it asked for a sign-in, if it has."""
        self._on_secrets = on_secrets
        self._secrets: tuple[str, ...] = ()
        self._held: _Held | None = None
        self._given_up = ""
        """Why nothing is tried any more."""
        self._lock = asyncio.Lock()

    # For requests

    async def token(self) -> str | None:
        """What to send: nothing unless the server has asked for it. Raises `UpstreamFailed`."""
        self._raise_if_given_up()
        if self._held is not None and self._expires_soon(self._held.tokens):
            await self._undisturbed(self._renew_in_time())
            self._raise_if_given_up()
        return self._held.tokens.access if self._held else None

    async def renewed(self, refused: str | None, challenge: str) -> str:
        """Another token in place of `refused`. Raises `UpstreamFailed`, as will all that follow, if
        there is none to be had without a person."""
        self.challenge = Challenge.parse(challenge)
        await self._undisturbed(self._replace(refused))
        self._raise_if_given_up()
        return self._held.tokens.access if self._held else ""

    def accepted(self, token: str | None) -> None:
        if self._held is not None and not self._held.proven and self._held.tokens.access == token:
            self._held = replace(self._held, proven=True)

    def wants_more(self, challenge: str) -> HttpRefused:
        """The server wants a sign-in that permits more than ours does (RFC 6750, 3.1)."""
        asked = Challenge.parse(challenge)
        granted = self._held.tokens.scope if self._held else ""
        scopes = dict.fromkeys(f"{granted} {asked.scope}".split())
        self.challenge = replace(asked, scope=" ".join(scopes))
        failure = sign_in_needed(self.server, "it wants more permissions")
        return HttpRefused(failure, HTTPStatus.FORBIDDEN)

    # For people

    def reconsider(self) -> None:
        """A person wants it tried again."""
        if self._given_up:
            self._given_up = ""
            self._held = None

    async def keep(self, place: Place, tokens: Tokens) -> None:
        """A sign-in has come through."""
        async with self._lock:
            await self._keep(place, tokens)
            self._given_up = ""

    async def sign_out(self) -> None:
        """Give the tokens back and forget them; the client stays registered."""
        async with self._lock:
            held = self._held or await self._load()
            if held is not None:
                await self._revoke(held)
                await self.vault.drop_tokens(self.url, held.place)
            self._held = None
            self._given_up = "you signed out"

    # One at a time

    async def _undisturbed(self, work: Coroutine[Any, Any, None]) -> None:
        """Do `work` even if whoever asked for it leaves: half a renewal would lose the sign-in."""

        async def in_turn() -> UpstreamFailed | None:
            async with self._lock:
                try:
                    await work
                except UpstreamFailed as error:
                    return error
            return None

        if error := await asyncio.shield(spawn(in_turn(), name=f"sign-in {self.server}")):
            raise error

    async def _replace(self, refused: str | None) -> None:
        if self._given_up:
            return
        held = self._held = self._held or await self._load()
        if held is None:
            self._given_up = "HTTP 401 Unauthorized"
        elif held.tokens.access == refused and not held.proven:
            self._given_up = "it refuses the token it was just given"
        elif held.tokens.access == refused or self._expires_soon(held.tokens):
            await self._renew(held)

    async def _load(self) -> _Held | None:
        place = await self.vault.place(self.url)
        tokens = await self.vault.tokens(place) if place else None
        if tokens is not None:
            self._note(tokens)
        return _Held(place, tokens, proven=True) if place and tokens else None

    async def _renew_in_time(self) -> None:
        """Renew unless someone just did; a token that still holds is good enough if that fails."""
        held = self._held
        if held is None or not self._expires_soon(held.tokens):
            return
        try:
            await self._renew(held)
        except UpstreamFailed:
            expires_at = held.tokens.expires_at
            if expires_at is None or expires_at <= self.clock():
                raise

    async def _renew(self, held: _Held) -> None:
        """Renew, or give up if the authorization server says no. Raises `UpstreamFailed` if it
        can't be reached."""
        stored = await self.vault.tokens(held.place)
        if stored is not None and stored.access != held.tokens.access:
            # Another process, or the same server under another name, was faster.
            self._note(stored)
            held = self._held = _Held(held.place, stored, proven=False)
            if not self._expires_soon(stored):
                return
        try:
            await self._renew_at_issuer(held)
        except GrantRefused as error:
            log.info("The sign-in to %s has ended: %s", self.server, error.message)
            await self._forget(held.place, client_too=error.forgot_client)
            self._given_up = "the sign-in has ended"
        except SignInFailed as error:
            host = urlsplit(held.tokens.token_endpoint).netloc
            failure = Failure(FailureKind.UNREACHABLE, host, error.message.rstrip("."))
            raise failed(failure) from error

    async def _renew_at_issuer(self, held: _Held) -> None:
        client = await self._client(held.place)
        if client is None or not held.tokens.refresh:
            raise GrantRefused("There is no refresh token.")
        place = held.place
        tokens = await renew(self.fetch, held.tokens, client, place.resource, self.clock)
        await self._keep(place, tokens)

    def _note(self, tokens: Tokens) -> None:
        self._secrets = (tokens.access, tokens.refresh, *self._secrets[:2])
        self._on_secrets(self._secrets)

    async def _keep(self, place: Place, tokens: Tokens) -> None:
        self._note(tokens)
        self._held = _Held(place, tokens, proven=False)
        try:
            await self.vault.keep_tokens(self.url, place, tokens)
        except SecretUnavailable as error:
            log.warning("The sign-in to %s lasts for this session: %s", self.server, error.message)

    async def _forget(self, place: Place, *, client_too: bool) -> None:
        self._held = None
        try:
            await self.vault.drop_tokens(self.url, place)
            if client_too:
                await self.vault.drop_client(place)
        except SecretUnavailable as error:
            log.warning("The ended sign-in to %s was not deleted: %s", self.server, error.message)

    async def _revoke(self, held: _Held) -> None:
        try:
            client = await self._client(held.place)
            if client is not None:
                await revoke(self.fetch, held.tokens, client)
        except (SignInFailed, UpstreamFailed) as error:
            log.info("The sign-in to %s was not given back: %s", self.server, error.message)

    async def _client(self, place: Place) -> Client | None:
        """Who we are to the issuer: by the person's settings, else as we registered ourselves."""
        stored, options = await self.vault.client(place), await self.options()
        if not options.client_id:
            return stored
        if stored is not None and stored.id == options.client_id:
            return replace(stored, secret=options.client_secret)
        return known_client(options.client_id, options.client_secret, options.callback_port, ())

    def _expires_soon(self, tokens: Tokens) -> bool:
        """One that can't be renewed is used to its end."""
        margin = _RENEWED_BEFORE if tokens.refresh else timedelta()
        return tokens.expires_at is not None and self.clock() >= tokens.expires_at - margin

    def _raise_if_given_up(self) -> None:
        if self._given_up:
            failure = sign_in_needed(self.server, self._given_up)
            raise HttpRefused(failure, HTTPStatus.UNAUTHORIZED)
