"""Opens upstreams: starts a process or connects to a URL, in bounded time.

A URL doesn't tell which HTTP transport it serves. As the specification has it, HTTP+SSE is tried
where streamable HTTP is refused; and the other way round where the configuration says `"sse"`,
because servers change and configurations stay.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from urllib.parse import urlsplit

from router.config.server import ServerConfig
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject
from router.upstream.connection import (
    HTTP_STARTUP_S,
    StreamableHttpConnection,
    UpstreamConnection,
)
from router.upstream.errors import HttpRefused, time_limit
from router.upstream.http.http_client import Credentials
from router.upstream.http.http_sse import HttpSseTransport
from router.upstream.http.streamable_http import StreamableHttpTransport
from router.upstream.limits import LIMITS, UpstreamLimits
from router.upstream.peer import NotificationSink, Transport
from router.upstream.process.stderr_tail import LineSink, resolved_secrets
from router.upstream.process.stdio import ServerCommand, StdioTransport
from router.upstream.process.tracking import THIS_PROCESS, new_mark
from router.upstream.server_requests import SHARED_FEATURES, ClientFeatures

_STDIO_STARTUP_S = 30.0
_OTHER_REASONS = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_MANY_REQUESTS,
)


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """Everything needed to start or reach a server once, with its secrets filled in."""

    config: ServerConfig
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    credentials: Credentials | None = None
    """For a server that needs a sign-in."""
    startup_timeout_s: float | None = None
    """`None`: the default of its transport."""
    owner: str = THIS_PROCESS
    """Marks its processes."""
    expected_version: str = ""
    """The revision of its last connection."""
    input_schema: Callable[[str], JsonObject] = lambda _: {}
    """The input schema of a tool by its name; empty if it is not known."""
    limits: UpstreamLimits = LIMITS


async def open_upstream(
    plan: LaunchPlan,
    *,
    on_notification: NotificationSink,
    on_stderr: LineSink,
    client_features: ClientFeatures = SHARED_FEATURES,
    sse_worked: bool | None = None,
) -> UpstreamConnection:
    """Start or reach the server and open a session with it. `sse_worked`: whether the last
    connection used HTTP+SSE, if there was one. Raises `UpstreamFailed`, and then leaves nothing
    running."""
    connect = partial(_connect, plan, on_notification, client_features)
    if not plan.config.url:
        limit_s = plan.startup_timeout_s or _STDIO_STARTUP_S
        return await connect(None, _process(plan, on_stderr), limit_s)
    sse = plan.config.prefers_sse if sse_worked is None else sse_worked
    limit_s = plan.startup_timeout_s or HTTP_STARTUP_S
    end = time.monotonic() + limit_s
    # Connecting alone has a shorter limit.
    silent = Failure(FailureKind.SILENT, f"{limit_s:g} s", urlsplit(plan.config.url).hostname or "")
    connect = partial(connect, silent)
    try:
        return await connect(await _http_transport(plan, sse), limit_s)
    except HttpRefused as refusal:
        if not _means_other_transport(refusal.status):
            raise
        try:
            return await connect(await _http_transport(plan, not sse), end - time.monotonic())
        except UpstreamFailed as error:
            # The first error says more, unless the other transport was found but is broken.
            broken = error.failure.kind in (FailureKind.BAD_PROTOCOL, FailureKind.SIGN_IN_NEEDED)
            raise (error if broken else refusal) from None


def _means_other_transport(status: int) -> bool:
    """A page instead of a stream, or an error of the client's."""
    refused = status == HTTPStatus.OK or status in range(400, 500)
    return refused and status not in _OTHER_REASONS


async def _connect(
    plan: LaunchPlan,
    on_notification: NotificationSink,
    client_features: ClientFeatures,
    too_late: Failure | None,
    transport: Transport,
    limit_s: float,
) -> UpstreamConnection:
    if isinstance(transport, StreamableHttpTransport):
        connection = StreamableHttpConnection(transport, on_notification, client_features)
    else:
        connection = UpstreamConnection(transport, on_notification, client_features)
    await _open(connection, limit_s, plan.expected_version, too_late)
    return connection


async def _http_transport(plan: LaunchPlan, sse: bool) -> Transport:
    """HTTP+SSE or streamable HTTP to the URL of `plan`."""
    streamable_http = partial(StreamableHttpTransport, input_schema=plan.input_schema)
    kind = partial(HttpSseTransport if sse else streamable_http, limits=plan.limits)
    return await asyncio.to_thread(kind, plan.config.url or "", plan.headers, plan.credentials)


def _process(plan: LaunchPlan, on_stderr: LineSink) -> StdioTransport:
    config, env = plan.config, plan.env
    command = ServerCommand(config.command or "", config.args, env, config.cwd)
    filled = [resolved_secrets(config.env.get(name, ""), value) for name, value in env.items()]
    secrets = itertools.chain(*filled)
    return StdioTransport(
        command,
        on_stderr=on_stderr,
        secrets=secrets,
        limits=plan.limits,
        mark=new_mark(plan.owner),
    )


async def open_process(
    command: ServerCommand,
    *,
    secrets: Iterable[str],
    on_stderr: LineSink,
    startup_timeout_s: float,
    limits: UpstreamLimits = LIMITS,
) -> UpstreamConnection:
    """Start `command` as it is, without a configuration, and open a session with it. Raises
    `UpstreamFailed`, and then leaves nothing running."""
    transport = StdioTransport(command, on_stderr=on_stderr, secrets=secrets, limits=limits)
    # Its lists are read once, so that a change of them doesn't matter.
    connection = UpstreamConnection(transport, lambda _method, _params: None)
    await _open(connection, startup_timeout_s)
    return connection


async def _open(
    connection: UpstreamConnection,
    limit_s: float,
    expected_version: str = "",
    too_late: Failure | None = None,
) -> None:
    try:
        async with time_limit(limit_s, too_late):
            await connection.open(expected_version)
    except BaseException:
        await connection.close()
        raise
