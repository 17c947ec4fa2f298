"""The router's thread: the router is opened there and stopped within a bound."""

from __future__ import annotations

import asyncio
from queue import Queue
from threading import Event, current_thread
from threading import enumerate as all_threads

import pytest

from gui.link.router_thread import HostedRouter, RouterThread
from router.domain.errors import Conflict, ToolboothError
from tests.support.fakes import FakeHostedRouter
from tests.support.timeouts import WAIT_S


class SlowToStop(FakeHostedRouter):
    """Stops only when it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.release = Event()

    async def stop(self) -> None:
        await asyncio.to_thread(self.release.wait, WAIT_S)


class Host:
    """A router thread whose callbacks arrive in queues."""

    def __init__(self, router: FakeHostedRouter) -> None:
        self.ready: Queue[HostedRouter] = Queue()
        self.failed: Queue[Exception] = Queue()

        async def open_router() -> HostedRouter:
            return router

        self.thread = RouterThread(open_router, on_ready=self.ready.put, on_failed=self.failed.put)
        self.thread.start()


def router_threads() -> list[str]:
    return [thread.name for thread in all_threads() if thread.name == "router"]


@pytest.mark.proves("CARD-1")
def test_the_router_runs_on_its_own_thread_and_ends_with_it() -> None:
    router = FakeHostedRouter()
    host = Host(router)
    assert host.ready.get(timeout=WAIT_S) is router
    assert host.thread.stop(WAIT_S)
    assert router.lifecycle == [("start", "router"), ("stop", "router")]
    assert router_threads() == []


def test_a_submitted_command_runs_on_the_routers_thread() -> None:
    host = Host(FakeHostedRouter())
    host.ready.get(timeout=WAIT_S)

    async def where() -> str:
        return current_thread().name

    assert host.thread.submit(where()).result(WAIT_S) == "router"
    host.thread.stop(WAIT_S)


def test_a_router_that_cannot_start_is_reported_and_cleaned_up() -> None:
    error = Conflict("Another Toolbooth uses this folder.")
    router = FakeHostedRouter(start_error=error)
    host = Host(router)
    assert host.failed.get(timeout=WAIT_S) is error
    assert host.thread.stop(WAIT_S)
    assert [what for what, _ in router.lifecycle] == ["start", "stop"]


def test_stopping_is_bounded_when_the_router_hangs() -> None:
    router = SlowToStop()
    host = Host(router)
    host.ready.get(timeout=WAIT_S)
    assert not host.thread.stop(timeout_s=0.1)
    router.release.set()
    assert host.thread.stop(WAIT_S)


def test_stopping_twice_stops_the_router_once() -> None:
    router = FakeHostedRouter()
    host = Host(router)
    host.ready.get(timeout=WAIT_S)
    assert host.thread.stop(WAIT_S)
    assert host.thread.stop(WAIT_S)
    assert [what for what, _ in router.lifecycle] == ["start", "stop"]


def test_stopping_while_the_router_is_being_opened_gives_up_on_it() -> None:
    opening = Event()

    async def open_for_ever() -> HostedRouter:
        opening.set()
        await asyncio.get_running_loop().create_future()
        raise AssertionError("the future above never ends")

    called_back: list[object] = []
    thread = RouterThread(open_for_ever, on_ready=called_back.append, on_failed=called_back.append)
    thread.start()
    assert opening.wait(WAIT_S)
    assert thread.stop(WAIT_S)
    assert called_back == []


def test_a_command_for_a_stopped_router_is_refused() -> None:
    router = FakeHostedRouter()
    host = Host(router)
    host.ready.get(timeout=WAIT_S)
    host.thread.stop(WAIT_S)
    with pytest.raises(ToolboothError, match="not running"):
        host.thread.submit(router.discovery.refresh(router.workspaces.active()))


def test_commands_in_flight_at_the_end_are_cancelled() -> None:
    host = Host(FakeHostedRouter())
    host.ready.get(timeout=WAIT_S)
    started = Event()

    async def wait_for_ever() -> None:
        started.set()
        await asyncio.get_running_loop().create_future()

    future = host.thread.submit(wait_for_ever())
    assert started.wait(WAIT_S)
    host.thread.stop(WAIT_S)
    assert future.cancelled()
