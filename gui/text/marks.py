"""The marks, tones and badges that the window shows. No widgets."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

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
    match effect:
        case Effect.READS:
            return tr("reads data"), Tone.OK
        case Effect.WRITES:
            return tr("writes data"), Tone.WARN
        case Effect.DESTRUCTIVE:
            return tr("destructive"), Tone.ERR
        case Effect.UNKNOWN:
            return None
        case _:
            assert_never(effect)


def listener_text(phase: ListenerPhase) -> tuple[str, Mark]:
    match phase:
        case ListenerPhase.STARTING:
            return tr("Router starting…"), Mark.WORKING
        case ListenerPhase.LISTENING:
            return tr("Router running"), Mark.READY
        case ListenerPhase.STOPPED:
            return tr("Router stopped"), Mark.OFF
        case ListenerPhase.FAILED:
            return tr("Router not running"), Mark.FAILED
        case _:
            assert_never(phase)
