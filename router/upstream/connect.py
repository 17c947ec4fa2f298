"""Opens upstreams: starts a process or connects to a URL, in bounded time."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from router.config.server import ServerConfig
from router.domain.json_values import JsonObject
from router.upstream.connection import (
    HTTP_STARTUP_S,
    HttpConnection,
    ProcessConnection,
    UpstreamConnection,
)
from router.upstream.errors import failed, timed_out
from router.upstream.http.http_sse import HttpSseTransport
from router.upstream.http.streamable_http import StreamableHttpTransport
from router.upstream.http.transport_choice import (
    HttpTransportType,
    connect_with_fallback,
    transport_order,
)
from router.upstream.oauth.authorized_client import Credentials
from router.upstream.peer import NotificationSink
from router.upstream.process.stderr_tail import LineSink, filled_in
from router.upstream.process.stdio import Command, StdioTransport
from router.upstream.process.tracking import THIS_PROCESS, new_mark
from router.upstream.server_requests import SHARED_FEATURES, ClientFeatures

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
    client_features: ClientFeatures = SHARED_FEATURES,
    expected_version: str = "",
    input_schema: Callable[[str], JsonObject] = lambda _: {},
    http_transport: HttpTransportType | None = None,
) -> UpstreamConnection:
    """Start or reach the server and open a session with it. `env` and `headers` are those of
    `config` with their secrets filled in, `credentials` are for a server that needs a sign-in,
    `owner` marks its processes, `client_features` are those we declare, `expected_version` is the
    revision it had before, `input_schema` gives that of a tool by its name, `http_transport` is the
    one that worked before. Raises `UpstreamFailed`, and then leaves nothing running.
    """
    if config.url:
        reach = partial(
            _reach,
            config.url,
            headers,
            credentials,
            on_notification,
            client_features,
            expected_version,
            input_schema,
        )
        return await connect_with_fallback(
            reach, transport_order(config, http_transport), startup_timeout_s or HTTP_STARTUP_S
        )
    process = _process(config, env, on_stderr, owner)
    connection = ProcessConnection(process, on_notification, client_features)
    await _open(connection, startup_timeout_s or _STDIO_STARTUP_S, expected_version)
    return connection


async def _reach(
    url: str,
    headers: Mapping[str, str],
    credentials: Credentials | None,
    on_notification: NotificationSink,
    client_features: ClientFeatures,
    expected_version: str,
    input_schema: Callable[[str], JsonObject],
    http_transport: HttpTransportType,
    limit_s: float,
) -> UpstreamConnection:
    connection: UpstreamConnection
    if http_transport is HttpTransportType.SSE:
        sse = await asyncio.to_thread(HttpSseTransport, url, headers, credentials)
        connection = UpstreamConnection(sse, on_notification, client_features)
    else:
        transport = partial(
            StreamableHttpTransport, url, headers, credentials, input_schema=input_schema
        )
        http = await asyncio.to_thread(transport)
        connection = HttpConnection(http, on_notification, client_features)
    connection.http_transport = http_transport
    await _open(connection, limit_s, expected_version)
    return connection


def _process(
    config: ServerConfig, env: Mapping[str, str], on_stderr: LineSink, owner: str
) -> StdioTransport:
    command = Command(config.command or "", config.args, env, config.cwd)
    filled = [filled_in(config.env.get(name, ""), value) for name, value in env.items()]
    secrets = itertools.chain(*filled)
    return StdioTransport(command, on_stderr=on_stderr, secrets=secrets, mark=new_mark(owner))


async def open_process(
    command: Command,
    *,
    secrets: Iterable[str],
    on_stderr: LineSink,
    startup_timeout_s: float,
) -> ProcessConnection:
    """Start `command` as it is, without a configuration, and open a session with it. Raises
    `UpstreamFailed`, and then leaves nothing running."""
    transport = StdioTransport(command, on_stderr=on_stderr, secrets=secrets)
    connection = ProcessConnection(transport, _ignore_notification)
    await _open(connection, startup_timeout_s)
    return connection


def _ignore_notification(_method: str, _params: JsonObject) -> None:
    """A list that is read once need not be followed."""


async def _open(connection: UpstreamConnection, limit_s: float, expected_version: str = "") -> None:
    try:
        async with asyncio.timeout(limit_s):
            await connection.open(expected_version)
    except BaseException as error:
        await connection.close()
        if isinstance(error, TimeoutError):
            raise failed(timed_out(limit_s)) from None
        raise
