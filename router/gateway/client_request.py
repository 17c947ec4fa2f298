"""One request of a client, from streamable HTTP to the upstream that answers it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from router.domain.clients import Principal
from router.domain.json_values import JsonObject, as_object
from router.gateway.http.http_request import HTTPRequest
from router.gateway.http.response_stream import ResponseStream
from router.upstream.ports import ClientPeer, ProgressSink
from router.wire.jsonrpc import JSONRPCRequest, RequestId
from router.wire.mcp import MODERN_VERSION

_INPUT_RESPONSE_KEYS = ("inputResponses", "requestState")


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """Variants are made with `dataclasses.replace`: the value is never copied into another shape.

    A request of the user, from the window or a terminal (`local`), has neither stream nor client.
    """

    principal: Principal
    current_principal: Callable[[], Principal]
    """Decides the principal again, by what the settings say now. Raises `HTTPError`."""
    params: JsonObject
    method: str = ""
    id: RequestId = 0
    protocol_version: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """By lower-case name."""
    stream: ResponseStream | None = None
    activity_id: str = ""
    """Its id in the activity log."""
    on_progress: ProgressSink | None = None
    client: ClientPeer | None = None
    """How servers reach the client while the request is under way."""
    inside_script: bool = False
    """Made by a script: the result stays out of the client's context."""
    started: float = field(default_factory=time.perf_counter)
    """On that clock: the activity log has the duration."""

    @classmethod
    def from_http(
        cls,
        http: HTTPRequest,
        message: JSONRPCRequest,
        version: str = "",
        stream: ResponseStream | None = None,
    ) -> ClientRequest:
        return cls(
            http.principal,
            http.current_principal,
            message.params,
            message.method,
            message.id,
            version,
            http.headers,
            stream,
        )

    @classmethod
    def local(
        cls, principal: Principal, activity_id: str, params: JsonObject | None = None
    ) -> ClientRequest:
        return cls(principal, lambda: principal, params or {}, activity_id=activity_id)

    def from_script(self, number: int, on_progress: ProgressSink | None) -> ClientRequest:
        """One call of a script that this request runs, with its own id in the activity log."""
        return replace(
            self,
            activity_id=f"{self.activity_id}/{number}",
            params={"_meta": self.meta},
            on_progress=on_progress,
            inside_script=True,
            started=time.perf_counter(),
        )

    @property
    def modern(self) -> bool:
        return self.protocol_version == MODERN_VERSION

    @property
    def meta(self) -> JsonObject:
        return as_object(self.params.get("_meta"))

    @property
    def input_responses(self) -> JsonObject:
        """The params by which a repeated request continues a call that required input. A state of
        `null` is none, and was never unsealed; a script's call repeats nothing."""
        if self.inside_script:
            return {}
        given = {key: self.params.get(key) for key in _INPUT_RESPONSE_KEYS}
        return {key: value for key, value in given.items() if value is not None}

    async def send(self, message: JsonObject) -> None:
        """Send a message to the client before the result; without a stream, do nothing."""
        if self.stream is not None:
            await self.stream.send(message)
