"""An HTTP client that sends an account's access token with its requests."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol

from router.upstream.errors import HttpRefused
from router.upstream.http.http_client import HttpClient, HttpResponse
from router.upstream.limits import Limits

_MAX_TOKENS = 4
"""None, the stored one, a refreshed one; more would be a loop."""


class Credentials(Protocol):
    """Provides tokens. Raises `UpstreamFailed` where a sign-in is needed."""

    async def token(self) -> str | None: ...
    async def replace_token(self, refused: str | None, challenge: str) -> str: ...
    def accepted(self, token: str | None) -> None: ...
    def insufficient_scope(self, challenge: str) -> HttpRefused: ...


def http_client_for(
    url: str,
    headers: Mapping[str, str],
    credentials: Credentials | None,
    limits: Limits,
    *,
    deciding: str = "POST",
) -> HttpClient:
    """The HTTP client for a server. Only responses to the method `deciding` count as accepting or
    refusing the token."""
    if credentials is None:
        return HttpClient(url, headers, max_body_bytes=limits.message_bytes)
    return AuthorizedHttpClient(url, headers, credentials, limits, deciding)


class AuthorizedHttpClient(HttpClient):
    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        credentials: Credentials,
        limits: Limits,
        deciding: str,
    ) -> None:
        super().__init__(url, headers, max_body_bytes=limits.message_bytes)
        self._credentials = credentials
        self._deciding = deciding

    async def open(
        self, method: str, headers: Mapping[str, str], content: bytes | None = None
    ) -> HttpResponse:
        """A request that was refused is sent again with another token: it was not processed.
        Requests by another method, like an optional event stream, say nothing about the token."""
        token = await self._credentials.token()
        response = await super().open(method, _with_token(headers, token), content)
        if method != self._deciding:
            return response
        for _ in range(_MAX_TOKENS):
            if response.status != HTTPStatus.UNAUTHORIZED:
                break
            async with response:
                token = await self._credentials.replace_token(token, _challenge(response))
            response = await super().open(method, _with_token(headers, token), content)
        if response.status == HTTPStatus.FORBIDDEN and "insufficient_scope" in _challenge(response):
            async with response:
                raise self._credentials.insufficient_scope(_challenge(response))
        self._credentials.accepted(token)
        return response


def _with_token(headers: Mapping[str, str], token: str | None) -> Mapping[str, str]:
    return headers if token is None else {**headers, "authorization": f"Bearer {token}"}


def _challenge(response: HttpResponse) -> str:
    return response.headers.get("www-authenticate", "")
