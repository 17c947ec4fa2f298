"""The router's thread, with its own asyncio loop, so that neither side can block the other.

Imports neither Qt nor the router: the caller passes a factory, which runs on this thread, so the
window opens while the router's libraries are still loading. The callbacks run on this thread too.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, Protocol, TypeVar

from router.api.router import RouterPort
from router.domain.errors import ToolboothError

T = TypeVar("T")
log = logging.getLogger(__name__)


class HostedRouter(RouterPort, Protocol):
    """A router that can be started; `stop` must be safe after a failed or cancelled `start`."""

    async def start(self) -> None: ...
    async def stop(self) -> None: ...


class RouterThread:
    """Opens a router, keeps it running, stops it. Not reusable."""

    def __init__(
        self,
        open_router: Callable[[], Awaitable[HostedRouter]],
        *,
        on_ready: Callable[[HostedRouter], object],
        on_failed: Callable[[Exception], object],
    ) -> None:
        self._open_router = open_router
        self._on_ready = on_ready
        self._on_failed = on_failed
        self._thread = Thread(target=self._run, name="router", daemon=True)
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._life: asyncio.Task[None] | None = None
        self._stopping = False

    def start(self) -> None:
        # Python's 5 ms would show as stutter: each thread waits that long for the GIL, and
        # painting releases it with every call into Qt.
        sys.setswitchinterval(0.0002)
        self._thread.start()

    def submit(self, coro: Coroutine[Any, Any, T]) -> Future[T]:
        """Run `coro` on the router's loop. Any thread."""
        with self._lock:
            if self._loop is not None and not self._stopping:
                return asyncio.run_coroutine_threadsafe(coro, self._loop)
        coro.close()
        raise ToolboothError("The router is not running.")

    def stop(self, timeout_s: float) -> bool:
        """Stop the router and join the thread; False if that took longer than `timeout_s`."""
        with self._lock:
            # Cancelled once only: a second time would interrupt the router's own stopping.
            if not self._stopping and self._loop is not None and self._life is not None:
                self._loop.call_soon_threadsafe(self._life.cancel)
            self._stopping = True
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        if self._thread.is_alive():
            log.error("The router did not stop within %g s", timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(self._live())

    async def _live(self) -> None:
        with self._lock:
            self._loop = asyncio.get_running_loop()
            self._life = asyncio.current_task()
            if self._stopping:
                return
        router: HostedRouter | None = None
        try:
            router = await self._open_router()
            await router.start()
            self._on_ready(router)
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            log.info("Stopping the router")
        except Exception as error:
            log.exception("The router failed to start")
            self._on_failed(error)
        finally:
            with self._lock:
                self._loop = None
            if router is not None:
                await router.stop()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where there is one, which is everywhere but on Windows."""
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop
