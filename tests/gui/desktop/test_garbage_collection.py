"""Python's garbage is collected on the GUI thread, at moments that delay nobody."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Generator
from threading import Thread, current_thread

import pytest
from pytestqt.qtbot import QtBot

from gui.desktop import garbage_collection
from gui.desktop.garbage_collection import GarbageCollector
from gui.widgets.search_field import SearchField


class ReferenceCycle:
    """A reference cycle, so that only a collection destroys it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collector(qtbot: QtBot) -> Generator[GarbageCollector]:
    made = GarbageCollector()
    made.collect()  # objects from startup
    yield made
    made.close()
    gc.unfreeze()


def destroyed_on(cycle: ReferenceCycle) -> list[str]:
    """The names of the threads on which it was destroyed: one, as soon as it is."""
    ends: list[str] = []
    weakref.finalize(cycle, lambda: ends.append(current_thread().name))
    return ends


def create_many() -> list[list[int]]:
    return [[number] for number in range(20_000)]


def look(collector: GarbageCollector) -> None:
    kept = create_many()
    collector.collect()
    del kept


def test_garbage_of_another_thread_is_collected_on_the_gui_thread(
    collector: GarbageCollector,
) -> None:
    ends: list[str] = []

    def create_garbage() -> None:
        weakref.finalize(ReferenceCycle(), lambda: ends.append(current_thread().name))
        create_many()

    thread = Thread(target=create_garbage, name="router")
    thread.start()
    thread.join()
    assert ends == []
    look(collector)
    assert ends == ["MainThread"]


def test_objects_from_startup_are_frozen(qtbot: QtBot) -> None:
    kept = create_many()
    collector = GarbageCollector()
    before = gc.get_freeze_count()
    collector.collect()
    assert gc.get_freeze_count() - before >= len(kept)
    collector.close()
    gc.unfreeze()


def test_the_oldest_generation_is_collected_now_and_then(
    collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage_collection, "_is_window_active", lambda: False)
    cycle = ReferenceCycle()
    ends = destroyed_on(cycle)
    look(collector)  # from now on it is in the oldest generation
    del cycle
    look(collector)
    assert ends == []
    for _ in range(100):
        look(collector)
    assert ends == ["MainThread"]


def test_the_oldest_generation_waits_while_the_window_is_in_use(
    collector: GarbageCollector, qtbot: QtBot
) -> None:
    window = SearchField("Filter")
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    cycle = ReferenceCycle()
    ends = destroyed_on(cycle)
    look(collector)
    del cycle
    for _ in range(150):
        look(collector)
    assert ends == []


def test_automatic_collection_is_restored_at_the_end(qtbot: QtBot) -> None:
    collector = GarbageCollector()
    assert not gc.isenabled()
    collector.close()
    assert gc.isenabled()
