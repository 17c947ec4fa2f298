"""Messages are read only if every parser would read them alike, and written so that all can."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from router.wire.jsonrpc import (
    INVALID_JSON,
    AmbiguousJSON,
    InvalidMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    decode,
    encode,
    encode_result,
    parse_message,
)


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        ({"id": 1, "method": "ping"}, JSONRPCRequest(1, "ping", {})),
        ({"id": "a", "method": "ping", "params": None}, JSONRPCRequest("a", "ping", {})),
        (
            {"method": "notifications/x", "params": {"a": 1}},
            JSONRPCNotification("notifications/x", {"a": 1}),
        ),
        ({"id": "q", "result": {}}, JSONRPCResponse("q", {}, {})),
        ({"id": "q", "error": {"code": 1}}, JSONRPCResponse("q", None, {"code": 1})),
        ({"id": "q", "result": {"a": 1}, "error": None}, JSONRPCResponse("q", {"a": 1}, {})),
        (
            {"id": "q", "result": None, "error": {"code": 1}},
            JSONRPCResponse("q", None, {"code": 1}),
        ),
        (
            {"id": "q", "result": {"a": 1}, "error": {"code": 1}},
            JSONRPCResponse("q", None, {"code": 1}),
        ),
    ],
)
def test_a_message_is_a_request_a_notification_or_a_response(
    message: dict[str, Any], meaning: object
) -> None:
    assert parse_message({"jsonrpc": "2.0", **message}) == meaning


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"id": None, "method": "ping"}, '"id" must not be null'),
        ({"id": True, "method": "ping"}, '"id" must be a string or an integer'),
        ({"id": 1.5, "method": "ping"}, '"id" must be a string or an integer'),
        ({"id": 1, "method": "ping", "params": []}, '"params" must be an object'),
        ({"id": 1, "method": 2}, '"method" must be a string'),
        ({"id": 1, "Method": "ping"}, 'needs "method"'),
        ({"id": 1, "result": 3}, "must be an object"),
        ({"result": {}}, 'needs an "id"'),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, '"jsonrpc" must be "2.0"'),
        ({"jsonrpc": 2, "id": 1, "method": "ping"}, '"jsonrpc" must be "2.0"'),
    ],
)
def test_what_is_no_message_is_told_by_its_own_sentence(message: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidMessage, match=re.escape(why)):
        parse_message({"jsonrpc": "2.0", **message})


@pytest.mark.parametrize("value", [[{"jsonrpc": "2.0", "id": 1, "method": "ping"}], "ping", None])
def test_a_batch_is_not_a_message(value: object) -> None:
    with pytest.raises(InvalidMessage, match="not a batch"):
        parse_message(value)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"a":"\xed\xa0\x80"}'])
def test_malformed_json_is_refused(body: bytes) -> None:
    assert decode(body) is INVALID_JSON


@pytest.mark.parametrize("body", [b'{"a":1,"a":1}', b'[{"b":{"a":1,"a":2}}]', b"[NaN]", b"[1e999]"])
def test_ambiguous_json_is_refused(body: bytes) -> None:
    with pytest.raises(AmbiguousJSON):
        decode(body)


@pytest.mark.parametrize("value", ["héß 語 🎉", "half \ud800", {"a": [None, 1.5, True, "\u0000"]}])
def test_written_messages_can_be_read(value: object) -> None:
    assert json.loads(encode(value)) == value
    assert json.loads(encode_result("é", {"v": value})) == {
        "jsonrpc": "2.0",
        "id": "é",
        "result": {"v": value},
    }


def test_a_number_that_is_not_json_is_written_as_null() -> None:
    """Servers that write JSON by hand send them; a client could not read the whole response."""
    odd = {"a": [float("nan"), 1.5, {"b": float("-inf")}], "half": "\ud800"}
    assert encode(odd) == b'{"a":[null,1.5,{"b":null}],"half":"\\ud800"}'
