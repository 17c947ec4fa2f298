"""Where a command runs: in the running instance, or on the files if there is none."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from router.cli.confirmation import confirm_at_terminal
from router.cli.foreground import CONNECT, SERVE, connect, serve
from router.commands.command import CONFIRMED, NEEDS_CONFIRMATION, Invocation, Send
from router.commands.output import print_to_stderr
from router.domain.json_values import JsonObject, as_object
from router.runtime.garbage_collection import no_collection
from router.runtime.local_ipc import send, socket_address
from router.store.instance_lock import describe

_CHECKS = 5
_STARTS_WITHIN_S = 10.0
_CHECK_AGAIN_S = 0.1


def execute(call: Invocation, data_dir: Path) -> Any:
    """The result of a command; the exit code of one that runs in the foreground."""
    if call.command is SERVE:
        return _run(serve(data_dir, call.arguments["port"]))
    _silence_log()
    if call.command is CONNECT:
        return _run(connect(data_dir, call.arguments["profile"]))
    if _is_running(data_dir):
        # asyncio's own loop: loading uvloop would take longer than this one request.
        instance = functools.partial(send, socket_address(data_dir), retry_for_s=_STARTS_WITHIN_S)
        return asyncio.run(call.run(_confirming(instance)))
    return _run(_on_files(call, data_dir))


def _run(main: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        return runner.run(main)


def _confirming(send_to_instance: Send) -> Send:
    """Confirms a command at the terminal, or has it confirmed in the window, where it must be."""

    async def confirming(name: str, arguments: JsonObject) -> Any:
        result = await send_to_instance(name, arguments)
        needed = as_object(as_object(result).get(NEEDS_CONFIRMATION))
        if not needed:
            return result
        if needed["inWindow"]:
            print_to_stderr(["Confirm this command in Toolbooth's window."])
        else:
            confirm_at_terminal(needed["command"])
        return await send_to_instance(name, {**arguments, CONFIRMED: True})

    return confirming


async def _on_files(call: Invocation, data_dir: Path) -> Any:
    """Run a command in a router of our own on the files."""
    with no_collection():  # takes half a second: only where it is needed
        from router.commands.registry import dispatch
        from router.service import Router

    router = Router(data_dir)

    async def dispatch_here(name: str, arguments: JsonObject) -> Any:
        """As JSON, like the arguments that a running instance gets."""
        return await dispatch(router, name, json.loads(json.dumps(arguments)))

    try:
        await router.open()
        return await call.run(_confirming(dispatch_here))
    finally:
        await router.stop()


def _is_running(data_dir: Path) -> bool:
    """Whether an instance owns the directory. Another command that checks this holds the lock for a
    moment, so a holder that is not an instance is checked again."""
    for _ in range(_CHECKS):
        instance = describe(data_dir)
        if instance is None or instance.is_alive:
            return instance is not None
        time.sleep(_CHECK_AGAIN_S)
    return False


def _silence_log() -> None:
    """Only `serve` has a log; elsewhere Python would print warnings among the output."""
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())


def _new_loop() -> asyncio.AbstractEventLoop:
    """uvloop where there is one; on Windows asyncio's own."""
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()
