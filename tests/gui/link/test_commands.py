"""Commands of a widget to the router: run on another loop, answered on its thread, cancelled with
the owner."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from threading import Event, Thread, current_thread, main_thread
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.link.commands import Commands
from router.domain.errors import NotFound, ToolboothError
from tests.support.timeouts import WAIT_MS

T = TypeVar("T")


class OtherLoop:
    """A loop on its own thread, like the router's."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever)
        self._thread.start()

    def submit(self, coro: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(coro, self._loop)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture
def other_loop() -> Iterator[OtherLoop]:
    loop = OtherLoop()
    yield loop
    loop.close()


@pytest.fixture
def owner(gui_loop: object) -> QObject:
    return QObject()


async def answer(value: T) -> T:
    return value


async def fail(error: Exception) -> None:
    raise error


@pytest.mark.proves("CARD-1")
def test_the_result_is_delivered_on_the_gui_thread(
    owner: QObject, other_loop: OtherLoop, qtbot: QtBot
) -> None:
    results: list[tuple[bool, bool]] = []

    async def ran_elsewhere() -> bool:
        return current_thread() is not main_thread()

    Commands(other_loop.submit).run(
        owner,
        ran_elsewhere(),
        on_done=lambda elsewhere: results.append((elsewhere, current_thread() is main_thread())),
    )
    qtbot.waitUntil(lambda: results == [(True, True)], timeout=WAIT_MS)


def test_an_error_goes_to_the_requesting_widget(
    owner: QObject, other_loop: OtherLoop, qtbot: QtBot
) -> None:
    errors: list[ToolboothError] = []
    error = NotFound("There is no such server.")
    Commands(other_loop.submit).run(owner, fail(error), on_error=errors.append)
    qtbot.waitUntil(lambda: errors == [error], timeout=WAIT_MS)


def test_an_error_without_a_handler_is_shown(
    owner: QObject, other_loop: OtherLoop, qtbot: QtBot
) -> None:
    shown: list[tuple[QObject, ToolboothError]] = []
    error = NotFound("There is no such server.")
    commands = Commands(
        other_loop.submit, show_error=lambda requester, errors: shown.append((requester, errors))
    )
    commands.run(owner, fail(error))
    qtbot.waitUntil(lambda: shown == [(owner, error)], timeout=WAIT_MS)


@pytest.mark.parametrize("has_handler", [True, False])
def test_an_unexpected_error_is_logged_and_passed_to_the_handler_or_shown(
    has_handler: bool,
    owner: QObject,
    other_loop: OtherLoop,
    qtbot: QtBot,
    caplog: pytest.LogCaptureFixture,
) -> None:
    shown: list[ToolboothError] = []
    errors: list[ToolboothError] = []
    commands = Commands(other_loop.submit, show_error=lambda _, error: shown.append(error))
    on_error = errors.append if has_handler else None
    commands.run(owner, fail(ZeroDivisionError("by zero")), on_error=on_error)
    received, others = (errors, shown) if has_handler else (shown, errors)
    qtbot.waitUntil(lambda: len(received) == 1, timeout=WAIT_MS)
    assert "ZeroDivisionError: by zero" in received[0].message
    assert others == []
    assert caplog.records[0].levelno == logging.ERROR


def test_a_dead_owner_cancels_and_is_not_called_back(
    owner: QObject, other_loop: OtherLoop, qtbot: QtBot
) -> None:
    started, cancelled = Event(), Event()
    called_back: list[object] = []

    async def wait_for_ever() -> None:
        started.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            cancelled.set()

    commands = Commands(other_loop.submit)
    commands.run(owner, wait_for_ever(), on_done=called_back.append, on_error=called_back.append)
    qtbot.waitUntil(started.is_set, timeout=WAIT_MS)
    Shiboken.delete(owner)
    qtbot.waitUntil(cancelled.is_set, timeout=WAIT_MS)
    assert called_back == []


def test_an_owner_that_dies_at_once_is_not_called_back(
    owner: QObject, other_loop: OtherLoop, qtbot: QtBot
) -> None:
    called_back: list[object] = []
    commands, survivor = Commands(other_loop.submit), QObject()
    commands.run(owner, answer(1), on_done=called_back.append)
    Shiboken.delete(owner)
    commands.run(survivor, answer(2), on_done=called_back.append)
    qtbot.waitUntil(lambda: bool(called_back), timeout=WAIT_MS)
    assert called_back == [2]


def test_a_command_given_before_the_router_is_ready_waits_for_it(
    owner: QObject, other_loop: OtherLoop, qtbot: QtBot
) -> None:
    results: list[int] = []
    commands, gone = Commands(), QObject()
    commands.run(owner, answer(1), on_done=results.append)
    commands.run(gone, answer(2), on_done=results.append)
    Shiboken.delete(gone)
    assert results == []
    commands.attach(other_loop.submit)
    qtbot.waitUntil(lambda: results == [1], timeout=WAIT_MS)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_stopped_router_refuses_with_a_message(owner: QObject, when: str) -> None:
    errors: list[str] = []
    commands = Commands()

    def ask() -> None:
        commands.run(owner, answer(1), on_error=lambda error: errors.append(error.message))

    steps: list[Callable[[], None]] = [ask, commands.detach]
    for step in steps if when == "before" else reversed(steps):
        step()
    assert errors == ["The router is stopped."]


def test_a_command_interrupted_by_shutdown_says_so(owner: QObject, qtbot: QtBot) -> None:
    errors: list[str] = []
    pending: Future[Any] = Future()

    def submit(coro: Coroutine[Any, Any, Any]) -> Future[Any]:
        coro.close()
        return pending

    Commands(submit).run(owner, answer(1), on_error=lambda error: errors.append(error.message))
    pending.cancel()
    qtbot.waitUntil(lambda: errors == ["The router is stopped."], timeout=WAIT_MS)
