"""Which error code an exception becomes in a tool result."""

from __future__ import annotations

import pytest

from router.domain.errors import (
    Conflict,
    InvalidInput,
    Refused,
    SecretUnavailable,
    UpstreamAnsweredError,
    UpstreamFailed,
)
from router.domain.failures import Failure, FailureKind
from router.domain.result import ToolErrorCode, failed


def sent(kind: FailureKind) -> UpstreamFailed:
    """The failure of a call that the server had received."""
    error = UpstreamFailed(Failure(kind), "Gone.")
    error.sent = True
    return error


@pytest.mark.proves("REG-7")
@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (InvalidInput("No."), ToolErrorCode.INVALID_INPUT, False),
        (Refused("No."), ToolErrorCode.INVALID_INPUT, False),
        (UpstreamAnsweredError(-32601, "No method."), ToolErrorCode.NOT_IMPLEMENTED, False),
        (UpstreamAnsweredError(-32602, "No."), ToolErrorCode.EXECUTION_FAILED, False),
        (
            UpstreamFailed(Failure(FailureKind.UNREACHABLE), "Away."),
            ToolErrorCode.UNAVAILABLE,
            True,
        ),
        (UpstreamFailed(Failure(FailureKind.DISABLED), "Off."), ToolErrorCode.UNAVAILABLE, False),
        (sent(FailureKind.CALL_TIMEOUT), ToolErrorCode.UNAVAILABLE, False),
        (sent(FailureKind.EXITED), ToolErrorCode.UNAVAILABLE, False),
        (SecretUnavailable("Locked."), ToolErrorCode.UNAVAILABLE, True),
        (Conflict("There."), ToolErrorCode.EXECUTION_FAILED, False),
        (KeyError("internal"), ToolErrorCode.EXECUTION_FAILED, False),
    ],
)
def test_every_exception_has_a_code_and_says_whether_it_is_retryable(
    error: Exception, code: ToolErrorCode, retryable: bool
) -> None:
    answer = failed(error)
    assert (answer.code, answer.retryable) == (code, retryable)
    assert answer.message


def test_an_unexpected_exception_shows_only_its_type() -> None:
    assert "internal" not in failed(KeyError("internal")).sentence
