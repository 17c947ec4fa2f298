"""A typed fake of `ports.Upstreams`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from router.domain.errors import NotFound
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.upstream.ports import NO_OPTIONS, CallOptions, SessionId, Upstream


@dataclass(slots=True)
class FakeUpstreams:
    """`ports.Upstreams` that answers every call by `answer` and records its requests."""

    answer: Callable[[ServerRef, str, JsonObject], JsonObject]
    asked: list[tuple[ServerRef, str, JsonObject]] = field(default_factory=list[Any])
    options: list[CallOptions] = field(default_factory=list[Any])

    async def request(
        self,
        ref: ServerRef,
        method: str,
        params: JsonObject | None = None,
        options: CallOptions = NO_OPTIONS,
    ) -> JsonObject:
        self.asked.append((ref, method, params or {}))
        self.options.append(options)
        if options.on_progress is not None:
            await options.on_progress({"progress": 1, "total": 2})
        return self.answer(ref, method, params or {})

    def borrow(self, ref: ServerRef) -> AbstractAsyncContextManager[Upstream]:
        raise NotFound(f"There is no upstream to borrow for {ref.server}.")

    async def disconnect(self, ref: ServerRef) -> None: ...

    async def unsubscribe(self, ref: ServerRef, uri: str) -> None: ...

    async def end_session(self, session: SessionId) -> None: ...

    async def close(self) -> None: ...
