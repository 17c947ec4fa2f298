"""Exceptions of this package: an `UpstreamFailed` with the message for its `Failure`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus

from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failure_text import advise, error_words
from router.domain.failures import Failure, FailureKind

UNNAMED = "The server"
"""How messages call a server whose name is not known here."""


class NoConnection(UpstreamFailed):
    """The connection could not be opened: the server or the network is down."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure, *_texts(failure))


class HttpRefused(UpstreamFailed):
    """An HTTP error status: the server did not process the message."""

    def __init__(self, failure: Failure, status: int) -> None:
        super().__init__(failure, *_texts(failure))
        self.status = status


class SessionTerminated(HttpRefused):
    """The server has lost our session; the message may be sent again in a new one."""


def refused(status: int, host: str, detail: str) -> HttpRefused:
    """The exception for an unexpected HTTP response; 401 and 403 need a sign-in."""
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return HttpRefused(Failure(FailureKind.SIGN_IN_NEEDED, detail=detail), status)
    return HttpRefused(Failure(FailureKind.UNREACHABLE, host, detail), status)


def failed(failure: Failure, name: str = UNNAMED) -> UpstreamFailed:
    """The exception for `failure` of the server called `name`."""
    return UpstreamFailed(failure, *_texts(failure, name))


def _texts(failure: Failure, name: str = UNNAMED) -> tuple[str, str, str]:
    advice = advise(failure, name)
    return advice.cause, advice.suggestion, advice.terminal


def bad_protocol(detail: str) -> Failure:
    return Failure(FailureKind.BAD_PROTOCOL, detail=detail)


def server_error(error: UpstreamAnsweredError) -> Failure:
    """The server's own error, where it ends more than one request."""
    return Failure(FailureKind.SERVER_ERROR, detail=error_words(error))


@asynccontextmanager
async def time_limit(
    seconds: float | None, failure: Failure | None = None
) -> AsyncGenerator[float | None]:
    """A time limit that fails the way a server does: raises `UpstreamFailed`. Its value is the
    moment when it ends, on the loop's clock."""
    try:
        async with asyncio.timeout(seconds) as timeout:
            yield timeout.when()
    except TimeoutError:
        raise failed(failure or Failure(FailureKind.TIMEOUT, f"{seconds:g} s")) from None
