"""Another network is noticed once; the loss of one is not one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from router.service.network_monitor import LocalAddresses, NetworkMonitor, local_addresses
from tests.support.timeouts import WAIT_S

HOME, WORK, NONE = frozenset({"192.168.0.7"}), frozenset({"10.1.1.7"}), frozenset[str]()


class FakeNetwork:
    """The addresses that each tick finds."""

    def __init__(self, found: Sequence[LocalAddresses]) -> None:
        self._found = list(found)
        self.changes = 0
        self.over = asyncio.Event()

    def addresses(self) -> LocalAddresses:
        return self._found.pop(0)

    async def sleep(self, _: float) -> None:
        if not self._found:
            self.over.set()
            await asyncio.get_running_loop().create_future()

    async def changed(self) -> None:
        self.changes += 1


@pytest.mark.proves("REG-2")
@pytest.mark.parametrize(
    ("found", "changes"),
    [
        ([HOME, HOME, HOME], 0),
        ([HOME, WORK, WORK], 1),
        ([HOME, NONE, NONE], 0),
        ([HOME, NONE, HOME], 1),
        ([NONE, HOME, HOME | WORK], 2),
    ],
)
async def test_each_change_to_a_network_is_noticed_once(
    found: list[LocalAddresses], changes: int
) -> None:
    network = FakeNetwork(found)
    monitor = NetworkMonitor(network.changed, network.addresses, network.sleep)
    monitor.start()
    await asyncio.wait_for(network.over.wait(), WAIT_S)
    await monitor.close()
    assert network.changes == changes


def test_the_addresses_of_this_computer_are_addresses() -> None:
    assert all("." in address or ":" in address for address in local_addresses())
