"""JSON-RPC on the wire: a body is read once and strictly, an answer is written once and compactly.

Strictly means that nobody could read it otherwise than we do: a key that appears twice, or a number
JSON doesn't know, is refused.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from mcp.shared.exceptions import MCPError

from router.domain.json_values import JsonObject, as_object

RequestId: TypeAlias = str | int

Result: TypeAlias = JsonObject | bytes
"""A result, or one that was written already: the bytes of a JSON object that isn't empty."""

NOT_JSON = object()
"""What stands for a body that can't be read at all."""


class UnfitBody(ValueError):
    """JSON that another reader might take otherwise than we do."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request, which is answered."""

    id: RequestId
    method: str
    params: JsonObject


@dataclass(frozen=True, slots=True)
class Notice:
    """A notification, which is not."""

    method: str
    params: JsonObject


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request of ours."""

    id: object
    result: JsonObject | None
    error: JsonObject


def read(body: bytes) -> object:
    """The value in `body`, or `NOT_JSON`. Raises `UnfitBody`."""
    try:
        return _STRICT.decode(body.decode())
    except UnfitBody:
        raise
    except (ValueError, RecursionError):
        return NOT_JSON


def message_in(value: object) -> Call | Notice | Reply | None:
    """The one message that `value` is; a batch is none."""
    message = as_object(value)
    if message.get("jsonrpc") != "2.0":
        return None
    if "method" not in message:
        return _reply(message)
    method, params = message["method"], message.get("params")
    if not isinstance(method, str) or not (params is None or isinstance(params, dict)):
        return None
    own = cast(JsonObject, params or {})
    if "id" not in message:
        return Notice(method, own)
    return Call(message["id"], method, own) if is_id(message["id"]) else None


def _reply(message: JsonObject) -> Reply | None:
    """An answer has a result or an error, which are objects; the other may be null."""
    error = message.get("error")
    value = message.get("result") if error is None else error
    if "id" not in message or not isinstance(value, dict):
        return None
    answer = cast(JsonObject, value)
    if error is None:
        return Reply(message["id"], answer, {})
    return Reply(message["id"], None, answer)


def is_id(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def written(value: object) -> bytes:
    """`value` as JSON in UTF-8; half a surrogate pair, which UTF-8 doesn't know, as an escape, and
    a number that JSON doesn't know, which some servers send, as null."""
    try:
        return _COMPACT.encode(value).encode()
    except UnicodeEncodeError:
        return _ASCII.encode(value).encode()
    except ValueError:
        return written(_with_nulls(value))


def result_message(request: RequestId, result: Result) -> bytes:
    inner = result if isinstance(result, bytes) else written(result)
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (written(request), inner)


def error_message(request: RequestId | None, code: int, message: str, data: Any = None) -> bytes:
    error: JsonObject = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return written({"jsonrpc": "2.0", "id": request, "error": error})


def joined(members: JsonObject, result: bytes) -> bytes:
    """A written result with `members` before its own."""
    return written(members)[:-1] + b"," + result[1:]


class Rejected(MCPError):
    """The request is refused for its form, with an HTTP status of its own."""

    def __init__(
        self,
        status: int,
        code: int,
        message: str,
        data: Any = None,
        *,
        request: RequestId | None = None,
    ) -> None:
        super().__init__(code, message, data)
        self.status = status
        self.request = request

    @property
    def body(self) -> bytes:
        return error_message(self.request, self.code, self.message, self.data)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        [(key, _), *_] = Counter(key for key, _ in pairs).most_common(1)
        raise UnfitBody(f"The key {json.dumps(key)} appears twice in one object.")
    return result


def _finite(literal: str) -> float:
    if not math.isfinite(number := float(literal)):
        raise UnfitBody(f"{literal[:20]} is not a number that JSON can carry.")
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
