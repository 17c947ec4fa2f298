"""What a tool-layer API returns instead of raising: `ToolResult` = `Ok` | `Failed`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from router.domain.errors import (
    InvalidInput,
    Refused,
    SecretUnavailable,
    ToolboothError,
    UpstreamAnsweredError,
    UpstreamFailed,
    WrongArguments,
)
from router.domain.failures import FailureKind
from router.domain.json_values import JsonObject

T = TypeVar("T")

_METHOD_NOT_FOUND = -32601

_LASTING = frozenset(
    {
        FailureKind.COMMAND_NOT_FOUND,
        FailureKind.PERMISSION_DENIED,
        FailureKind.CONSENT_NEEDED,
        FailureKind.NETWORK_NEEDED,
        FailureKind.FILES_NEEDED,
        FailureKind.ISOLATION_TOO_WEAK,
        FailureKind.PACKAGE_NOT_FOUND,
        FailureKind.PYTHON_NEEDED,
        FailureKind.PACKAGE_CHANGED,
        FailureKind.SECRET_MISSING,
        FailureKind.DISABLED,
    }
)
"""Retrying is useless until someone changes something."""


class ToolErrorCode(StrEnum):
    NOT_IMPLEMENTED = "TOOL_NOT_IMPLEMENTED"
    INVALID_INPUT = "TOOL_INVALID_INPUT"
    UNAVAILABLE = "TOOL_UNAVAILABLE"
    EXECUTION_FAILED = "TOOL_EXECUTION_FAILED"


@dataclass(frozen=True, slots=True)
class Ok(Generic[T]):
    value: T


@dataclass(frozen=True, slots=True)
class Failed:
    code: ToolErrorCode
    message: str
    retryable: bool = False
    """Whether the same call may be made again: it was not carried out, and may succeed."""
    hint: str = ""
    answered: UpstreamAnsweredError | None = None
    """The server's own JSON-RPC error, passed to the client unchanged."""
    terminal: str = ""
    """What the user can do at a terminal; no client gets it."""
    refused: bool = False
    """Whether a permission denied it."""
    input_schema: JsonObject | None = None
    """Of the tool, if the arguments don't meet it; the hint quotes it."""
    sent: bool = False
    """Whether the server had the call, so that it may have been carried out."""

    @property
    def sentence(self) -> str:
        return f"{self.message} {self.hint}".strip()


ToolResult: TypeAlias = Ok[T] | Failed


def failed(error: Exception) -> Failed:
    """The `Failed` an exception becomes at the tool edge."""
    result = _failed(error)
    return replace(result, terminal=error.terminal) if isinstance(error, ToolboothError) else result


def _failed(error: Exception) -> Failed:
    match error:
        case Refused():
            return Failed(ToolErrorCode.INVALID_INPUT, error.message, hint=error.hint, refused=True)
        case WrongArguments():
            code, schema = ToolErrorCode.INVALID_INPUT, error.input_schema
            return Failed(code, error.message, hint=error.hint, input_schema=schema)
        case InvalidInput():
            return Failed(ToolErrorCode.INVALID_INPUT, error.message, hint=error.hint)
        case UpstreamAnsweredError():
            missing = error.code == _METHOD_NOT_FOUND
            code = ToolErrorCode.NOT_IMPLEMENTED if missing else ToolErrorCode.EXECUTION_FAILED
            return Failed(code, error.message, answered=error, sent=True)
        case UpstreamFailed():
            retryable = not error.sent and error.failure.kind not in _LASTING
            code = ToolErrorCode.UNAVAILABLE
            return Failed(code, error.message, retryable, error.hint, sent=error.sent)
        case SecretUnavailable():
            return Failed(ToolErrorCode.UNAVAILABLE, error.message, retryable=True, hint=error.hint)
        case ToolboothError():
            return Failed(ToolErrorCode.EXECUTION_FAILED, error.message, hint=error.hint)
        case _:
            return Failed(
                ToolErrorCode.EXECUTION_FAILED,
                f"Unexpected {type(error).__name__}.",
                hint="The router's log has the details.",
            )
