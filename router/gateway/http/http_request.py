"""An HTTP request that has passed all checks, the error that ends a request, and ASGI's types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from router.domain.clients import Principal
from router.wire.jsonrpc import RequestId, encode_error
from router.wire.mcp import INTERNAL_ERROR, INVALID_REQUEST

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


class HTTPError(Exception):
    """The request ends here with this HTTP status, and a JSON-RPC error as its body."""

    def __init__(
        self,
        status: int,
        message: str,
        client: str = "unknown",
        *,
        wrong_token: bool = False,
        code: int = INVALID_REQUEST,
        data: object = None,
        request_id: RequestId | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.client = client
        self.wrong_token = wrong_token
        self.body = encode_error(request_id, code, message, data)


class SessionLimitReached(HTTPError):
    """All sessions that the settings allow are in use."""

    def __init__(self, limit: int, client: str) -> None:
        message = (
            f"Toolbooth has {limit:,} open sessions, which is its limit. Close one, or raise "
            "sessionLimit in Toolbooth's settings."
        )
        super().__init__(503, message, client, code=INTERNAL_ERROR)


@dataclass(frozen=True, slots=True)
class HTTPRequest:
    method: str
    headers: Mapping[str, str]
    """By lower-case name; of a repeated header the last."""
    header_lines: Sequence[tuple[bytes, bytes]]
    body: object
    """The decoded body of a POST, or `jsonrpc.INVALID_JSON`."""
    principal: Principal
    current_principal: Callable[[], Principal]
    """Decides the principal again, by what the settings say now. Raises `HTTPError`."""
    receive: Receive
    send: Send

    async def wait_disconnected(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
