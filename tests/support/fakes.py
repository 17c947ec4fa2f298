"""Typed fakes of the ports; prefer them to mocks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import current_thread
from typing import Any, TypeVar

from router.api.events import Event
from router.domain.errors import SecretUnavailable, ToolboothError
from router.domain.ids import ServerId, WorkspaceId
from router.domain.names import slug
from router.domain.servers import DiscoveryStatus, ServerState, ServerStatus, TransportType
from tests.support.fake_activity import FakeActivity
from tests.support.fake_apps import FakeApps
from tests.support.fake_confirmations import FakeConfirmations
from tests.support.fake_projects import FakeProjects
from tests.support.fake_scripts import FakeScripts
from tests.support.fake_search import FakeSearch
from tests.support.fake_servers import FakeDiscovery, FakeServers, FakeSignIns
from tests.support.fake_state import FakeContext, RouterState
from tests.support.fake_state import SentCommand as SentCommand
from tests.support.fake_tokens import FakeTokens
from tests.support.fake_tools import FakePermissions, FakeTools
from tests.support.fake_workspaces import FakeEndpoint, FakeSettings, FakeWorkspaces

T = TypeVar("T")


class FakeRouter:
    """`RouterPort` without a router: answers from `state`, records each command in `commands`.

    Commands that select (settings, workspace, project options) also change `state` and publish it;
    the others are only recorded. A command named in `failures` raises that error instead.
    """

    def __init__(self, state: RouterState | None = None) -> None:
        context = FakeContext(state or RouterState())
        self.state = context.state
        self.commands = context.commands
        self.failures = context.failures
        self.emit = context.emit
        self._record = context.record
        self._consumers = context.consumers
        self.activity = FakeActivity(context)
        self.apps = FakeApps(context)
        self.confirmations = FakeConfirmations(context)
        self.discovery = FakeDiscovery(context)
        self.endpoint = FakeEndpoint(context)
        self.permissions = FakePermissions(context)
        self.projects = FakeProjects(context)
        self.scripts = FakeScripts(context)
        self.search = FakeSearch()
        self.servers = FakeServers(context)
        self.settings = FakeSettings(context)
        self.sign_ins = FakeSignIns(context)
        self.tokens = FakeTokens(context)
        self.tools = FakeTools(context)
        self.workspaces = FakeWorkspaces(context)

    def subscribe(self, consumer: Callable[[Event], None]) -> Callable[[], None]:
        self._consumers.append(consumer)
        return lambda: self._consumers.remove(consumer)

    def request_window(self, words: Sequence[str]) -> bool:
        self._record("request_window", tuple(words))
        return True


class FakeHostedRouter(FakeRouter):
    """A `FakeRouter` with a life cycle: records starts and stops, and on which thread."""

    def __init__(self, start_error: Exception | None = None) -> None:
        super().__init__()
        self.lifecycle: list[tuple[str, str]] = []
        self._start_error = start_error

    async def start(self) -> None:
        self.lifecycle.append(("start", current_thread().name))
        if self._start_error is not None:
            raise self._start_error

    async def stop(self) -> None:
        self.lifecycle.append(("stop", current_thread().name))


def run_now(coro: Coroutine[Any, Any, T]) -> Future[T]:
    """A router's loop that finishes each command at once."""
    future: Future[T] = Future()
    try:
        coro.send(None)
    except StopIteration as end:
        future.set_result(end.value)
    except ToolboothError as error:
        future.set_exception(error)
    return future


def run_aside(coro: Coroutine[Any, Any, T]) -> Future[T]:
    """A router's loop, for a command that needs one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coro)


def fake_status(name: str, **changes: Any) -> ServerStatus:
    """A ready stdio server of the workspace `personal`, with `changes` to its fields."""
    ready = ServerStatus(
        workspace=WorkspaceId("personal"),
        id=ServerId(slug(name)),
        name=name,
        transport=TransportType.STDIO,
        target=f"npx {slug(name)}",
        enabled=True,
        state=ServerState.READY,
        discovery=DiscoveryStatus.SUCCESS,
        step=None,
        tool_count=3,
        listed_at=datetime(2026, 1, 1, tzinfo=UTC),
        failure=None,
    )
    return replace(ready, **changes)


class FakeClock:
    """A clock that stands still until it is advanced."""

    def __init__(self, now: datetime = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta) -> None:
        self.now += by


class FakeSecrets:
    """`SecretStore` in memory, with public contents."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    async def get(self, name: str) -> str:
        if name not in self.values:
            raise SecretUnavailable(f"There is no secret named {name}.")
        return self.values[name]

    async def set(self, name: str, value: str) -> None:
        self.values[name] = value

    async def delete(self, name: str) -> None:
        self.values.pop(name, None)
