"""A private D-Bus for a test: the daemon, and a connection that sends and answers calls.

The daemon activates no services: only what a test registers is on the bus.
"""

# The library has no types; they end here.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    Properties,
    message_bus,
    new_error,
    new_method_call,
    new_method_return,
    new_signal,
)
from jeepney.io.asyncio import DBusConnection, open_dbus_connection

from router.runtime.tasks import spawn, stop
from tests.support.timeouts import WAIT_S

_CONFIG = """\
<busconfig>
  <type>session</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""

Answer = tuple[str, tuple[Any, ...]]
Handler = Callable[[str, tuple[Any, ...]], Answer | None]
"""Takes a method's name and arguments; gives signature and values, or None for an error."""


class BusError(Exception):
    """The error reply of the peer."""


@contextmanager
def bus_daemon(folder: Path) -> Generator[str]:
    """The address of a bus that runs as long as the context."""
    config = folder / "bus.conf"
    config.write_text(_CONFIG.format(path=folder / "bus"))
    command = ["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address"]
    # It warns about resource limits when not run as root, or as root in a container.
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, text=True) as daemon:
        try:
            assert daemon.stdout is not None
            yield daemon.stdout.readline().strip()
        finally:
            daemon.terminate()


class Connection:
    """One peer on the bus."""

    def __init__(self, wire: DBusConnection) -> None:
        self._wire = wire
        self._asked: dict[int, asyncio.Future[Message]] = {}
        self._handlers: dict[tuple[str, str], Handler] = {}
        self._signals: list[tuple[str, asyncio.Queue[tuple[Any, ...]]]] = []
        self.name = str(wire.unique_name)

    def serve(self, path: str, interface: str, handler: Handler) -> None:
        """Answer calls of the methods of `interface` at `path`."""
        self._handlers[path, interface] = handler

    async def request_name(self, name: str) -> None:
        await self._ask(message_bus.RequestName(name))

    async def release_name(self, name: str) -> None:
        await self._ask(message_bus.ReleaseName(name))

    async def call(
        self, service: str, path: str, method: str, signature: str = "", *values: Any
    ) -> tuple[Any, ...]:
        """The result of `method`, which is named with its interface."""
        interface, _, member = method.rpartition(".")
        address = DBusAddress(path, service, interface)
        return await self._ask(new_method_call(address, member, signature or None, values))

    async def get(self, service: str, path: str, name: str) -> Any:
        """A property, named with its interface."""
        interface, _, member = name.rpartition(".")
        [(_, value)] = await self._ask(
            Properties(DBusAddress(path, service, interface)).get(member)
        )
        return value

    async def emit_signal(self, path: str, signal: str, signature: str, *values: Any) -> None:
        interface, _, member = signal.rpartition(".")
        message = new_signal(DBusAddress(path, interface=interface), member, signature, values)
        await self._wire.send(message)

    async def listen(self, *signals: str) -> asyncio.Queue[tuple[Any, ...]]:
        """The signals in `signals`, named with their interfaces, from now on."""
        queue: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
        for signal in signals:
            interface, _, member = signal.rpartition(".")
            self._signals.append((signal, queue))
            rule = MatchRule(type="signal", interface=interface, member=member)
            await self._ask(message_bus.AddMatch(rule))
        return queue

    async def run(self) -> None:
        while True:
            message = await self._wire.receive()
            fields = message.header.fields
            if message.header.message_type is MessageType.signal:
                named = f"{fields[HeaderFields.interface]}.{fields[HeaderFields.member]}"
                for signal, queue in self._signals:
                    if signal == named:
                        queue.put_nowait(message.body)
            elif HeaderFields.reply_serial in fields:
                self._asked.pop(fields[HeaderFields.reply_serial]).set_result(message)
            else:
                await self._wire.send(self._answered(message))

    async def _ask(self, message: Message) -> tuple[Any, ...]:
        serial = next(self._wire.outgoing_serial)
        reply = asyncio.get_running_loop().create_future()
        self._asked[serial] = reply
        await self._wire.send(message, serial=serial)
        answer: Message = await asyncio.wait_for(reply, WAIT_S)
        if answer.header.message_type is MessageType.error:
            raise BusError(answer.header.fields[HeaderFields.error_name], *answer.body)
        return answer.body

    def _answered(self, call: Message) -> Message:
        fields = call.header.fields
        place = (fields[HeaderFields.path], fields[HeaderFields.interface])
        handler = self._handlers.get(place)
        answer = handler(fields[HeaderFields.member], call.body) if handler else None
        if answer is None:
            return new_error(call, "org.freedesktop.DBus.Error.UnknownMethod")
        signature, values = answer
        return new_method_return(call, signature or None, values)


@asynccontextmanager
async def connection(address: str) -> AsyncGenerator[Connection]:
    wire = await open_dbus_connection(address)
    async with wire:
        peer = Connection(wire)
        running = spawn(peer.run(), name="a peer on the bus")
        try:
            yield peer
        finally:
            await stop(running)
