"""Tokens: the exchange of a code, refresh and revocation (RFC 6749, 7009).
`account.py` decides when."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from urllib.parse import urlsplit

from router.domain.errors import sentence
from router.runtime.clock import Clock
from router.upstream.oauth.client_registration import OAuthClient
from router.upstream.oauth.errors import GrantRefused, SignInFailed, error_code
from router.upstream.oauth.guarded_http_client import GuardedHttpClient
from router.upstream.oauth.metadata import AuthorizationServer

_REFUSALS = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_ACCESS_TOKEN = re.compile(r"[!-~]+")
"""It becomes part of a header."""
_MAX_LIFETIME = timedelta(days=3650)


@dataclass(frozen=True, slots=True)
class OAuthTokens:
    """The tokens of a sign-in, and the endpoints to refresh and revoke them. Stored as JSON by
    `credential_store`, under these names in camel case."""

    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: datetime | None
    scope: str
    token_endpoint: str
    revocation_endpoint: str


async def exchange_code(
    http: GuardedHttpClient,
    server: AuthorizationServer,
    client: OAuthClient,
    proof: Mapping[str, str],
    clock: Clock,
) -> OAuthTokens:
    """The tokens for an authorization code; `proof` has it with its PKCE verifier and redirect
    URI. Raises `SignInFailed`."""
    form = {"grant_type": "authorization_code", **proof, "resource": server.resource}
    before = OAuthTokens(
        "", "", None, server.scope, server.token_endpoint, server.revocation_endpoint
    )
    return await _request_tokens(http, before, client, form, clock)


async def refresh_tokens(
    http: GuardedHttpClient, tokens: OAuthTokens, client: OAuthClient, resource: str, clock: Clock
) -> OAuthTokens:
    """Refreshed tokens. Raises `GrantRefused` if a new sign-in is needed, else `SignInFailed`."""
    form = {
        "grant_type": "refresh_token",
        "refresh_token": tokens.refresh_token,
        "resource": resource,
    }
    return await _request_tokens(http, tokens, client, form, clock)


async def revoke_tokens(http: GuardedHttpClient, tokens: OAuthTokens, client: OAuthClient) -> None:
    """Revoke the tokens, if the authorization server supports it. Raises `SignInFailed`."""
    endpoint = tokens.revocation_endpoint
    if not endpoint:
        return
    form = {"token": tokens.refresh_token or tokens.access_token}
    headers = client.authenticate(form)
    response = await http.post_form(endpoint, form, headers)
    if not response.ok:
        host, status = urlsplit(endpoint).netloc, response.status
        raise SignInFailed(sentence("{host} returned HTTP {status}.", host=host, status=status))


async def _request_tokens(
    http: GuardedHttpClient,
    before: OAuthTokens,
    client: OAuthClient,
    form: dict[str, str],
    clock: Clock,
) -> OAuthTokens:
    """New tokens; what the response omits stays as `before` (RFC 6749, 5.1 and 6)."""
    headers = client.authenticate(form)
    response = await http.post_form(before.token_endpoint, form, headers)
    host, content = urlsplit(before.token_endpoint).netloc, response.content
    if not response.ok:
        reason = error_code(content.get("error"))
        message = sentence(
            "{host} did not issue a token (HTTP {status}, {reason}).",
            host=host,
            status=response.status,
            reason=reason,
        )
        if response.status in _REFUSALS:
            raise GrantRefused(message, reason)
        raise SignInFailed(message)
    access, kind = content.get("access_token"), content.get("token_type")
    usable = isinstance(access, str) and _ACCESS_TOKEN.fullmatch(access) is not None
    if not usable or str(kind).lower() != "bearer":
        raise SignInFailed(sentence("{host} returned an invalid token.", host=host))
    return replace(
        before,
        access_token=access,
        refresh_token=str(content.get("refresh_token") or before.refresh_token),
        expires_at=_expiry(content.get("expires_in"), clock),
        scope=str(content.get("scope") or before.scope),
    )


def _expiry(seconds: object, clock: Clock) -> datetime | None:
    """Some servers send the number as a string, and 0 for a token that does not expire."""
    if isinstance(seconds, str) and seconds.isdecimal() and len(seconds) < 12:
        seconds = int(seconds)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        return None
    return clock() + timedelta(seconds=min(seconds, _MAX_LIFETIME.total_seconds()))
