"""Start-up and shutdown: if a step fails, the others are undone and the data directory is free."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from router.runtime.local_ipc import LocalServer
from router.runtime.shutdown import Shutdown
from router.runtime.tasks import spawn
from router.service import Router
from router.service.activity import Activity
from router.service.config_watcher import ConfigWatcher
from router.service.endpoint import Endpoint
from router.service.scripts import Scripts
from router.service.search import SearchService
from router.service.upstream_manager import UpstreamManager
from router.service.workspace_editor import WorkspaceEditor
from router.store.config_store import ConfigStore
from router.store.instance_lock import InstanceLock, describe
from tests.support.timeouts import WAIT_S

STEPS = (
    "stop the endpoint",
    "close local IPC",
    "stop watching the files",
    "end the script workers",
    "stop building indexes",
    "write the usage history",
    "stop the search thread",
    "stop the network monitor",
    "stop the sleep monitor",
    "stop following list changes",
    "end sign-ins",
    "stop discovering due tool lists",
    "cancel discovery",
    "stop vetting",
    "close the upstreams",
    "write when tokens were last used",
    "write what could not be written",
    "close the activity log",
    "release the instance lock",
)
STARTS = (
    (InstanceLock, "acquire"),
    (UpstreamManager, "kill_leftovers"),
    (ConfigStore, "load"),
    (Activity, "open"),
    (WorkspaceEditor, "reconcile"),
    (SearchService, "open"),
    (Scripts, "reload"),
    (Endpoint, "start"),
    (InstanceLock, "update"),
    (ConfigWatcher, "start"),
    (UpstreamManager, "start_serving"),
)


class Broken(Exception):
    """The exception with which a test makes a step fail."""


Undo = Callable[[], Awaitable[object] | None]


class Steps:
    """The steps of a shutdown in order; `broken` does its work and then fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, broken: str = "") -> None:
        self.added: list[str] = []
        self.done: list[str] = []
        self._broken = broken
        add = Shutdown.add

        def watched(stack: Shutdown, what: str, undo: Undo) -> None:
            self.added.append(what)
            add(stack, what, lambda: self._run(what, undo))

        monkeypatch.setattr(Shutdown, "add", watched)

    async def _run(self, what: str, undo: Undo) -> None:
        if (ended := undo()) is not None:
            await ended
        self.done.append(what)
        if what == self._broken:
            raise Broken(what)


async def test_everything_stops_in_reverse_order_of_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(monkeypatch)
    router = Router(tmp_path, port=0)
    await router.start()
    await router.stop()
    await router.stop()
    assert tuple(steps.done) == STEPS == tuple(reversed(steps.added))


@pytest.mark.parametrize("broken", STEPS)
async def test_a_step_that_fails_is_logged_and_skips_no_other(
    broken: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    steps = Steps(monkeypatch, broken)
    router = Router(tmp_path, port=0)
    await router.start()
    await router.stop()
    assert tuple(steps.done) == STEPS
    assert [r.getMessage() for r in caplog.records if r.exc_info] == [
        f"Shutdown: failed to {broken}"
    ]
    assert describe(tmp_path) is None


@pytest.mark.parametrize(
    ("owner", "step"), STARTS, ids=[f"{owner.__name__}.{step}" for owner, step in STARTS]
)
async def test_a_start_that_fails_undoes_what_was_started(
    owner: type[Any], step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise Broken(step)

    steps = Steps(monkeypatch)
    with monkeypatch.context() as broken:
        broken.setattr(owner, step, fail)
        router = Router(tmp_path, port=0)
        with pytest.raises(Broken):
            await router.start()
    assert steps.done == list(reversed(steps.added))
    assert describe(tmp_path) is None
    again = Router(tmp_path, port=0)
    await again.start()
    await again.stop()


async def test_a_start_that_is_cancelled_undoes_what_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listening = asyncio.Event()

    async def never(*_: object) -> None:
        listening.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(LocalServer, "start", never)
    router = Router(tmp_path, port=0)
    starting = spawn(router.start(), name="start")
    async with asyncio.timeout(WAIT_S):
        await listening.wait()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert describe(tmp_path) is None
    assert router.endpoint.state().url is None


async def test_a_step_that_takes_too_long_is_abandoned(
    caplog: pytest.LogCaptureFixture,
) -> None:
    done: list[str] = []
    stack = Shutdown(step_timeout_s=0.01)
    stack.add("release the lock", lambda: done.append("lock"))
    stack.add("wait for ever", asyncio.Event().wait)
    stack.add("close", lambda: done.append("closed"))
    await stack.run()
    assert done == ["closed", "lock"]
    assert "it took too long to wait for ever" in caplog.text


async def test_a_shutdown_that_is_cancelled_still_does_every_step() -> None:
    done: list[str] = []
    waiting = asyncio.Event()

    async def wait() -> None:
        waiting.set()
        await asyncio.Event().wait()

    stack = Shutdown()
    stack.add("release the lock", lambda: done.append("lock"))
    stack.add("wait", wait)
    ending = spawn(stack.run(), name="shutdown")
    await waiting.wait()
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert done == ["lock"]
