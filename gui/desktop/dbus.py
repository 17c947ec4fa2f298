"""The session D-Bus, where there is one: method calls to one object, and its signals.

Runs on the window's loop: only a handful of small messages pass here. The one module that imports
jeepney, which only Linux has.
"""

# The library has no types; they end here.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from router.runtime.tasks import spawn, stop

_TIMEOUT_S = 5.0
_MAX_PENDING_SIGNALS = 100


class DBusFailed(Exception):
    """There is no bus, it closed, or the service does not support the call."""


CallMethod = Callable[..., Awaitable[tuple[Any, ...]]]
"""Takes a method's name, the signature of its arguments, and the arguments."""
DBusSignal = tuple[str, tuple[Any, ...]]
"""A signal's name and its arguments."""


@asynccontextmanager
async def dbus_object(
    service: str, path: str, on_signal: Callable[[DBusSignal], None]
) -> AsyncGenerator[CallMethod]:
    """Call methods of an object whose interface has the service's name, and receive its signals.
    Raises `DBusFailed`."""
    if sys.platform != "linux":
        raise DBusFailed("no D-Bus here")
    from jeepney import (
        DBusAddress,
        DBusErrorResponse,
        HeaderFields,
        MatchRule,
        Message,
        message_bus,
        new_method_call,
    )
    from jeepney.io.asyncio import Proxy, open_dbus_router
    from jeepney.io.common import RouterClosed
    from jeepney.wrappers import unwrap_msg

    address = DBusAddress(path, service, service)
    wanted = MatchRule(type="signal", sender=service, interface=service, path=path)
    # Signals arrive with the sender's unique name; the bus has matched them already.
    arriving = MatchRule(type="signal", interface=service, path=path)
    # KeyError: no bus address is known. RuntimeError: that address can't be used.
    failures = (OSError, EOFError, KeyError, RuntimeError, DBusErrorResponse, RouterClosed)
    try:
        async with open_dbus_router(bus="SESSION") as bus:

            async def call(method: str, signature: str = "", *values: Any) -> tuple[Any, ...]:
                message = new_method_call(address, method, signature or None, values)
                reply = bus.send_and_get_reply(message)
                return unwrap_msg(await asyncio.wait_for(reply, _TIMEOUT_S))

            async def listen(signals: asyncio.Queue[Message]) -> None:
                while True:
                    signal = await signals.get()
                    on_signal((str(signal.header.fields[HeaderFields.member]), signal.body))

            await asyncio.wait_for(Proxy(message_bus, bus).AddMatch(wanted), _TIMEOUT_S)
            with bus.filter(arriving, bufsize=_MAX_PENDING_SIGNALS) as signals:
                listening = spawn(listen(signals), name="D-Bus signals")
                try:
                    yield call
                finally:
                    await stop(listening)
    except (*failures, TimeoutError) as error:
        raise DBusFailed(str(error)) from error
