"""The endpoint for clients."""

from __future__ import annotations

from typing import Protocol

from router.domain.endpoint import ListenerState


class EndpointPort(Protocol):
    def state(self) -> ListenerState:
        """Whether it listens, and at which URL."""
        ...
