"""The exceptions of upstream: a `Failure` becomes an `UpstreamFailed` with its sentence here."""

from __future__ import annotations

from http import HTTPStatus

from router.domain.errors import UpstreamFailed
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind

UNNAMED = "The server"
"""Stands for the server's name, which upstream does not know."""


class NoConnection(UpstreamFailed):
    """No connection could be opened: the server is down or can't be reached."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure, *_words(failure))


class HttpRefused(UpstreamFailed):
    """An HTTP error status instead of a response: the server did not process the message."""

    def __init__(self, failure: Failure, status: int) -> None:
        super().__init__(failure, *_words(failure))
        self.status = status


class SessionGone(HttpRefused):
    """The server has lost our session; the message may be sent again in a new one."""


def refused(status: int, host: str, words: str) -> HttpRefused:
    """The exception for an HTTP error status; for 401 and 403 a sign-in may help."""
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return HttpRefused(Failure(FailureKind.SIGN_IN_NEEDED, detail=words), status)
    return HttpRefused(Failure(FailureKind.UNREACHABLE, host, words), status)


def failed(failure: Failure) -> UpstreamFailed:
    """The exception for `failure`; callers that know the server's name put it in."""
    return UpstreamFailed(failure, *_words(failure))


def _words(failure: Failure) -> tuple[str, str]:
    advice = advise(failure, UNNAMED)
    return advice.cause, advice.suggestion


def bad_protocol(detail: str) -> Failure:
    return Failure(FailureKind.BAD_PROTOCOL, detail=detail)


def timed_out(seconds: float) -> Failure:
    return Failure(FailureKind.TIMEOUT, subject=f"{seconds:g} s")
