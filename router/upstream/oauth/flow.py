"""One sign-in: the authorization code flow with PKCE."""

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
from router.domain.errors import SecretUnavailable, sentence
from router.domain.servers import SignIn
from router.upstream.oauth.account import Account
from router.upstream.oauth.callback import CallbackListener
from router.upstream.oauth.client_registration import (
    OAuthClient,
    preregistered_client,
    register_client,
)
from router.upstream.oauth.credential_store import CredentialKey
from router.upstream.oauth.errors import GrantRefused, SignInFailed, error_code
from router.upstream.oauth.metadata import (
    AuthorizationServer,
    Challenge,
    find_authorization_server,
)
from router.upstream.oauth.tokens import exchange_code

SIGN_IN_TIMEOUT_S = 300.0


async def start_sign_in(account: Account, timeout_s: float = SIGN_IN_TIMEOUT_S) -> PendingSignIn:
    """Find the authorization server and listen for its redirect. Raises `SignInFailed`, or
    `UpstreamFailed` for a missing secret."""
    options = await account.options()
    challenge = account.challenge or Challenge.parse(await account.http.challenge(account.url))
    server = await find_authorization_server(account.http, account.url, challenge, options.scopes)
    await account.http.check_address(server.authorization_endpoint)
    client, listener = await _prepare_client(account, server, options)
    return PendingSignIn(account, server, client, listener, timeout_s)


class PendingSignIn:
    """A sign-in in progress in the browser. `finish` must be awaited once; it cleans up."""

    def __init__(
        self,
        account: Account,
        server: AuthorizationServer,
        client: OAuthClient,
        listener: CallbackListener,
        timeout_s: float,
    ) -> None:
        self._account = account
        self._server = server
        self._client = client
        self._listener = listener
        self._timeout_s = timeout_s
        self._verifier = secrets.token_urlsafe(64)
        self.sign_in = SignIn(
            authorization_url=self._authorization_url(),
            expires_at=account.clock() + timedelta(seconds=timeout_s),
        )

    async def finish(self) -> None:
        """Wait for the redirect, then get the account its tokens. Raises `SignInFailed`."""
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._listener.response()
        except TimeoutError:
            # Perhaps the server no longer knows our client, and only showed an error.
            await self._forget_client()
            minutes = f"{self._timeout_s / 60:g}"
            raise SignInFailed(
                sentence("The sign-in timed out after {minutes} minutes.", minutes=minutes)
            ) from None
        finally:
            await self._listener.close()
        await self._exchange(self._code_in(response))

    async def _exchange(self, code: str) -> None:
        server, account = self._server, self._account
        redirect_uri = self._listener.redirect_uri
        proof = {"code": code, "code_verifier": self._verifier, "redirect_uri": redirect_uri}
        try:
            tokens = await exchange_code(account.http, server, self._client, proof, account.clock)
        except GrantRefused as error:
            if error.client_unknown:
                await self._forget_client()
            raise
        await account.store_tokens(_credential_key(server), tokens)

    def _code_in(self, response: Mapping[str, str]) -> str:
        """The code in the authorization response, if it is from the right issuer (RFC 9207)."""
        issuer = response.get("iss")
        if issuer is None and self._server.sends_issuer:
            raise SignInFailed("The sign-in response does not name its issuer.")
        if issuer is not None and issuer != self._server.issuer:  # RFC 9207: compared as strings
            raise SignInFailed("The sign-in response came from a different issuer.")
        if "code" not in response:
            raise SignInFailed(
                sentence(
                    "The sign-in was denied ({reason}).", reason=error_code(response.get("error"))
                )
            )
        return response["code"]

    def _authorization_url(self) -> str:
        digest = hashlib.sha256(self._verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": self._listener.redirect_uri,
            "state": self._listener.state,
            "code_challenge": base64.urlsafe_b64encode(digest).decode("ascii").rstrip("="),
            "code_challenge_method": "S256",
            "resource": self._server.resource,
        }
        if self._server.scope:
            query["scope"] = self._server.scope
        if "offline_access" in self._server.scope.split():
            query["prompt"] = "consent"
        return str(httpx2.URL(self._server.authorization_endpoint).copy_merge_params(query))

    async def _forget_client(self) -> None:
        with contextlib.suppress(SecretUnavailable):
            await self._account.credential_store.delete_client(_credential_key(self._server))


def _credential_key(server: AuthorizationServer) -> CredentialKey:
    return CredentialKey(server.issuer, server.resource)


async def _prepare_client(
    account: Account, server: AuthorizationServer, options: OAuthConfig
) -> tuple[OAuthClient, CallbackListener]:
    """Our client at `server`, and a listener at its redirect URI."""
    credential_store, key = account.credential_store, _credential_key(server)
    if options.client_id:
        client = preregistered_client(options, server.auth_methods)
        # The settings have its secret; only the authentication method is stored.
        await credential_store.store_client(key, replace(client, client_secret=""))
        return client, await _listen(options.callback_port)
    known = await credential_store.client(key)
    if known is not None and known.callback_port:
        # If its port is in use, register a new client: many servers accept no other port.
        with contextlib.suppress(OSError):
            return known, await CallbackListener.open(known.callback_port)
    listener = await _listen(0)
    try:
        client = await register_client(account.http, server, listener.redirect_uri)
        await credential_store.store_client(key, client)
    except BaseException:
        await listener.close()
        raise
    return client, listener


async def _listen(port: int) -> CallbackListener:
    try:
        return await CallbackListener.open(port)
    except OSError as error:
        raise SignInFailed(
            sentence(
                "Toolbooth can't listen for your browser on 127.0.0.1:{port}: {reason}.",
                port=port,
                reason=error.strerror,
            ),
            "Close the program that uses this port, then try again.",
        ) from None
