"""Lines of a server are delivered in order, large ones decoded beside the loop."""

from __future__ import annotations

import asyncio

import pytest

from router.domain.json_values import JsonObject
from router.upstream.limits import LIMITS
from router.upstream.message_decoder import SMALL_MESSAGE_BYTES, InvalidMessage
from router.upstream.process import inbox
from router.upstream.process.inbox import Inbox
from tests.support.timeouts import WAIT_S


class Listener:
    """Records the messages it received, and whether reading is paused."""

    def __init__(self) -> None:
        self.messages: list[JsonObject] = []
        self.done = asyncio.Event()
        self.is_read = True

    def take_message(self, message: JsonObject) -> None:
        self.messages.append(message)

    def take_invalid_line(self, line: bytes, error: InvalidMessage) -> None:
        raise error

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_reading(self) -> None:
        self.is_read = True
        self.done.set()


class StoppedClock:
    """No time passes, so that no line takes too long."""

    @staticmethod
    def monotonic() -> float:
        return 0.0


async def test_a_short_line_is_delivered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "time", StoppedClock)
    monkeypatch.setattr(Inbox, "_shared", inbox.TimeSpent())
    listener = Listener()
    Inbox(listener, LIMITS).put([b'{"id":1}', b"", b'{"id":2}'])
    assert listener.messages == [{"id": 1}, {"id": 2}]
    assert listener.is_read


async def test_a_large_line_keeps_its_order() -> None:
    listener = Listener()
    large = b'{"text":"%b"}' % (b"x" * SMALL_MESSAGE_BYTES)
    Inbox(listener, LIMITS).put([b'{"id":1}', large, b'{"id":2}'])
    assert not listener.is_read
    async with asyncio.timeout(WAIT_S):
        await listener.done.wait()
    assert [message.get("id") for message in listener.messages] == [1, None, 2]
