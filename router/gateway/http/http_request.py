"""An HTTP request that the gate has let in, as the rooms behind it see it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from router.domain.clients import Principal

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Arrival:
    verb: str
    headers: Mapping[str, str]
    """By lower-case name; of a header that is said twice the last."""
    header_lines: Sequence[tuple[bytes, bytes]]
    body: object
    """The value in the body of a POST, or `jsonrpc.NOT_JSON`."""
    caller: Principal
    recall: Callable[[], Principal]
    """Decides the caller again, when the settings have changed. Raises `Refusal`."""
    receive: Receive
    send: Send

    async def until_gone(self) -> None:
        """Wait until the client closes the connection."""
        while (await self.receive())["type"] != "http.disconnect":
            pass
