"""The commands that run until they are stopped: `serve` and `connect`."""

from __future__ import annotations

import argparse
import gc
import json
import logging
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from router.commands.command import Command, option
from router.domain.endpoint import ListenerPhase
from router.domain.errors import ToolboothError

if TYPE_CHECKING:
    import asyncio

    from router.service import Router


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f'"{text}" is not a port from 0 to 65535')
    return int(text)


SERVE = Command(
    "serve",
    "Run Toolbooth without a window.",
    None,
    (option("--port", "PORT", "default: the port in the settings", type=_port),),
    examples=["--port 0 --data-dir /tmp/toolbooth"],
)
CONNECT = Command(
    "connect",
    "Connect an app over stdio, if it can't connect over HTTP.",
    None,
    (option("--profile", "ID", "ID of the app", default="bridge"),),
    examples=["--profile claude-desktop"],
)
COMMANDS = (SERVE, CONNECT)


async def serve(data_dir: Path, port: int | None) -> int:
    """Serve until a signal stops it; programs wait for the one line on stdout."""
    import asyncio

    from router.runtime.garbage_collection import no_collection
    from router.runtime.tasks import spawn, stop

    with no_collection():
        from router.cli.environment_servers import servers_of_environment
        from router.runtime.tracing import redact_logs
        from router.service import Router

    _log_to_stderr()
    stopping = asyncio.Event()
    _on_signals(asyncio.get_running_loop(), stopping)
    router = Router(data_dir, port=port, extra_servers=servers_of_environment(os.environ))
    redact_logs(router.redact)
    try:
        if not await _started(router, stopping):
            return 0
        listener = router.endpoint.state()
        if listener.phase is not ListenerPhase.LISTENING:
            raise ToolboothError(listener.message or "The endpoint could not be opened.")
        print(json.dumps({"event": "listening", "url": listener.url}), flush=True)
        freezing = spawn(_freeze(router), name="freeze what is loaded")
        await stopping.wait()
        await stop(freezing)
    finally:
        await router.stop()
    return 0


async def _started(router: Router, stopping: asyncio.Event) -> bool:
    """Start the router; false if a signal came before it had started."""
    import asyncio

    from router.runtime.tasks import spawn, stop

    starting = spawn(router.start(), name="start", log_failure=False)
    signalled = spawn(stopping.wait(), name="wait for a signal")
    await asyncio.wait([starting, signalled], return_when=asyncio.FIRST_COMPLETED)
    await stop(signalled)
    if not starting.done():
        await stop(starting)
        return False
    await starting
    return True


async def _freeze(router: Router) -> None:
    """What is loaded when the router has started stays: each collection of it would delay every
    client by a tenth of a second."""
    await router.endpoint.loaded()
    gc.freeze()


def _log_to_stderr() -> None:
    from router.runtime.tracing import TraceFormatter

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(TraceFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for library in ("mcp", "uvicorn", "httpx2", "httpcore2"):
        logging.getLogger(library).setLevel(logging.WARNING)


def _on_signals(loop: asyncio.AbstractEventLoop, stopping: asyncio.Event) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stopping.set))
        else:
            loop.add_signal_handler(number, stopping.set)


async def connect(data_dir: Path, profile: str) -> int:
    from router.bridge.command import run

    return await run(data_dir, profile)
