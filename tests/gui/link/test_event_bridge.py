"""Router events as they reach the window: on its thread, in few batches, only the latest state."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread, current_thread, main_thread
from typing import ClassVar, get_args

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.link.event_bridge import BATCHES_PER_SECOND, MAX_ACTIVITY_PER_BATCH, EventBridge
from router.api.events import (
    ActivityRecorded,
    CatalogChanged,
    Event,
    ListenerStateChanged,
    ServerRemoved,
    ServerStatusChanged,
    TokensChanged,
)
from router.domain.activity import ActivityEntry, ActivityKind, Outcome
from router.domain.endpoint import ListenerPhase, ListenerState
from tests.support.fakes import fake_status
from tests.support.timeouts import WAIT_MS

LISTENING = ListenerStateChanged(ListenerState(ListenerPhase.LISTENING, "http://127.0.0.1:1/mcp"))
STOPPED = ListenerStateChanged(ListenerState(ListenerPhase.STOPPED))


def activity(request_id: str) -> ActivityRecorded:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return ActivityRecorded(
        ActivityEntry(at, request_id, "Cursor", ActivityKind.CALL, Outcome.OK, 1.0)
    )


class Batches(QObject):
    """The batches a bridge delivered, and on which threads."""

    def __init__(self, bridge: EventBridge) -> None:
        super().__init__()
        self.received: list[list[Event]] = []
        self.on_main_thread: list[bool] = []
        bridge.subscribe(self, self._receive)

    def _receive(self, batch: Sequence[Event]) -> None:
        self.received.append(list(batch))
        self.on_main_thread.append(current_thread() is main_thread())


@pytest.fixture
def bridge(qtbot: QtBot) -> Iterator[EventBridge]:
    bridge = EventBridge()
    yield bridge
    bridge.close()


def test_only_the_last_of_several_statuses_of_a_server_arrives(bridge: EventBridge) -> None:
    batches = Batches(bridge)
    for count in range(5):
        bridge.publish(ServerStatusChanged(fake_status("GitHub", tool_count=count)))
    bridge.publish(ServerStatusChanged(fake_status("Slack")))
    bridge.flush()
    assert batches.received == [
        [
            ServerStatusChanged(fake_status("GitHub", tool_count=4)),
            ServerStatusChanged(fake_status("Slack")),
        ]
    ]


def test_a_removal_replaces_the_status_before_it(bridge: EventBridge) -> None:
    batches = Batches(bridge)
    status = fake_status("GitHub")
    bridge.publish(ServerStatusChanged(status))
    bridge.publish(ServerRemoved(status.ref))
    bridge.flush()
    assert batches.received == [[ServerRemoved(status.ref)]]


def test_remaining_events_keep_the_order_of_their_last_change(bridge: EventBridge) -> None:
    batches = Batches(bridge)
    for event in (LISTENING, TokensChanged(), STOPPED):
        bridge.publish(event)
    bridge.flush()
    assert batches.received == [[TokensChanged(), STOPPED]]


def test_every_activity_arrives_up_to_the_newest_of_a_burst(bridge: EventBridge) -> None:
    batches = Batches(bridge)
    published = [activity(str(number)) for number in range(MAX_ACTIVITY_PER_BATCH + 100)]
    for event in published:
        bridge.publish(event)
    bridge.flush()
    assert batches.received == [published[100:]]


@pytest.mark.proves("CARD-1")
def test_events_published_on_another_thread_arrive_on_the_gui_thread(
    bridge: EventBridge, qtbot: QtBot
) -> None:
    batches = Batches(bridge)
    thread = Thread(target=bridge.publish, args=(LISTENING,))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: batches.received == [[LISTENING]], timeout=WAIT_MS)
    assert batches.on_main_thread == [True]


def test_a_burst_from_several_threads_loses_nothing_and_needs_few_batches(
    bridge: EventBridge, qtbot: QtBot
) -> None:
    batches = Batches(bridge)

    def flood(thread_name: str) -> None:
        for number in range(100):
            bridge.publish(activity(f"{thread_name}-{number}"))

    threads = [Thread(target=flood, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    qtbot.waitUntil(lambda: sum(map(len, batches.received)) == 300, timeout=WAIT_MS)
    assert len(batches.received) <= 3


@pytest.mark.proof
def test_a_second_batch_waits_for_the_interval(bridge: EventBridge, qtbot: QtBot) -> None:
    class TimedBatches(Batches):
        at_s: ClassVar[list[float]] = []

        def _receive(self, batch: Sequence[Event]) -> None:
            self.at_s.append(time.monotonic())

    batches = TimedBatches(bridge)
    bridge.publish(LISTENING)
    qtbot.waitUntil(lambda: len(batches.at_s) == 1, timeout=WAIT_MS)
    bridge.publish(STOPPED)
    qtbot.waitUntil(lambda: len(batches.at_s) == 2, timeout=WAIT_MS)
    first, second = batches.at_s
    assert second - first >= 0.9 / BATCHES_PER_SECOND


def test_after_close_nothing_arrives(bridge: EventBridge, qapp: QApplication) -> None:
    batches = Batches(bridge)
    bridge.publish(LISTENING)
    bridge.close()
    bridge.publish(STOPPED)
    bridge.flush()
    qapp.processEvents()
    assert batches.received == []


class Tokens(QObject):
    """Subscribes to one kind of event."""

    def __init__(self, bridge: EventBridge) -> None:
        super().__init__()
        self.count = 0
        bridge.subscribe(self, self._add, TokensChanged)

    def _add(self, events: Sequence[TokensChanged]) -> None:
        self.count += len(events)


def test_a_subscriber_receives_only_the_kinds_it_named(bridge: EventBridge) -> None:
    tokens = Tokens(bridge)
    bridge.publish(LISTENING)
    bridge.flush()
    bridge.publish(STOPPED)
    bridge.publish(TokensChanged())
    bridge.flush()
    assert tokens.count == 1


def test_a_destroyed_owner_receives_nothing_more(bridge: EventBridge) -> None:
    tokens = Tokens(bridge)
    Shiboken.delete(tokens)
    bridge.publish(TokensChanged())
    bridge.flush()
    assert tokens.count == 0


def subscribed_kinds() -> set[str]:
    """The events named in a call of `subscribe` in the window, directly or by an alias."""
    aliases = {"CatalogChanged": {kind.__name__ for kind in get_args(CatalogChanged)}}
    subscribed = set[str]()
    for path in (Path(__file__).parents[3] / "gui").rglob("*.py"):
        tree = ast.parse(path.read_text())
        own = {
            ast.unparse(each.target): names(each.value)
            for each in tree.body
            if isinstance(each, ast.AnnAssign) and each.value is not None
        }
        calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
        for call in calls:
            if ast.unparse(call.func).endswith("bridge.subscribe"):
                for name in (name for arg in call.args for name in names(arg)):
                    subscribed |= own.get(name, {name})
    return subscribed.union(*(aliases[name] for name in aliases.keys() & subscribed))


def names(expression: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def test_every_event_of_the_router_has_a_subscriber() -> None:
    kinds = {kind.__name__ for kind in get_args(Event)}
    assert kinds - subscribed_kinds() == set()
