"""Where a command runs: in the running instance, or on the files if there is none."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from router.cli.confirmation import confirm_at_terminal
from router.cli.foreground import CONNECT, SERVE, connect, serve
from router.commands.command import CONFIRMED, NEEDS_CONFIRMATION, Invocation, Send
from router.commands.output import print_to_stderr
from router.domain.json_values import JsonObject, as_object
from router.runtime.local_ipc import send, socket_address
from router.store.instance_lock import describe

_CHECKS = 5
_STARTS_WITHIN_S = 10.0
_CHECK_AGAIN_S = 0.1


def execute(call: Invocation, data_dir: Path) -> Any:
    """The result of a command; the exit code of one that runs in the foreground."""
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        if call.command is SERVE:
            return runner.run(serve(data_dir, call.arguments["port"]))
        _silence_log()
        if call.command is CONNECT:
            return runner.run(connect(data_dir, call.arguments["profile"]))
        return runner.run(_execute(call, data_dir))


async def _execute(call: Invocation, data_dir: Path) -> Any:
    async with _instance(data_dir) as send_to_instance:
        return await call.run(_confirming(send_to_instance))


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


@asynccontextmanager
async def _instance(data_dir: Path) -> AsyncGenerator[Send]:
    """The running instance, or a router of our own on the files."""
    if await _is_running(data_dir):
        yield functools.partial(send, socket_address(data_dir), retry_for_s=_STARTS_WITHIN_S)
        return
    from router.commands.registry import dispatch
    from router.service import Router  # takes most of a second: only where it is needed

    router = Router(data_dir)

    async def dispatch_here(name: str, arguments: JsonObject) -> Any:
        """As JSON, like the arguments that a running instance gets."""
        return await dispatch(router, name, json.loads(json.dumps(arguments)))

    try:
        await router.open()
        yield dispatch_here
    finally:
        await router.stop()


async def _is_running(data_dir: Path) -> bool:
    """Whether an instance owns the directory. Another command that checks this holds the lock for a
    moment, so a holder that is not an instance is checked again."""
    for _ in range(_CHECKS):
        instance = describe(data_dir)
        if instance is None or instance.is_alive:
            return instance is not None
        await asyncio.sleep(_CHECK_AGAIN_S)
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
