"""Detects that the computer is in another network, or has one again: then what could not be reached
is tried again.

The address from which a packet would leave is asked for; no packet is sent. That needs no
notification by the system, so it works everywhere, with or without a desktop.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from router.runtime.tasks import log_and_continue, spawn, stop

log = logging.getLogger(__name__)

TICK_S = 5.0
_PEERS = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Addresses reserved for documentation, which nobody has: only the default route matters."""

LocalAddresses: TypeAlias = frozenset[str]


def local_addresses() -> LocalAddresses:
    """The addresses by which this computer reaches others; none without a network."""
    found = set[str]()
    for family, peer in _PEERS:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((peer, 9))
                found.add(str(probe.getsockname()[0]))
        except OSError:
            continue  # no such network
    return frozenset(found)


@dataclass(slots=True)
class NetworkMonitor:
    on_change: Callable[[], Awaitable[None]]
    """Called once after each change to a network; never for its loss."""
    addresses: Callable[[], LocalAddresses] = local_addresses
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _ticks: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._ticks = spawn(self._tick(), name="network monitor")

    async def close(self) -> None:
        await stop(self._ticks)

    async def _tick(self) -> None:
        before = self.addresses()
        while True:
            await self.sleep(TICK_S)
            now = self.addresses()
            if now - before:
                log.info("In another network")
                with log_and_continue("try again in another network"):
                    await self.on_change()
            before = now
