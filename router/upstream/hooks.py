"""What the pool and its connections are given: callbacks, the clock, and random numbers."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from router.domain.failures import Failure
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.servers import ServerState
from router.upstream.connect import LaunchPlan
from router.upstream.ports import SessionId
from router.upstream.run_options import RunOptions


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock and the randomness of pauses, which tests replace."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random


DEFAULT_TIMING = Timing()


@dataclass(slots=True)
class UpstreamHooks:
    """What upstreams call, on the loop. Only `launch` may raise."""

    launch: Callable[[ServerRef, str | None], Awaitable[LaunchPlan]]
    """Called at every start, so that secrets are resolved only then, with the folder of the client
    if the server works there. Raises `UpstreamFailed` for a server that may not run."""
    publish_state: Callable[[ServerRef, ServerState, Failure | None], None]
    on_notification: Callable[[ServerRef, str, JsonObject], None]
    on_resource_updated: Callable[[ServerRef, SessionId | None, JsonObject], None] = (
        lambda _ref, _session, _params: None
    )
    """With the session if only that one uses the upstream; the endpoint sets it."""
    on_stderr: Callable[[ServerRef, str], None] = lambda _ref, _line: None
    on_given_up: Callable[[ServerRef, Failure], None] = lambda _ref, _failure: None
    """Called once when a server failed too often to be started again without a request."""
    run_options: Callable[[ServerRef], RunOptions] = lambda _: RunOptions()
