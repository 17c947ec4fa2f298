"""One sign-in, from the page a person opens to the tokens it leads to."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import httpx2

from router.config.server import OAuthConfig
from router.domain.errors import SecretUnavailable, said
from router.domain.servers import SignIn
from router.upstream.oauth.account import Account
from router.upstream.oauth.callback import CallbackListener
from router.upstream.oauth.client_registration import Client, known_client, register
from router.upstream.oauth.credential_store import Place
from router.upstream.oauth.errors import GrantRefused, SignInFailed, error_code
from router.upstream.oauth.metadata import Authority, Challenge, discover
from router.upstream.oauth.tokens import Code, exchange

SIGN_IN_TIMEOUT_S = 300.0


async def begin(account: Account, timeout_s: float = SIGN_IN_TIMEOUT_S) -> PendingSignIn:
    """Find out where to sign in and wait for the browser there. Raises `SignInFailed`, or
    `UpstreamFailed` for a secret that is missing."""
    options = await account.options()
    challenge = account.challenge or Challenge.parse(await account.fetch.challenge(account.url))
    authority = await discover(account.fetch, account.url, challenge, options.scopes)
    await account.fetch.judge(authority.authorization_endpoint)
    state = secrets.token_urlsafe(32)
    client, listener = await _introduce(account, authority, options, state)
    return PendingSignIn(account, authority, client, listener, state, timeout_s)


class PendingSignIn:
    """A sign-in that waits for its person. `finish` is to be awaited once; it cleans up."""

    def __init__(
        self,
        account: Account,
        authority: Authority,
        client: Client,
        listener: CallbackListener,
        state: str,
        timeout_s: float,
    ) -> None:
        self._account = account
        self._authority = authority
        self._client = client
        self._listener = listener
        self._redirect_uri = listener.redirect_uri
        self._timeout_s = timeout_s
        self._verifier = secrets.token_urlsafe(64)
        self.sign_in = SignIn(
            authorization_url=self._authorization_url(state),
            expires_at=account.clock() + timedelta(seconds=timeout_s),
        )

    async def finish(self) -> None:
        """Wait for the person, and give the account its tokens. Raises `SignInFailed`."""
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await self._listener.answer()
        except TimeoutError:
            await self._forget_client()  # perhaps it was gone, and the person saw only an error
            minutes = f"{self._timeout_s / 60:g}"
            raise SignInFailed(
                said("The sign-in timed out after {minutes} minutes.", minutes=minutes)
            ) from None
        finally:
            await self._listener.close()
        await self._redeem(self._code_in(answer))

    async def _redeem(self, code: str) -> None:
        authority, account = self._authority, self._account
        proof = Code(code, self._verifier, self._redirect_uri)
        try:
            tokens = await exchange(account.fetch, authority, self._client, proof, account.clock)
        except GrantRefused as error:
            if error.forgot_client:
                await self._forget_client()
            raise
        await account.keep(_place(authority), tokens)

    def _code_in(self, answer: Mapping[str, str]) -> str:
        """The code in what the browser brought, if it comes from whom we asked (RFC 9207)."""
        issuer = answer.get("iss")
        if issuer is None and self._authority.sends_issuer:
            raise SignInFailed("The sign-in response does not name its issuer.")
        if issuer is not None and issuer != self._authority.issuer:  # RFC 9207: as it is
            raise SignInFailed("The sign-in response came from a different issuer.")
        if "code" not in answer:
            raise SignInFailed(
                said("The sign-in was denied ({reason}).", reason=error_code(answer.get("error")))
            )
        return answer["code"]

    def _authorization_url(self, state: str) -> str:
        digest = hashlib.sha256(self._verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._client.id,
            "redirect_uri": self._redirect_uri,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).decode("ascii").rstrip("="),
            "code_challenge_method": "S256",
            "resource": self._authority.resource,
        }
        if self._authority.scope:
            query["scope"] = self._authority.scope
        if "offline_access" in self._authority.scope.split():
            query["prompt"] = "consent"
        return str(httpx2.URL(self._authority.authorization_endpoint).copy_merge_params(query))

    async def _forget_client(self) -> None:
        with contextlib.suppress(SecretUnavailable):
            await self._account.vault.drop_client(_place(self._authority))


def _place(authority: Authority) -> Place:
    return Place(authority.issuer, authority.resource)


async def _introduce(
    account: Account, authority: Authority, options: OAuthConfig, state: str
) -> tuple[Client, CallbackListener]:
    """Who we are to `authority`, and the listener at the address it knows us by."""
    vault, place = account.vault, _place(authority)
    if options.client_id:
        secret, port = options.client_secret, options.callback_port
        client = known_client(options.client_id, secret, port, authority.auth_methods)
        # The settings have its secret; how to show it is known only here.
        await vault.keep_client(place, replace(client, secret=""))
        return client, await _listen(state, port)
    known = await vault.client(place)
    if known is not None and known.callback_port:
        # If its port is taken we come as somebody new, because many accept no other.
        with contextlib.suppress(OSError):
            return known, await CallbackListener.open(state, known.callback_port)
    listener = await _listen(state, 0)
    try:
        client = await register(account.fetch, authority, listener.redirect_uri)
        await vault.keep_client(place, client)
    except BaseException:
        await listener.close()
        raise
    return client, listener


async def _listen(state: str, port: int) -> CallbackListener:
    try:
        return await CallbackListener.open(state, port)
    except OSError as error:
        raise SignInFailed(
            said(
                "Toolbooth can't listen for your browser on 127.0.0.1:{port}: {reason}.",
                port=port,
                reason=error.strerror,
            ),
            "Close the program that uses this port, then try again.",
        ) from None
