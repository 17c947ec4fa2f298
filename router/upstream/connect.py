"""Opening upstreams: starts or reaches a server by its configuration, in bounded time."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from router.config.server import ServerConfig
from router.domain.json_values import JsonObject
from router.upstream.connection import (
    HTTP_STARTUP_S,
    Connection,
    HttpConnection,
    ProcessConnection,
)
from router.upstream.errors import failed, timed_out
from router.upstream.http.http_sse import SseLink
from router.upstream.http.streamable_http import HttpLink
from router.upstream.http.transport_choice import Way, by_any_way, ways_to
from router.upstream.oauth.authorized_client import Credentials
from router.upstream.peer import NotificationSink
from router.upstream.process.stderr_tail import LineSink, resolved_secrets
from router.upstream.process.stdio import Command, StdioLink
from router.upstream.process.tracking import THIS_PROCESS, new_mark
from router.upstream.server_requests import EVERYBODY, Audience

_STDIO_STARTUP_S = 30.0


async def open_upstream(
    config: ServerConfig,
    *,
    env: Mapping[str, str],
    headers: Mapping[str, str],
    credentials: Credentials | None = None,
    on_notification: NotificationSink,
    on_stderr: LineSink,
    startup_timeout_s: float | None = None,
    owner: str = THIS_PROCESS,
    audience: Audience = EVERYBODY,
    expected_version: str = "",
    input_schema: Callable[[str], JsonObject] = lambda _: {},
    way: Way | None = None,
) -> Connection:
    """Start or reach the server and open a session with it. `env` and `headers` are those of
    `config` with their secrets filled in, `credentials` are for a server that wants a sign-in,
    `owner` is whose mark its processes get, `audience` is for whom it is opened,
    `expected_version` is the revision it spoke before, `input_schema` that of a tool by its name,
    `way` the one by which it was reached before. Raises `UpstreamFailed`, and then leaves nothing.
    """
    if config.url:
        reach = partial(
            _reach,
            config.url,
            headers,
            credentials,
            on_notification,
            audience,
            expected_version,
            input_schema,
        )
        return await by_any_way(reach, ways_to(config, way), startup_timeout_s or HTTP_STARTUP_S)
    process = _process(config, env, on_stderr, owner)
    connection = ProcessConnection(process, on_notification, audience)
    await _open(connection, startup_timeout_s or _STDIO_STARTUP_S, expected_version)
    return connection


async def _reach(
    url: str,
    headers: Mapping[str, str],
    credentials: Credentials | None,
    on_notification: NotificationSink,
    audience: Audience,
    expected_version: str,
    input_schema: Callable[[str], JsonObject],
    way: Way,
    limit_s: float,
) -> Connection:
    connection: Connection
    if way is Way.SSE:
        sse = await asyncio.to_thread(SseLink, url, headers, credentials)
        connection = Connection(sse, on_notification, audience)
    else:
        link = partial(HttpLink, url, headers, credentials, input_schema=input_schema)
        http = await asyncio.to_thread(link)
        connection = HttpConnection(http, on_notification, audience)
    connection.way = way
    await _open(connection, limit_s, expected_version)
    return connection


def _process(
    config: ServerConfig, env: Mapping[str, str], on_stderr: LineSink, owner: str
) -> StdioLink:
    command = Command(config.command or "", config.args, env, config.cwd)
    filled = [resolved_secrets(config.env.get(name, ""), value) for name, value in env.items()]
    secrets = itertools.chain(*filled)
    return StdioLink(command, on_stderr=on_stderr, secrets=secrets, mark=new_mark(owner))


async def open_process(
    command: Command,
    *,
    secrets: Iterable[str],
    on_stderr: LineSink,
    startup_timeout_s: float,
) -> ProcessConnection:
    """Start `command` as it is and open a session with it: for who knows better than a
    configuration what to run. Raises `UpstreamFailed`, and then leaves nothing."""
    link = StdioLink(command, on_stderr=on_stderr, secrets=secrets)
    connection = ProcessConnection(link, _ignore_notification)
    await _open(connection, startup_timeout_s)
    return connection


def _ignore_notification(_method: str, _params: JsonObject) -> None:
    """Who only reads a list once needs not know that it changes."""


async def _open(connection: Connection, limit_s: float, expected_version: str = "") -> None:
    try:
        async with asyncio.timeout(limit_s):
            await connection.open(expected_version)
    except BaseException as error:
        await connection.close()
        if isinstance(error, TimeoutError):
            raise failed(timed_out(limit_s)) from None
        raise
