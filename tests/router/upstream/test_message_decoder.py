"""Decoding messages of servers: the same values by both decoders, and never beyond the limits."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest

from router.domain.json_values import JsonObject
from router.upstream.limits import UpstreamLimits
from router.upstream.message_decoder import InvalidMessage, decode, decode_large
from router.upstream.peer import response_id

Decode = Callable[[bytes, UpstreamLimits], Awaitable[list[JsonObject]]]
LIMITS = UpstreamLimits()


async def at_once(text: bytes, limits: UpstreamLimits) -> list[JsonObject]:
    return decode(text, limits)


both_decoders = pytest.mark.parametrize("decoder", [at_once, decode_large])


def nested(levels: int) -> bytes:
    return b'{"a":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


@both_decoders
@pytest.mark.parametrize(
    "text",
    [
        "{}",
        ' \n{ "a" : [ ] , "b" : { } } \r\n',
        '{"a":[1,-2.5e3,true,false,null,"x"],"b":{"c":{"d":[[],[[]]]}}}',
        '{"a":"\\u6f22\\ud83d\\ude00\\n\\"","漢":"字","a":2}',
        '[{"id":1},{"id":2}]',
        '{"big":123456789012345678901234567890}',
    ],
)
async def test_values_are_those_of_the_standard_library(decoder: Decode, text: str) -> None:
    expected = json.loads(text)
    assert await decoder(text.encode(), LIMITS) == (
        expected if isinstance(expected, list) else [expected]
    )


@both_decoders
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"[1]",
        b"42",
        b"{",
        b'{"a"}',
        b'{"a":}',
        b'{"a":1,}',
        b'{"a":1 "b":2}',
        b"{1:2}",
        b'{"a":[1,]}',
        b'{"a":[1 2]}',
        b'{"a":"',
        b'{"a":1}x',
        b'{"a":tru}',
        b'{"a":"\n"}',
        b'{"a":' + b"9" * 5000 + b"}",
        nested(100_000),
        b"[" + b"{}," * 1000 + b"{}]",
    ],
)
async def test_an_invalid_message_is_refused_without_quoting_it(
    decoder: Decode, text: bytes
) -> None:
    with pytest.raises(InvalidMessage) as refused:
        await decoder(text, LIMITS)
    assert len(str(refused.value)) < 200


@both_decoders
async def test_an_invalid_character_affects_only_itself(decoder: Decode) -> None:
    assert await decoder(b'{"text":"a\xffb"}', LIMITS) == [{"text": "a\ufffdb"}]


@both_decoders
@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        (r"\ud800", "\ufffd"),
        (r"\uDFFFx", "\ufffdx"),
        (r"\ud83d\ude00", "😀"),
        (r"\ud83d\ud83d\ude00\ude00", "\ufffd😀\ufffd"),
        (r"\\ud800", r"\ud800"),
        (r"\\\ud800\n", "\\\ufffd\n"),
    ],
)
async def test_a_lone_surrogate_is_replaced(decoder: Decode, text: str, replaced: str) -> None:
    [message] = await decoder(f'{{"{text}":["{text}"]}}'.encode(), LIMITS)
    assert message == {replaced: [replaced]}


@both_decoders
async def test_nesting_is_limited(decoder: Decode) -> None:
    limits = UpstreamLimits(depth=50)
    assert await decoder(nested(50), limits)
    with pytest.raises(InvalidMessage, match="nested more than 50 levels deep"):
        await decoder(nested(51), limits)


async def test_the_number_of_values_in_a_large_message_is_limited() -> None:
    limits = UpstreamLimits(values=100)
    assert await decode_large(json.dumps({"a": [0] * 98}).encode(), limits)
    with pytest.raises(InvalidMessage, match="more than 100 values"):
        await decode_large(json.dumps({"a": [0] * 99}).encode(), limits)


@pytest.mark.parametrize(
    ("text", "request_id"),
    [
        (b'{"jsonrpc":"2.0","id":7,"result":[[[[', 7),
        (b' { "id" : 7 , "result": nonsense', 7),
        (b'{"result":{"x":NOPE},"jsonrpc":"2.0","id":7}', 7),
        (b'{"result":{"x":NOPE},"id":7,"jsonrpc":"2.0"}\r', 7),
        (b'{"result":{"id":7},"x":NOPE,"jsonrpc":"2.0"}', None),
        (b'{"result":' + b"x" * 200 + b'"id":7' + b"x" * 200, None),
        (b'{"jsonrpc":"2.0","id":7.5,"result":[[', None),
        (b'{"jsonrpc":"2.0","id":"7","result":[[', None),
        (b"Listening on port 7", None),
    ],
)
def test_the_id_of_an_undecodable_response_is_found_at_its_ends(
    text: bytes, request_id: int | None
) -> None:
    assert response_id(text) == request_id
