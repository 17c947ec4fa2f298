"""Errors of a sign-in: messages for the user, which never contain a secret."""

from __future__ import annotations

import re

from router.domain.errors import ToolboothError
from router.domain.failures import Failure, FailureKind

_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")


class SignInFailed(ToolboothError):
    """A sign-in or a token refresh failed."""


class GrantRefused(SignInFailed):
    """The authorization server no longer accepts the grant: a new sign-in is needed."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.client_unknown = code in ("invalid_client", "unauthorized_client")


def sign_in_needed(server: str, detail: str = "") -> Failure:
    """`server` is the id of the server to sign in to."""
    return Failure(FailureKind.SIGN_IN_NEEDED, server, detail)


def error_code(value: object) -> str:
    """An OAuth error code; anything else is not quoted."""
    return value if isinstance(value, str) and _CODE.fullmatch(value) else "no reason given"
