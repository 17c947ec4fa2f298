"""How this room fails: a `Failure` becomes an `UpstreamFailed` with its sentence in one place."""

from __future__ import annotations

from http import HTTPStatus

from router.domain.errors import UpstreamFailed
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind

UNNAMED = "The server"
"""How this room's sentences call a server whose name they don't know."""


class NoConnection(UpstreamFailed):
    """Not even a connection came about: the server is down or we are cut off from it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure, *_words(failure))


class HttpRefused(UpstreamFailed):
    """An HTTP status instead of an answer: the server did not process the message."""

    def __init__(self, failure: Failure, status: int) -> None:
        super().__init__(failure, *_words(failure))
        self.status = status


class SessionGone(HttpRefused):
    """The server no longer knows our session; the message may be sent again in a new one."""


def refused(status: int, host: str, words: str) -> HttpRefused:
    """For an HTTP reply that is none of what was hoped for: to sign in may help, or nothing."""
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return HttpRefused(Failure(FailureKind.SIGN_IN_NEEDED, detail=words), status)
    return HttpRefused(Failure(FailureKind.UNREACHABLE, host, words), status)


def failed(failure: Failure) -> UpstreamFailed:
    """The exception for `failure`; whoever knows the server's name can word it better."""
    return UpstreamFailed(failure, *_words(failure))


def _words(failure: Failure) -> tuple[str, str]:
    advice = advise(failure, UNNAMED)
    return advice.cause, advice.suggestion


def bad_protocol(detail: str) -> Failure:
    return Failure(FailureKind.BAD_PROTOCOL, detail=detail)


def timed_out(seconds: float) -> Failure:
    return Failure(FailureKind.TIMEOUT, subject=f"{seconds:g} s")
