"""Tokens: the exchange of a code, refresh and revocation (RFC 6749, 7009)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import urlsplit

from router.domain.errors import sentence
from router.domain.json_values import JsonObject
from router.upstream.oauth.client_registration import Client
from router.upstream.oauth.errors import GrantRefused, SignInFailed, error_code
from router.upstream.oauth.guarded_http_client import GuardedHttpClient
from router.upstream.oauth.metadata import AuthorizationServer

Clock: TypeAlias = Callable[[], datetime]

_REFUSALS = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_MAX_LIFETIME = timedelta(days=3650)


@dataclass(frozen=True, slots=True)
class OAuthTokens:
    """The tokens of a sign-in, and the endpoints to refresh and revoke them."""

    access: str = field(repr=False)
    token_endpoint: str
    refresh: str = field(default="", repr=False)
    expires_at: datetime | None = None
    scope: str = ""
    revocation_endpoint: str = ""

    def to_json(self) -> JsonObject:
        return {
            "accessToken": self.access,
            "refreshToken": self.refresh,
            "expiresAt": self.expires_at.isoformat() if self.expires_at else None,
            "scope": self.scope,
            "tokenEndpoint": self.token_endpoint,
            "revocationEndpoint": self.revocation_endpoint,
        }

    @classmethod
    def from_json(cls, value: JsonObject) -> OAuthTokens | None:
        match value:
            case {
                "accessToken": str(access),
                "refreshToken": str(refresh),
                "tokenEndpoint": str(endpoint),
                "revocationEndpoint": str(revocation),
                "scope": str(scope),
            }:
                expires_at = _moment(value.get("expiresAt"))
                return cls(access, endpoint, refresh, expires_at, scope, revocation)
            case _:
                return None


@dataclass(frozen=True, slots=True)
class AuthorizationCode:
    """An authorization code with its PKCE verifier."""

    value: str = field(repr=False)
    verifier: str = field(repr=False)
    redirect_uri: str


async def exchange_code(
    http: GuardedHttpClient,
    server: AuthorizationServer,
    client: Client,
    code: AuthorizationCode,
    clock: Clock,
) -> OAuthTokens:
    """The tokens for `code`. Raises `SignInFailed`."""
    form = {
        "grant_type": "authorization_code",
        "code": code.value,
        "code_verifier": code.verifier,
        "redirect_uri": code.redirect_uri,
        "resource": server.resource,
    }
    endpoint, revocation_endpoint = server.token_endpoint, server.revocation_endpoint
    before = OAuthTokens("", endpoint, scope=server.scope, revocation_endpoint=revocation_endpoint)
    return await _request_tokens(http, before, client, form, clock)


async def refresh_tokens(
    http: GuardedHttpClient, tokens: OAuthTokens, client: Client, resource: str, clock: Clock
) -> OAuthTokens:
    """Refreshed tokens. Raises `GrantRefused` if a new sign-in is needed, else `SignInFailed`."""
    form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh, "resource": resource}
    return await _request_tokens(http, tokens, client, form, clock)


async def revoke(http: GuardedHttpClient, tokens: OAuthTokens, client: Client) -> None:
    """Revoke the tokens, if the authorization server supports it. Raises `SignInFailed`."""
    endpoint = tokens.revocation_endpoint
    if not endpoint:
        return
    form = {"token": tokens.refresh or tokens.access}
    headers = client.authenticate(form)
    response = await http.post_form(endpoint, form, headers)
    if not response.ok:
        host, status = urlsplit(endpoint).netloc, response.status
        raise SignInFailed(sentence("{host} returned HTTP {status}.", host=host, status=status))


async def _request_tokens(
    http: GuardedHttpClient, before: OAuthTokens, client: Client, form: dict[str, str], clock: Clock
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
    if not isinstance(access, str) or not access or str(kind).lower() != "bearer":
        raise SignInFailed(sentence("{host} returned an invalid token.", host=host))
    return replace(
        before,
        access=access,
        refresh=str(content.get("refresh_token") or before.refresh),
        expires_at=_expiry(content.get("expires_in"), clock),
        scope=str(content.get("scope") or before.scope),
    )


def _expiry(seconds: object, clock: Clock) -> datetime | None:
    """Some servers send the number as a string."""
    if isinstance(seconds, str) and seconds.isdecimal() and len(seconds) < 12:
        seconds = int(seconds)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        return None
    return clock() + timedelta(seconds=min(seconds, _MAX_LIFETIME.total_seconds()))


def _moment(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value)) if value else None
    except ValueError:
        return None
