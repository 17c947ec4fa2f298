"""Delivers events to their consumers."""

from __future__ import annotations

import logging
from collections.abc import Callable

from router.api.events import Event

log = logging.getLogger(__name__)


class EventPublisher:
    def __init__(self) -> None:
        self._consumers: tuple[Callable[[Event], None], ...] = ()

    def subscribe(self, consumer: Callable[[Event], None]) -> Callable[[], None]:
        self._consumers = (*self._consumers, consumer)

        def unsubscribe() -> None:
            self._consumers = tuple(c for c in self._consumers if c is not consumer)

        return unsubscribe

    def publish(self, event: Event) -> None:
        for consumer in self._consumers:
            try:
                consumer(event)
            except Exception:
                # A consumer must not be able to break a client's request.
                log.exception("A consumer of events failed at %s", type(event).__name__)
