"""Parsing HTTP responses, however their bytes are split, and malformed ones."""

from __future__ import annotations

import pytest

from router.wire.http1 import InvalidResponse, ResponseParser

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: Chunked\r\n\r\n"
ANNOUNCED = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n"


def read(text: bytes, size: int = 1 << 20) -> tuple[ResponseParser, bytes]:
    parser = ResponseParser()
    cuts = (text[start : start + size] for start in range(0, len(text), size))
    return parser, b"".join(part for cut in cuts for part in parser.feed(cut))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("text", "body"),
    [
        (OK + b"Content-Length: 5\r\n\r\nhello", b"hello"),
        (OK + b"Content-Length:0\r\n\r\n", b""),
        (CHUNKED + b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n", b"hello world"),
        (CHUNKED + b"0A\r\n0123456789\r\n0\r\nA: b\r\nC: d\r\n\r\n", b"0123456789"),
        (ANNOUNCED + OK + b"Content-Length: 1\r\n\r\n!", b"!"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
)
def test_a_response_does_not_depend_on_how_bytes_are_split(
    text: bytes, body: bytes, size: int
) -> None:
    parser, found = read(text, size)
    assert found == body
    assert parser.done
    assert parser.reusable
    parser.feed_eof()


def test_status_and_headers_are_returned_unchanged() -> None:
    parser, _ = read(
        b"HTTP/1.1 404 Not  Here\r\nX-A:  1 \r\nSet-Cookie: a\r\nset-cookie: b\r\n\r\n"
    )
    assert parser.head is not None
    assert (parser.head.status, parser.head.reason) == (404, b"Not  Here")
    assert parser.head.headers == ((b"X-A", b"1"), (b"Set-Cookie", b"a"), (b"set-cookie", b"b"))


def test_a_response_without_a_length_lasts_until_the_connection_closes() -> None:
    parser, body = read(OK + b"\r\nhello", 3)
    assert body == b"hello"
    assert not parser.done
    parser.feed_eof()
    assert parser.done


@pytest.mark.parametrize(
    ("text", "reusable"),
    [
        (OK + b"Content-Length: 0\r\n\r\n", True),
        (OK + b"Content-Length: 0\r\nConnection: Close\r\n\r\n", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n", True),
        (OK + b"Content-Length: 1\r\n\r\n!HTTP/1.1 200 smuggled", False),
    ],
)
def test_a_connection_is_reused_only_after_a_complete_response(text: bytes, reusable: bool) -> None:
    parser, _ = read(text)
    assert parser.done
    assert parser.reusable is reusable


@pytest.mark.parametrize(
    "text",
    [
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        OK + b"no colon\r\n\r\n",
        OK + b"Name : x\r\n\r\n",
        OK + b" folded: x\r\n\r\n",
        OK + b"Content-Length: -1\r\n\r\n",
        OK + b"Content-Length: 5, 5\r\n\r\n",
        OK + b"Content-Length: 5, 6\r\n\r\n",
        OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
        OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 120 K\r\nUpgrade: x\r\nConnection: upgrade\r\nContent-Length: 1\r\n\r\n!",
        OK + b"Content-Length: " + b"9" * 100 + b"\r\n\r\n",
        OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
        OK + b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n",
        OK + b"Transfer-Encoding: gzip\r\n\r\n",
        CHUNKED + b"xyz\r\n",
        CHUNKED + b"-5\r\n",
        CHUNKED + b"1" * 5000,
        OK + b"X: " + b"x" * 70_000,
        ANNOUNCED * 2_000,
        CHUNKED + b"1\r\nx\r\n0\r\n" + b"A: b\r\n" * 20_000,
        CHUNKED + b"1;" + b"x" * 90_000,
    ],
)
def test_malformed_http_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidResponse):
        read(text, 16 * 1024)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        OK,
        OK + b"Content-Length: 5\r\n\r\nhell",
        CHUNKED + b"5\r\nhello\r\n",
    ],
)
def test_a_truncated_response_is_an_error(text: bytes) -> None:
    parser, _ = read(text)
    with pytest.raises(InvalidResponse, match="was lost"):
        parser.feed_eof()
