"""A server with every fault a server can have, over any transport. Plain Python, no SDK.

    hostile_server.py FAULT STEP           over stdio
    hostile_server.py FAULT STEP --http    over streamable HTTP; prints its URL when it listens
    hostile_server.py FAULT STEP --sse     over HTTP+SSE, likewise

It behaves correctly until STEP: `start` (before it reads anything), `initialize`, `list` or `call`
(of any tool but `fine`). Then it does FAULT: one of `STATES`, which end or stall the process, or of
`ANSWERS`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import queue
import signal
import sys
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Message = dict[str, Any]
STEPS = {"initialize": "initialize", "list": "tools/list", "call": "tools/call"}
RESULTS: dict[str, Message] = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "hostile", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "fine"}, {"name": "fault"}]},
    "tools/call": {"content": [{"type": "text", "text": "fine"}]},
}
_NOTE = json.dumps({"jsonrpc": "2.0", "method": "notifications/nonsense"}).encode()


def hang() -> None:
    time.sleep(600)


def leave() -> None:
    os._exit(3)


def stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)
    hang()  # a thread may still run for a moment


def flood_stdout() -> None:
    while True:
        os.write(1, (_NOTE + b"\n") * 1000)


def flood_with_noise() -> None:
    while True:
        os.write(1, b"\n" * 30_000 + b"x\n" * 15_000)


def flood_stderr() -> None:
    while True:
        os.write(2, b"oh no\n" * 10_000)


STATES: dict[str, Callable[[], None]] = {
    "hang": hang,
    "exit": leave,
    "stop": stop,
    "flood_stdout": flood_stdout,
    "flood_with_noise": flood_with_noise,
    "flood_stderr": flood_stderr,
}


def _answer(message: Message, result: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()


def _around(message: Message, *content: bytes) -> Iterator[bytes]:
    yield b'{"jsonrpc":"2.0","id":%d,"result":{"x":' % message["id"]
    yield from content
    yield b"}}"


def _bad_text(message: Message, result: Message) -> Iterator[bytes]:
    yield _answer(message, {**result, "note": "BROKEN"}).replace(b"BROKEN", b"\xff\xfe\xc3")


def _long(message: Message, result: Message) -> Iterator[bytes]:
    yield from _around(message, b'"', *[b"x" * 1_000_000] * 100, b'"')


def _endless(message: Message, result: Message) -> Iterator[bytes]:
    while True:
        yield b"x" * 1_000_000


def _deep(message: Message, result: Message) -> Iterator[bytes]:
    yield from _around(message, b"[" * 100_000, b"]" * 100_000)


def _digits(message: Message, result: Message) -> Iterator[bytes]:
    yield from _around(message, b"9" * 5_000)


def _values(message: Message, result: Message) -> Iterator[bytes]:
    yield from _around(message, b"[", b"[]," * 2_600_000, b"0]")


def _wrong_id(message: Message, result: Message) -> Iterator[bytes]:
    yield _answer({"id": message["id"] + 1_000}, result)


def _cursor(message: Message, result: Message) -> Iterator[bytes]:
    number = int(message.get("params", {}).get("cursor", 0)) + 1
    yield _answer(message, {"tools": [{"name": f"t{number}"}], "nextCursor": str(number)})


def _many(message: Message, result: Message) -> Iterator[bytes]:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    tools = [{"name": f"t{n}", "inputSchema": schema} for n in range(5_000)]
    yield _answer(message, {"tools": tools})


ANSWERS: dict[str, Callable[[Message, Message], Iterator[bytes]]] = {
    "bad_text": _bad_text,
    "long": _long,
    "endless": _endless,
    "deep": _deep,
    "digits": _digits,
    "values": _values,
    "wrong_id": _wrong_id,
    "cursor": _cursor,
    "many": _many,
}


class Hostile:
    """Handles a message, whatever the transport."""

    def __init__(self, fault: str, step: str) -> None:
        self.fault = fault
        self._step = step
        if step == "start":
            STATES[fault]()

    def answer(self, message: Message) -> Iterator[bytes]:
        """The text of the response, in pieces; none for a notification."""
        if "id" not in message:
            return iter(())
        result = RESULTS[message["method"]]
        if not self.is_time(message):
            return iter((_answer(message, result),))
        if self.fault in STATES:
            STATES[self.fault]()
        return ANSWERS[self.fault](message, result)

    def is_time(self, message: Message) -> bool:
        name = message.get("params", {}).get("name")
        return message.get("method") == STEPS.get(self._step) and name != "fine"


def serve_stdio(hostile: Hostile) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        pieces = list_of_duplicates if hostile.fault == "duplicate_id" else hostile.answer
        wrote = False
        for piece in pieces(message):
            sys.stdout.buffer.write(piece)
            wrote = True
        if wrote:
            sys.stdout.buffer.write(b"\n")
            sys.stdout.buffer.flush()


def list_of_duplicates(message: Message) -> Iterator[bytes]:
    if "id" in message:
        first = _answer(message, RESULTS[message["method"]])
        yield b"\n".join([first, _answer(message, {"second": True}), first])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hostile: Hostile

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.hostile.fault in _HTTP_ONLY and self.hostile.is_time(message):
            _HTTP_ONLY[self.hostile.fault](self, message)
        elif "id" not in message:
            self._begin(202, {"content-length": "0"})
        else:
            pieces = self.hostile.answer(message)
            self._begin(200, {"content-type": "application/json", "connection": "close"})
            for piece in pieces:
                self.wfile.write(piece)

    def do_GET(self) -> None:
        self._begin(405, {"content-length": "0"})

    def bomb(self, message: Message) -> None:
        """A gigabyte compressed to a megabyte."""
        fields = {"content-type": "application/json", "content-encoding": "gzip"}
        self._begin(200, {**fields, "connection": "close"})
        with gzip.GzipFile(fileobj=self.wfile, mode="wb", compresslevel=1) as packed:
            for _ in range(1000):
                packed.write(b" " * 1_000_000)

    def flood(self, message: Message) -> None:
        self._begin(200, {"content-type": "text/event-stream", "connection": "close"})
        while True:
            self.wfile.write(_ENDLESS_EVENTS["flood"])

    def empty_events(self, message: Message) -> None:
        self._begin(200, {"content-type": "text/event-stream", "connection": "close"})
        while True:
            self.wfile.write(_ENDLESS_EVENTS["empty_events"])

    def drip(self, message: Message) -> None:
        self._begin(200, {"content-type": "application/json", "connection": "close"})
        while True:
            self.wfile.write(b" ")
            time.sleep(0.02)

    def duplicates(self, message: Message) -> None:
        self._begin(200, {"content-type": "text/event-stream", "connection": "close"})
        first = _answer(message, RESULTS[message["method"]])
        for data in (first, _answer(message, {"second": True}), first):
            self.wfile.write(b"data: " + data + b"\n\n")

    def _begin(self, status: int, fields: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """No log output."""


_HTTP_ONLY: dict[str, Callable[[Handler, Message], None]] = {
    "bomb": Handler.bomb,
    "flood": Handler.flood,
    "empty_events": Handler.empty_events,
    "drip": Handler.drip,
    "duplicate_id": Handler.duplicates,
}


class SseHandler(Handler):
    """The same over one event stream, which carries all responses."""

    asked: queue.Queue[Message] = queue.Queue()

    def do_GET(self) -> None:
        self._begin(200, {"content-type": "text/event-stream", "connection": "close"})
        self.wfile.write(b"event: endpoint\ndata: /messages\n\n")
        while True:
            self._answer(self.asked.get())

    def do_POST(self) -> None:
        if self.path != "/messages":
            self._begin(405, {"content-length": "0"})
            return
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._begin(202, {"content-length": "0"})
        if "id" in message:
            self.asked.put(message)

    def _answer(self, message: Message) -> None:
        fault = self.hostile.fault
        if fault in _ENDLESS_EVENTS and self.hostile.is_time(message):
            while True:
                self.wfile.write(_ENDLESS_EVENTS[fault])
                time.sleep(0.02 if fault == "drip" else 0)
        if fault == "duplicate_id":
            first = _answer(message, RESULTS[message["method"]])
            self.wfile.write(b"".join(b"data: " + data + b"\n\n" for data in (first, first)))
            return
        for number, piece in enumerate(self.hostile.answer(message)):
            self.wfile.write(piece if number else b"data: " + piece)
        self.wfile.write(b"\n\n")


_ENDLESS_EVENTS = {
    "flood": (b"data: " + _NOTE + b"\n\n") * 1000,
    "empty_events": b"data:\n" * 5_000 + b"\n" * 50_000,
    "drip": b": ",
}


class Listener(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that close the connection are expected."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("fault")
    parser.add_argument("step")
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--sse", action="store_true")
    options = parser.parse_args()
    if not options.http and not options.sse:
        serve_stdio(Hostile(options.fault, options.step))
        return
    Handler.hostile = Hostile(options.fault, options.step)
    server = Listener(("127.0.0.1", 0), SseHandler if options.sse else Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}/mcp", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
