"""The marks, tones and badges that the window shows. No widgets."""

from __future__ import annotations

from enum import StrEnum

from gui.text.tr import tr
from router.domain.endpoint import ListenerPhase
from router.domain.tools import Effect


class Mark(StrEnum):
    """The shape beside a server: disc, turning arc, triangle, crossed circle, ring."""

    READY = "ready"
    WORKING = "working"
    ATTENTION = "attention"
    FAILED = "failed"
    OFF = "off"


class Tone(StrEnum):
    """The colour of a pill or a text."""

    OK = "ok"
    WARN = "warn"
    ERR = "err"
    ACCENT = "accent"
    NEUTRAL = "neutral"
    SAVINGS = "savings"
    SOLID = "solid"


def effect_badge(effect: Effect) -> tuple[str, Tone] | None:
    return {
        Effect.READS: (tr("Read-only"), Tone.OK),
        Effect.WRITES: (tr("Writes data"), Tone.WARN),
        Effect.DESTRUCTIVE: (tr("Destructive"), Tone.ERR),
        Effect.UNKNOWN: None,
    }[effect]


def listener_text(phase: ListenerPhase) -> tuple[str, Mark]:
    return {
        ListenerPhase.STARTING: (tr("Router starting…"), Mark.WORKING),
        ListenerPhase.LISTENING: (tr("Router running"), Mark.READY),
        ListenerPhase.STOPPED: (tr("Router stopped"), Mark.OFF),
        ListenerPhase.FAILED: (tr("Router not running"), Mark.FAILED),
    }[phase]
