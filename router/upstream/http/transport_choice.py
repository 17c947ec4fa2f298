"""The ways to a server's address: streamable HTTP, and HTTP+SSE which came before it.

An address doesn't tell which of them it speaks. As the specification has it, the older one is tried
where the newer is refused; and the other way round where the configuration says `"sse"`, because
addresses change and configurations stay.
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


class Way(StrEnum):
    HTTP = "http"
    SSE = "sse"


def ways_to(config: ServerConfig, known: Way | None) -> tuple[Way, ...]:
    """In which order they are tried; `known` is the one that led there before."""
    first = known or (Way.SSE if config.prefers_sse else Way.HTTP)
    return (first, *(way for way in Way if way is not first))


async def by_any_way(
    reach: Callable[[Way, float], Awaitable[T]], ways: Sequence[Way], limit_s: float
) -> T:
    """What `reach` brings by the first of the ways that is not refused, all within `limit_s`.

    Where all are, the first says why, unless a later one was found and is broken.
    """
    end = time.monotonic() + limit_s
    first, *others = ways
    try:
        return await reach(first, limit_s)
    except HttpRefused as refusal:
        if not others or not _means_not_this_way(refusal.status):
            raise
        try:
            return await by_any_way(reach, others, end - time.monotonic())
        except UpstreamFailed as error:
            broken = error.failure.kind in (FailureKind.BAD_PROTOCOL, FailureKind.SIGN_IN_NEEDED)
            raise (error if broken else refusal) from None


def _means_not_this_way(status: int) -> bool:
    """A page instead of a stream, or an error of the client's."""
    refused = status == HTTPStatus.OK or status in range(400, 500)
    return refused and status not in _OTHER_REASONS
