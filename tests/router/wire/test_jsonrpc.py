"""Messages are read only if every parser would read them alike, and written so that all can."""

from __future__ import annotations

import json
from typing import Any

import pytest

from router.wire.jsonrpc import (
    INVALID_JSON,
    AmbiguousJSON,
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
        ({"id": None, "method": "ping"}, None),
        ({"id": True, "method": "ping"}, None),
        ({"id": 1.5, "method": "ping"}, None),
        ({"id": 1, "method": "ping", "params": []}, None),
        ({"id": 1, "method": 2}, None),
        ({"id": 1, "Method": "ping"}, None),
        ({"id": 1, "result": 3}, None),
        ({"result": {}}, None),
    ],
)
def test_a_message_is_a_request_a_notification_or_a_response(
    message: dict[str, Any], meaning: object
) -> None:
    assert parse_message({"jsonrpc": "2.0", **message}) == meaning
    assert parse_message(message) is None


def test_a_batch_is_not_a_message() -> None:
    assert parse_message([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]) is None


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
