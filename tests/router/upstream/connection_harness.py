"""How the tests of this folder open connections, call tools and record notifications."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import pytest

from router.config.server import ServerConfig
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure
from router.domain.json_values import JsonObject
from router.upstream.connect import LaunchPlan, open_upstream
from router.upstream.connection import UpstreamConnection
from router.upstream.ports import CallOptions
from tests.support.timeouts import WAIT_S

Open: TypeAlias = Callable[..., Awaitable[UpstreamConnection]]


class ServerOutput:
    """What a server sent besides responses."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.anything = asyncio.Event()
        self.notifications: list[tuple[str, JsonObject]] = []

    def line(self, line: str) -> None:
        self.lines.append(line)
        self.anything.set()

    def notification(self, method: str, params: JsonObject) -> None:
        self.notifications.append((method, params))
        self.anything.set()


async def open_config(
    config: ServerConfig,
    output: ServerOutput,
    startup_timeout_s: float | None = WAIT_S,
    *,
    env: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    expected_version: str = "",
) -> UpstreamConnection:
    plan = LaunchPlan(
        config,
        env=config.env if env is None else env,
        headers=config.headers if headers is None else headers,
        startup_timeout_s=startup_timeout_s,
        expected_version=expected_version,
    )
    return await open_upstream(plan, on_notification=output.notification, on_stderr=output.line)


async def call(
    connection: UpstreamConnection, tool: str, timeout_s: float = WAIT_S, **arguments: Any
) -> Any:
    params = {"name": tool, "arguments": arguments}
    return await connection.request("tools/call", params, CallOptions(timeout_s))


async def content_of(connection: UpstreamConnection, tool: str, **arguments: Any) -> Any:
    return (await call(connection, tool, **arguments))["structuredContent"]


async def failure_of(coroutine: Awaitable[Any]) -> Failure:
    with pytest.raises(UpstreamFailed) as caught:
        await coroutine
    return caught.value.failure
