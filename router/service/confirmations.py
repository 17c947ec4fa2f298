"""Commands of a terminal that wait for the user's confirmation in the window."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from router.api.events import ConfirmationsChanged, Publish
from router.domain.confirmations import Confirmation, ConfirmationId
from router.domain.errors import NotFound, Refused, sentence

_MAX_PENDING = 8


@dataclass(frozen=True, slots=True)
class Confirmations:
    """The production implementation of `api.confirmations.ConfirmationsPort`."""

    in_window: bool
    _publish: Publish
    _timeout_s: Callable[[], float]
    _redact: Callable[[str], str]
    _waiting: dict[ConfirmationId, tuple[Confirmation, asyncio.Future[bool]]] = field(
        default_factory=dict[ConfirmationId, tuple[Confirmation, "asyncio.Future[bool]"]]
    )

    def pending(self) -> tuple[Confirmation, ...]:
        return tuple(confirmation for confirmation, _ in list(self._waiting.values()))

    async def confirm(self, command: str) -> None:
        if len(self._waiting) >= _MAX_PENDING:
            raise Refused("Too many commands already wait to be confirmed.", "Try again later.")
        confirmation = Confirmation(ConfirmationId(secrets.token_hex(4)), self._redact(command))
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[confirmation.id] = confirmation, answer
        self._publish(ConfirmationsChanged())
        try:
            async with asyncio.timeout(self._timeout_s()):
                confirmed = await answer
        except TimeoutError:
            raise Refused("Nobody confirmed this command in Toolbooth's window in time.") from None
        finally:
            del self._waiting[confirmation.id]
            self._publish(ConfirmationsChanged())
        if not confirmed:
            raise Refused("This command was declined in Toolbooth's window.")

    async def answer(self, confirmation: ConfirmationId, *, confirmed: bool) -> None:
        if confirmation not in self._waiting:
            raise NotFound(sentence("This command no longer waits to be confirmed."))
        _, answer = self._waiting[confirmation]
        if not answer.done():
            answer.set_result(confirmed)
