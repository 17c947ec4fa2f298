"""JSON-RPC 2.0: message types and codec, shared by gateway, upstream and bridge. No SDK import.

Decoding is strict: JSON that two readers could understand differently (a repeated key, a number
that is not JSON) is refused. Encoding never fails for a value that came out of a JSON decoder.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard, cast

from router.domain.errors import UpstreamAnsweredError
from router.domain.json_values import JsonObject, as_object
from router.wire.mcp import INTERNAL_ERROR

RequestId: TypeAlias = str | int

Result: TypeAlias = JsonObject | bytes
"""A result, or one that is encoded already: the bytes of a JSON object that isn't empty."""

INVALID_JSON = object()
"""What `decode` returns for bytes that are not JSON."""


class AmbiguousJSON(ValueError):
    """JSON that another reader might understand differently."""


@dataclass(frozen=True, slots=True)
class JSONRPCRequest:
    id: RequestId
    method: str
    params: JsonObject


@dataclass(frozen=True, slots=True)
class JSONRPCNotification:
    method: str
    params: JsonObject


@dataclass(frozen=True, slots=True)
class JSONRPCResponse:
    """The response to a request of ours: a result, or, if that is `None`, an error."""

    id: object
    result: JsonObject | None
    error: JsonObject


JSONRPCMessage: TypeAlias = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse


def decode(body: bytes) -> object:
    """The value in `body`, or `INVALID_JSON`. Raises `AmbiguousJSON`."""
    try:
        return _STRICT.decode(body.decode())
    except AmbiguousJSON:
        raise
    except (ValueError, RecursionError):
        return INVALID_JSON


class InvalidMessage(ValueError):
    """JSON that is no JSON-RPC message; says why."""


def parse_message(value: object) -> JSONRPCMessage:
    """The message that `value` is. Raises `InvalidMessage` for a batch or anything else."""
    if not isinstance(value, dict):
        raise InvalidMessage("Body must be a single JSON-RPC message, not a batch")
    message = as_object(cast(object, value))
    if message.get("jsonrpc") != "2.0":
        raise InvalidMessage('"jsonrpc" must be "2.0"')
    if "method" not in message:
        return _parse_response(message)
    method, params = message["method"], message.get("params")
    if not isinstance(method, str):
        raise InvalidMessage('"method" must be a string')
    if not (params is None or isinstance(params, dict)):
        raise InvalidMessage('"params" must be an object')
    members = cast(JsonObject, params or {})
    if "id" not in message:
        return JSONRPCNotification(method, members)
    request_id = message["id"]
    if request_id is None:
        raise InvalidMessage('"id" must not be null; a notification has none')
    if not is_request_id(request_id):
        raise InvalidMessage('"id" must be a string or an integer')
    return JSONRPCRequest(request_id, method, members)


def _parse_response(message: JsonObject) -> JSONRPCResponse:
    """A response has a result or an error, which are objects; the other may be null."""
    if "result" not in message and "error" not in message:
        raise InvalidMessage('A message needs "method", "result" or "error"')
    error = message.get("error")
    value = message.get("result") if error is None else error
    if "id" not in message:
        raise InvalidMessage('A response needs an "id"')
    if not isinstance(value, dict):
        raise InvalidMessage('"result" or "error" must be an object')
    members = cast(JsonObject, value)
    if error is None:
        return JSONRPCResponse(message["id"], members, {})
    return JSONRPCResponse(message["id"], None, members)


def answered_error(error: JsonObject) -> UpstreamAnsweredError:
    """The exception for the `error` member of a peer's response, which may have any shape."""
    code = error.get("code")
    if not isinstance(code, int):
        code = INTERNAL_ERROR
    return UpstreamAnsweredError(code, str(error.get("message", "")), error.get("data"))


def is_request_id(value: object) -> TypeGuard[RequestId]:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


# Messages as plain objects


def request(request_id: RequestId, method: str, params: JsonObject | None = None) -> JsonObject:
    message: JsonObject = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if params is not None:
        message["params"] = params
    return message


def notification(method: str, params: JsonObject | None = None) -> JsonObject:
    message: JsonObject = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return message


def result(request_id: RequestId, value: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": request_id, "result": value}


def error(request_id: RequestId | None, code: int, message: str, data: Any = None) -> JsonObject:
    members: JsonObject = {"code": code, "message": message}
    if data is not None:
        members["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": members}


# Messages as bytes


def encode(value: object) -> bytes:
    """`value` as JSON in UTF-8. A lone surrogate, which UTF-8 can't carry, is escaped; a number
    that JSON can't carry, which some servers send, becomes null."""
    try:
        return _COMPACT.encode(value).encode()
    except UnicodeEncodeError:
        return _ASCII.encode(value).encode()
    except ValueError:
        return encode(_with_nulls(value))


def encode_ascii(message: JsonObject) -> bytes:
    """A message to a server: ASCII, which every server can read, whatever its locale."""
    return _LENIENT_ASCII.encode(message).encode()


def encode_result(request_id: RequestId, value: Result) -> bytes:
    encoded = value if isinstance(value, bytes) else encode(value)
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encode(request_id), encoded)


def encode_error(request_id: RequestId | None, code: int, message: str, data: Any = None) -> bytes:
    return encode(error(request_id, code, message, data))


def prepend_members(members: JsonObject, encoded: bytes) -> bytes:
    """An encoded object with `members` before its own."""
    return encode(members)[:-1] + b"," + encoded[1:]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        [(key, _), *_] = Counter(key for key, _ in pairs).most_common(1)
        raise AmbiguousJSON(f"The key {json.dumps(key)} appears twice in one object.")
    return members


def _finite(literal: str) -> float:
    if not math.isfinite(number := float(literal)):
        raise AmbiguousJSON(f"{literal[:20]} is not a number that JSON can carry.")
    return number


def _with_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_nulls(each) for key, each in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [_with_nulls(each) for each in cast("list[Any]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite)
_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ASCII = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
_LENIENT_ASCII = json.JSONEncoder(separators=(",", ":"))
