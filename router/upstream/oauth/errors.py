"""How signing in fails: a sentence for the person, and nothing in it that could be a secret."""

from __future__ import annotations

import re

from router.domain.errors import ToolboothError
from router.domain.failures import Failure, FailureKind

_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")


class SignInFailed(ToolboothError):
    """A sign-in, or the renewal of one, that did not work out."""


class GrantRefused(SignInFailed):
    """The authorization server no longer accepts what we have: only a new sign-in helps."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.forgot_client = code in ("invalid_client", "unauthorized_client")


def sign_in_needed(server: str, detail: str = "") -> Failure:
    """`server` is the id under which a person can sign in."""
    return Failure(FailureKind.SIGN_IN_NEEDED, server, detail)


def error_code(value: object) -> str:
    """An error code as OAuth defines them; anything else is not repeated."""
    return value if isinstance(value, str) and _CODE.fullmatch(value) else "no reason given"
