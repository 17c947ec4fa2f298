"""The transports to a server's URL: streamable HTTP, and HTTP+SSE which came before it.

A URL doesn't tell which of them it serves. As the specification has it, the older one is tried
where the newer is refused; and the other way round where the configuration says `"sse"`, because
servers change and configurations stay.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from http import HTTPStatus
from typing import TypeVar

from router.config.server import ServerConfig
from router.domain.errors import UpstreamFailed
from router.domain.failures import FailureKind
from router.upstream.errors import HttpRefused

T = TypeVar("T")
_OTHER_REASONS = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_MANY_REQUESTS,
)


class HttpTransportType(StrEnum):
    HTTP = "http"
    SSE = "sse"


def transport_order(
    config: ServerConfig, known: HttpTransportType | None
) -> tuple[HttpTransportType, ...]:
    """The order in which they are tried; `known` is the one that worked before."""
    first = known or (HttpTransportType.SSE if config.prefers_sse else HttpTransportType.HTTP)
    return (first, *(each for each in HttpTransportType if each is not first))


async def connect_with_fallback(
    reach: Callable[[HttpTransportType, float], Awaitable[T]],
    order: Sequence[HttpTransportType],
    limit_s: float,
) -> T:
    """What `reach` returns for the first transport that is not refused, all within `limit_s`.

    If all are refused, the first error is raised, unless a later one was found but is broken.
    """
    end = time.monotonic() + limit_s
    first, *others = order
    try:
        return await reach(first, limit_s)
    except HttpRefused as refusal:
        if not others or not _means_other_transport(refusal.status):
            raise
        try:
            return await connect_with_fallback(reach, others, end - time.monotonic())
        except UpstreamFailed as error:
            broken = error.failure.kind in (FailureKind.BAD_PROTOCOL, FailureKind.SIGN_IN_NEEDED)
            raise (error if broken else refusal) from None


def _means_other_transport(status: int) -> bool:
    """A page instead of a stream, or an error of the client's."""
    refused = status == HTTPStatus.OK or status in range(400, 500)
    return refused and status not in _OTHER_REASONS
