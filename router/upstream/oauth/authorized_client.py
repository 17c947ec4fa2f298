"""A channel that signs its requests with an account's token."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol

from router.upstream.errors import HttpRefused
from router.upstream.http.http_client import Channel, Reply
from router.upstream.limits import Limits

_MOST_TOKENS = 4
"""None, the one of the keyring, a renewed one; more would be a loop."""


class Credentials(Protocol):
    """Where tokens come from. Raises `UpstreamFailed` where a person is needed."""

    async def token(self) -> str | None: ...
    async def renewed(self, refused: str | None, challenge: str) -> str: ...
    def accepted(self, token: str | None) -> None: ...
    def wants_more(self, challenge: str) -> HttpRefused: ...


def channel_to(
    url: str,
    headers: Mapping[str, str],
    credentials: Credentials | None,
    limits: Limits,
    *,
    deciding: str = "POST",
) -> Channel:
    """The channel to a server. An answer to a request by the method `deciding` tells whether our
    token is good."""
    if credentials is None:
        return Channel(url, headers, max_body_bytes=limits.message_bytes)
    return SignedInChannel(url, headers, credentials, limits, deciding)


class SignedInChannel(Channel):
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
    ) -> Reply:
        """A request that was refused is sent again with another token: it was not processed. What
        else is asked, like a standing stream that need not be, says nothing about a token."""
        token = await self._credentials.token()
        reply = await super().open(method, _signed(headers, token), content)
        if method != self._deciding:
            return reply
        for _ in range(_MOST_TOKENS):
            if reply.status != HTTPStatus.UNAUTHORIZED:
                break
            async with reply:
                token = await self._credentials.renewed(token, _challenge(reply))
            reply = await super().open(method, _signed(headers, token), content)
        if reply.status == HTTPStatus.FORBIDDEN and "insufficient_scope" in _challenge(reply):
            async with reply:
                raise self._credentials.wants_more(_challenge(reply))
        self._credentials.accepted(token)
        return reply


def _signed(headers: Mapping[str, str], token: str | None) -> Mapping[str, str]:
    return headers if token is None else {**headers, "authorization": f"Bearer {token}"}


def _challenge(reply: Reply) -> str:
    return reply.headers.get("www-authenticate", "")
