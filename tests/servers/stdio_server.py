"""A small MCP server over stdio that can also misbehave. Plain Python, no SDK, no threads.

Run it with `python stdio_server.py [OPTIONS]`; see `_options`. Its tools are in `TOOLS`. Anything
sent to it besides requests, and each start, can be recorded to a file with `--record`.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

MODERN = "2026-07-28"
SLEEPER = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
MEMORY_HOG = (
    "import sys, time; taken = b'x' * (int(sys.argv[1]) << 20); print(flush=True); time.sleep(600)"
)

TOOLS: dict[str, str] = {
    "echo": "Answer with the arguments, in content and structuredContent.",
    "raw": "Answer with `result` as it is given.",
    "fail": "Answer with the JSON-RPC error given as `error`.",
    "progress": "Report `steps` steps of progress, then answer.",
    "slow": "Never answer; a cancellation is recorded.",
    "reverse": "Answer `size` of these calls together, the last one first.",
    "crash": "Exit with `code` without answering, saying `words` on stderr.",
    "leave": "Answer, then exit with `code`.",
    "huge_line": "Write a line of `size` bytes that never ends in time.",
    "large_answer": "Answer with a text of `size` characters.",
    "garbage": "Write lines that are no messages, answers nobody asked for, then answer.",
    "broken_text": "Answer with a byte that is no UTF-8.",
    "spawn": "Start a child that ignores SIGTERM; answers with its pid.",
    "daemon": "Leave a process behind in a session of its own, by two forks; answers with its pid.",
    "stop_reading": "Read nothing more from stdin.",
    "notify": "Send the notification `method`, then answer.",
    "ask": "Send the client the request `method`; its answer is recorded. Then answer.",
    "grow": "Take `megabytes` more memory, in a child process, then answer with its pid.",
    "harden": "From now on ignore SIGTERM and closed stdin.",
    "env": "Answer with this process's environment, folder and pid.",
}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--version", default="2025-11-25", help="revision to answer initialize with"
    )
    parser.add_argument("--modern-only", action="store_true", help="speak 2026-07-28 only")
    parser.add_argument("--banner", action="store_true", help="greet on stdout before all else")
    parser.add_argument("--noise", type=int, default=0, help="lines to write to stderr at start")
    parser.add_argument("--exit-at-start", type=int, help="exit with this code at once")
    parser.add_argument("--deaf-to", help="never answer requests of this method")
    parser.add_argument("--silent", action="store_true", help="never answer anything")
    parser.add_argument("--refuse", help="answer initialize with an error of these words")
    parser.add_argument("--stubborn", action="store_true", help="ignore SIGTERM and closed stdin")
    parser.add_argument("--page-size", type=int, default=0, help="tools per page; 0 for all")
    parser.add_argument(
        "--tools", type=int, default=0, help="extra tools named extra_0, extra_1..."
    )
    parser.add_argument("--hold", type=Path, help="a pipe; each list waits for a byte from it")
    parser.add_argument("--circular", action="store_true", help="the cursor never ends")
    parser.add_argument("--child", action="store_true", help="start a child at once; see `spawn`")
    parser.add_argument("--record", type=Path, help="append what happens to this file, JSON lines")
    return parser.parse_args()


class Server:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.waiting: list[Any] = []

    def record(self, event: str, value: Any = None) -> None:
        if self.options.record is not None:
            # In a sandbox it may not be writable.
            with suppress(OSError), self.options.record.open("a") as file:
                file.write(json.dumps({"event": event, "value": value}) + "\n")

    def write(self, message: Any) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    def answer(self, request_id: Any, result: Any) -> None:
        if self.options.modern_only:
            info = {"io.modelcontextprotocol/serverInfo": {"name": "stdio-test", "version": "1"}}
            meta = {**result.get("_meta", {}), **info}
            result = {"resultType": "complete", **result, "_meta": meta}
        self.write({"jsonrpc": "2.0", "id": request_id, "result": result})

    def refuse(self, request_id: Any, code: int, message: str, data: Any = None) -> None:
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        self.write({"jsonrpc": "2.0", "id": request_id, "error": error})

    def take(self, message: dict[str, Any]) -> None:
        method, request_id = message.get("method"), message.get("id")
        params = message.get("params", {})
        if method is None or request_id is None:
            self.record(method or "answer", message)
        elif not self.options.silent and method != self.options.deaf_to:
            self.take_request(method, request_id, params)

    def take_request(self, method: str, request_id: Any, params: dict[str, Any]) -> None:
        modern = "io.modelcontextprotocol/protocolVersion" in params.get("_meta", {})
        if self.options.modern_only and not modern:
            self.record("refused", method)
            supported = {"supported": [MODERN], "requested": params.get("protocolVersion")}
            self.refuse(request_id, -32022, "Unsupported protocol version", supported)
            return
        match method:
            case "initialize" if self.options.refuse:
                self.refuse(request_id, -32603, self.options.refuse)
            case "initialize":
                self.answer(request_id, {"protocolVersion": self.options.version, **about()})
            case "server/discover" if self.options.modern_only:
                self.answer(request_id, {"supportedVersions": [MODERN], **about()})
            case "tools/list":
                if self.options.hold is not None:
                    os.read(os.open(self.options.hold, os.O_RDONLY), 1)
                self.answer(request_id, self.page(params.get("cursor")))
            case "tools/call":
                self.call(request_id, params)
            case "ping":
                self.answer(request_id, {})
            case _:
                self.refuse(request_id, -32601, f"Method not found: {method}")

    def page(self, cursor: str | None) -> dict[str, Any]:
        names = [*TOOLS, *(f"extra_{i}" for i in range(self.options.tools))]
        tools = [_tool(name) for name in names]
        start = int(cursor or 0)
        end = start + (self.options.page_size or len(tools))
        following = 0 if self.options.circular else end
        more = self.options.circular or end < len(tools)
        return {"tools": tools[start:end]} | ({"nextCursor": str(following)} if more else {})

    def call(self, request_id: Any, params: dict[str, Any]) -> None:
        name, arguments = params.get("name", ""), params.get("arguments", {})
        tool: Callable[..., None] | None = getattr(self, f"tool_{name}", None)
        if tool is None:
            self.refuse(request_id, -32602, f"Unknown tool: {name}")
            return
        if name == "progress":
            arguments = {**arguments, "token": params.get("_meta", {}).get("progressToken")}
        tool(request_id, **arguments)

    def tool_echo(self, request_id: Any, **arguments: Any) -> None:
        text = {"type": "text", "text": json.dumps(arguments)}
        self.answer(request_id, {"content": [text], "structuredContent": arguments})

    def tool_raw(self, request_id: Any, result: Any) -> None:
        self.answer(request_id, result)

    def tool_fail(self, request_id: Any, error: Any) -> None:
        self.write({"jsonrpc": "2.0", "id": request_id, "error": error})

    def tool_progress(self, request_id: Any, steps: int, token: Any) -> None:
        for step in range(1, steps + 1):
            params = {
                "progressToken": token,
                "progress": step,
                "total": steps,
                "x-note": f"#{step}",
            }
            self.write({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        self.tool_echo(request_id, token=token)

    def tool_slow(self, request_id: Any) -> None:
        self.record("slow", request_id)

    def tool_reverse(self, request_id: Any, size: int, value: Any) -> None:
        self.waiting.append((request_id, value))
        if len(self.waiting) == size:
            for waiting_id, waiting_value in reversed(self.waiting):
                self.tool_echo(waiting_id, value=waiting_value)
            self.waiting.clear()

    def tool_crash(self, request_id: Any, code: int, words: str = "") -> None:
        sys.stderr.write(words)
        sys.stderr.flush()
        os._exit(code)

    def tool_leave(self, request_id: Any, code: int = 0) -> None:
        self.tool_echo(request_id)
        os._exit(code)

    def tool_huge_line(self, request_id: Any, size: int) -> None:
        chunk = b"x" * 65536
        for _ in range(size // len(chunk)):
            os.write(1, chunk)

    def tool_large_answer(self, request_id: Any, size: int) -> None:
        self.write({"jsonrpc": "2.0", "result": {"content": "x" * size}, "id": request_id})

    def tool_garbage(self, request_id: Any) -> None:
        sys.stdout.write("no json\n\n[1]\n42\n{\n" + "[" * 5000 + "\n" + "9" * 5000 + "\n")
        for wrong_id in (999_999, str(request_id), None, True, [request_id], request_id + 0.5):
            self.write({"jsonrpc": "2.0", "id": wrong_id, "result": {"wrong": True}})
        self.write({"jsonrpc": "2.0"})
        self.tool_echo(request_id, right=True)
        self.write({"jsonrpc": "2.0", "id": request_id, "result": {"twice": True}})

    def tool_broken_text(self, request_id: Any) -> None:
        line = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"text":"a\xffb"}}\n' % request_id
        os.write(1, line)

    def tool_spawn(self, request_id: Any, own_session: bool = False) -> None:
        self.tool_echo(request_id, pid=_start_child(own_session))

    def tool_daemon(self, request_id: Any) -> None:
        self.tool_echo(request_id, pid=_start_daemon())

    def tool_grow(self, request_id: Any, megabytes: int) -> None:
        command = [sys.executable, "-c", MEMORY_HOG, str(megabytes)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        self.tool_echo(request_id, pid=child.pid)

    def tool_stop_reading(self, request_id: Any) -> None:
        self.tool_echo(request_id)
        time.sleep(600)

    def tool_notify(self, request_id: Any, method: str) -> None:
        self.write({"jsonrpc": "2.0", "method": method, "params": {"a": 1}})
        self.tool_echo(request_id)

    def tool_ask(self, request_id: Any, method: str) -> None:
        self.write({"jsonrpc": "2.0", "id": "asked", "method": method})
        self.tool_echo(request_id)

    def tool_harden(self, request_id: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.options.stubborn = True
        self.tool_echo(request_id, pid=os.getpid())

    def tool_env(self, request_id: Any) -> None:
        self.tool_echo(request_id, env=dict(os.environ), cwd=str(Path.cwd()), pid=os.getpid())


def about() -> dict[str, Any]:
    return {
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": "stdio-test", "version": "1"},
        "instructions": "Test me.",
    }


def _tool(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": TOOLS.get(name, "One more."),
        "inputSchema": {"type": "object"},
        "x-unknown": {"kept": None},
    }


def _start_child(own_session: bool = False) -> int:
    command = [sys.executable, "-c", SLEEPER]
    return subprocess.Popen(command, start_new_session=own_session).pid


def _start_daemon() -> int:
    """It holds our pipes, ignores SIGTERM, and neither its parent nor its session leads to us."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(writing, str(os.getpid()).encode())
            time.sleep(600)
        os._exit(0)
    os.waitpid(child, 0)
    pid = int(os.read(reading, 20))
    os.close(reading)
    os.close(writing)
    return pid


def _run(server: Server) -> None:
    for line in sys.stdin.buffer:
        server.take(json.loads(line))


def main() -> None:
    options = _options()
    server = Server(options)
    server.record("started", os.getpid())
    if options.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if options.banner:
        sys.stdout.write("Welcome to the test server!\nIt listens on stdin.\n")
    for number in range(options.noise):
        sys.stderr.write(f"noise {number}\n")
    sys.stderr.flush()
    if options.child:
        server.record("child", _start_child())
    if options.exit_at_start is not None:
        sys.exit(options.exit_at_start)
    _run(server)
    server.record("stdin closed")
    if options.stubborn:
        time.sleep(600)


if __name__ == "__main__":
    main()
