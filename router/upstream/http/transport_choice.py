"""The transports to a server's URL: streamable HTTP, and HTTP+SSE which came before it.

A URL doesn't tell which of them it serves. As the specification has it, the older one is tried
where the newer is refused; and the other way round where the configuration says `"sse"`, because
servers change and configurations stay.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
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


def first_transport(config: ServerConfig) -> HttpTransportType:
    """The one to try first for a server that was not connected before."""
    return HttpTransportType.SSE if config.prefers_sse else HttpTransportType.HTTP


async def connect_with_fallback(
    connect: Callable[[HttpTransportType, float], Awaitable[T]],
    first: HttpTransportType,
    limit_s: float,
) -> T:
    """What `connect` returns for `first` or, if that is refused, for the other transport, both
    within `limit_s`.

    If both are refused, the first error is raised, unless the other was found but is broken.
    """
    end = time.monotonic() + limit_s
    try:
        return await connect(first, limit_s)
    except HttpRefused as refusal:
        if not _means_other_transport(refusal.status):
            raise
        [other] = set(HttpTransportType) - {first}
        try:
            return await connect(other, end - time.monotonic())
        except UpstreamFailed as error:
            broken = error.failure.kind in (FailureKind.BAD_PROTOCOL, FailureKind.SIGN_IN_NEEDED)
            raise (error if broken else refusal) from None


def _means_other_transport(status: int) -> bool:
    """A page instead of a stream, or an error of the client's."""
    refused = status == HTTPStatus.OK or status in range(400, 500)
    return refused and status not in _OTHER_REASONS
