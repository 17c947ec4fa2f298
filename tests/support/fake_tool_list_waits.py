"""A typed fake of the port by which the gateway waits for tool lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from router.domain.errors import UpstreamFailed
from router.domain.ids import ServerRef
from router.upstream.ports import ProgressSink


@dataclass(slots=True)
class FakeToolListWaits:
    """`ToolListWaits` that lists a server at once, or fails, when a request waits for it."""

    list_server: Callable[[ServerRef], None] = lambda _: None
    """Called when a request names this server."""
    settle: Callable[[], None] = lambda: None
    """Called when a request waits a moment for discoveries under way."""
    failure: UpstreamFailed | None = None
    progress: Sequence[float] = ()
    """What a wait reports."""
    waited: list[ServerRef] = field(default_factory=list[ServerRef])
    waited_briefly: int = 0

    async def until_listed(self, ref: ServerRef, on_progress: ProgressSink | None) -> None:
        self.waited.append(ref)
        if self.failure is not None:
            raise self.failure
        if on_progress is not None:
            for value in self.progress:
                await on_progress({"progress": value})
        self.list_server(ref)

    async def briefly(self, refs: Iterable[ServerRef]) -> None:
        self.waited_briefly += 1
        self.settle()
