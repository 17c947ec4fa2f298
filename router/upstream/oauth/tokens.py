"""Tokens: got for a code, renewed, given back (RFC 6749, 7009)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import urlsplit

from router.domain.errors import said
from router.domain.json_values import JsonObject
from router.upstream.oauth.client_registration import Client
from router.upstream.oauth.errors import GrantRefused, SignInFailed, error_code
from router.upstream.oauth.guarded_fetch import Fetch, Fetched
from router.upstream.oauth.metadata import Authority

Clock: TypeAlias = Callable[[], datetime]

_REFUSALS = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_LONGEST = timedelta(days=3650)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a sign-in gave, and where it can be renewed."""

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
    def from_json(cls, value: JsonObject) -> Tokens | None:
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
class Code:
    """An authorization code with what proves that we asked for it."""

    value: str = field(repr=False)
    verifier: str = field(repr=False)
    redirect_uri: str


async def exchange(
    fetch: Fetch, authority: Authority, client: Client, code: Code, clock: Clock
) -> Tokens:
    """The tokens for `code`. Raises `SignInFailed`."""
    form = {
        "grant_type": "authorization_code",
        "code": code.value,
        "code_verifier": code.verifier,
        "redirect_uri": code.redirect_uri,
        "resource": authority.resource,
    }
    answer = await _ask(fetch, authority.token_endpoint, client, form)
    endpoints = Tokens(
        "",
        authority.token_endpoint,
        scope=authority.scope,
        revocation_endpoint=authority.revocation_endpoint,
    )
    return _granted(answer.content, endpoints, clock)


async def renew(
    fetch: Fetch, tokens: Tokens, client: Client, resource: str, clock: Clock
) -> Tokens:
    """Newer tokens. Raises `GrantRefused` if only a new sign-in helps, else `SignInFailed`."""
    form = {
        "grant_type": "refresh_token",
        "refresh_token": tokens.refresh,
        "resource": resource,
    }
    answer = await _ask(fetch, tokens.token_endpoint, client, form)
    return _granted(answer.content, tokens, clock)


async def revoke(fetch: Fetch, tokens: Tokens, client: Client) -> None:
    """Give the tokens back, where the authorization server takes them. Raises `SignInFailed`."""
    if tokens.revocation_endpoint:
        form = {"token": tokens.refresh or tokens.access}
        headers = client.authenticate(form)
        answer = await fetch.post_form(tokens.revocation_endpoint, form, headers)
        if not answer.ok:
            host = urlsplit(tokens.revocation_endpoint).netloc
            raise SignInFailed(
                said("{host} returned HTTP {status}.", host=host, status=answer.status)
            )


async def _ask(fetch: Fetch, endpoint: str, client: Client, form: dict[str, str]) -> Fetched:
    headers = client.authenticate(form)
    answer = await fetch.post_form(endpoint, form, headers)
    if answer.ok:
        return answer
    host, reason = urlsplit(endpoint).netloc, error_code(answer.content.get("error"))
    message = f"{host} gave no token (HTTP {answer.status}, {reason})."
    if answer.status in _REFUSALS:
        raise GrantRefused(message, reason)
    raise SignInFailed(message)


def _granted(answer: JsonObject, before: Tokens, clock: Clock) -> Tokens:
    """The tokens in `answer`; what it leaves out stays as it was (RFC 6749, 5.1 and 6)."""
    access, kind = answer.get("access_token"), answer.get("token_type")
    if not isinstance(access, str) or not access or str(kind).lower() != "bearer":
        host = urlsplit(before.token_endpoint).netloc
        raise SignInFailed(said("{host} returned an invalid token.", host=host))
    return Tokens(
        access=access,
        token_endpoint=before.token_endpoint,
        refresh=str(answer.get("refresh_token") or before.refresh),
        expires_at=_expiry(answer.get("expires_in"), clock),
        scope=str(answer.get("scope") or before.scope),
        revocation_endpoint=before.revocation_endpoint,
    )


def _expiry(seconds: object, clock: Clock) -> datetime | None:
    """Some send the number as text."""
    if isinstance(seconds, str) and seconds.isdecimal() and len(seconds) < 12:
        seconds = int(seconds)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        return None
    return clock() + timedelta(seconds=min(seconds, _LONGEST.total_seconds()))


def _moment(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value)) if value else None
    except ValueError:
        return None
