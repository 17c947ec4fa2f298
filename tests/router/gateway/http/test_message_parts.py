"""A large result is encoded in slices, and means the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from router.gateway.http.message_parts import result_message
from router.wire.jsonrpc import encode_result

LARGE = 'é\\"\n\U0001f600' * 600_000


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "text", "text": LARGE}, {}], "isError": False},
        {"content": LARGE, "_meta": {"a": [LARGE, None, 1.5, "x"], LARGE[:100]: {}}},
        {"content": [[n, {"text": "x" * 20}] for n in range(100_000)]},
    ],
)
async def test_a_large_result_is_encoded_in_small_parts(result: dict[str, Any]) -> None:
    parts = await result_message("id-1", result)
    assert max(map(len, parts)) < 3_000_000
    assert len(parts) > 1
    assert json.loads(b"".join(parts)) == {"jsonrpc": "2.0", "id": "id-1", "result": result}


async def test_a_small_result_is_one_part() -> None:
    result = {"content": [{"type": "text", "text": "hello"}]}
    assert list(await result_message(7, result)) == [encode_result(7, result)]
    assert list(await result_message(7, b'{"a":1}')) == [encode_result(7, b'{"a":1}')]
