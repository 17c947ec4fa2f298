"""One message of a client with all that is known about it, and the way back to who sent it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from router.domain.clients import Principal
from router.domain.json_values import JsonObject, as_object
from router.gateway.http.http_request import Arrival
from router.gateway.http.jsonrpc import Call, RequestId
from router.gateway.http.response_stream import Answer


@dataclass(frozen=True, slots=True)
class Incoming:
    request_id: RequestId
    method: str
    params: JsonObject
    protocol_version: str
    headers: Mapping[str, str]
    caller: Principal
    recall: Callable[[], Principal]
    answer: Answer

    @classmethod
    def of(cls, arrival: Arrival, call: Call, version: str, answer: Answer) -> Incoming:
        return cls(
            call.id,
            call.method,
            call.params,
            version,
            arrival.headers,
            arrival.caller,
            arrival.recall,
            answer,
        )

    @property
    def modern(self) -> bool:
        """Whether it is of the stateless revision."""
        return self.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def meta(self) -> JsonObject:
        return as_object(self.params.get("_meta"))
