"""Signing in to servers with OAuth."""

from __future__ import annotations

from typing import Protocol

from router.domain.ids import ServerRef
from router.domain.servers import SignIn


class SignInsPort(Protocol):
    async def begin(self, ref: ServerRef) -> SignIn:
        """Where to sign in to a server; nothing is opened. Completes in the background and then
        changes the server's status. A second call joins the sign-in that is under way."""
        ...

    async def ended(self, ref: ServerRef) -> None:
        """Wait for a sign-in that has begun. Raises `UpstreamFailed` if it failed."""
        ...

    async def sign_out(self, ref: ServerRef) -> None: ...
