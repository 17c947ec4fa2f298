"""The state of the HTTP listener."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ListenerPhase(StrEnum):
    STARTING = "starting"
    LISTENING = "listening"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ListenerState:
    phase: ListenerPhase
    url: str | None = None
    message: str | None = None
