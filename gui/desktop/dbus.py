"""The desktop's own bus (D-Bus), where there is one: asking other programs, hearing what they tell.

Runs on the window's loop: what passes here is a handful of small messages. The one place that
imports the library, which Linux alone has.
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

from router.tasks import spawn, stop

_ANSWERS_WITHIN_S = 5.0
_MOST_WAITING = 100


class BusFailed(Exception):
    """There is no bus, it went away, or nobody there does what was asked."""


Ask = Callable[..., Awaitable[tuple[Any, ...]]]
"""Takes a method's name, the signature of its arguments, and these."""
Told = tuple[str, tuple[Any, ...]]
"""A signal's name, and what it brings."""


@asynccontextmanager
async def talking_to(service: str, path: str, hear: Callable[[Told], None]) -> AsyncGenerator[Ask]:
    """Ask one object of the session's bus, whose interface has the service's name, and hear its
    signals. Raises `BusFailed`."""
    if sys.platform != "linux":
        raise BusFailed("no D-Bus here")
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
    # Signals arrive with the sender's other name, and only such as the bus has matched already.
    arriving = MatchRule(type="signal", interface=service, path=path)
    # KeyError: no address of a bus is known. RuntimeError: that address can't be used.
    troubles = (OSError, EOFError, KeyError, RuntimeError, DBusErrorResponse, RouterClosed)
    try:
        async with open_dbus_router(bus="SESSION") as bus:

            async def ask(method: str, signature: str = "", *values: Any) -> tuple[Any, ...]:
                call = new_method_call(address, method, signature or None, values)
                reply = bus.send_and_get_reply(call)
                return unwrap_msg(await asyncio.wait_for(reply, _ANSWERS_WITHIN_S))

            async def listen(signals: asyncio.Queue[Message]) -> None:
                while True:
                    signal = await signals.get()
                    hear((str(signal.header.fields[HeaderFields.member]), signal.body))

            await asyncio.wait_for(Proxy(message_bus, bus).AddMatch(wanted), _ANSWERS_WITHIN_S)
            with bus.filter(arriving, bufsize=_MOST_WAITING) as signals:
                listening = spawn(listen(signals), name="hear the desktop")
                try:
                    yield ask
                finally:
                    await stop(listening)
    except (*troubles, TimeoutError) as error:
        raise BusFailed(str(error)) from error
