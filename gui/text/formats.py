"""Numbers and times for display. Pure functions."""

from __future__ import annotations

from datetime import datetime

from gui.text.tr import tr

_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"
_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400


def grouped(count: int) -> str:
    """Every digit: `48,300`."""
    return f"{count:,}".replace("-", _MINUS)


def short(count: int) -> str:
    """Three digits at most: `640`, `1.2 k`, `2.84 M`."""
    sign, size = (_MINUS if count < 0 else ""), abs(count)
    for unit, name in _UNITS:
        # 999.5 of the smaller unit would round to a four-digit figure.
        if size >= unit * 0.9995:
            return f"{sign}{_three_digits(size / unit, name)}{_SPACE}{name}"
    return f"{sign}{size}"


def duration(milliseconds: float) -> str:
    if milliseconds < 1:
        return f"<{_SPACE}1{_SPACE}ms"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f}{_SPACE}ms"
    seconds = milliseconds / 1000
    if seconds < 59.95:
        return f"{seconds:.1f}{_SPACE}s"
    return f"{seconds / 60:.1f}{_SPACE}min"


def ago(then: datetime, now: datetime) -> str:
    """How long ago, in the largest unit that fits; a clock that ran ahead counts as now."""
    seconds = int((now - then).total_seconds())
    if seconds < _MINUTE_S:
        return tr("just now")
    if seconds < _HOUR_S:
        return tr("%n min ago", "", seconds // _MINUTE_S)
    if seconds < _DAY_S:
        return tr("%n h ago", "", seconds // _HOUR_S)
    return tr("%n d ago", "", seconds // _DAY_S)


def percent_less(now: int, before: int) -> str | None:
    """How much smaller `now` is than `before`; never rounded up to all of it."""
    if before <= 0 or now >= before:
        return None
    share = 100 * (before - now) / before
    return tr("{percent}% less").format(percent=f"{min(share, 99.9):.1f}")


def _three_digits(value: float, unit: str) -> str:
    if value >= 99.95:
        return f"{value:.0f}"
    # Millions change slowly: a second decimal shows the change.
    return f"{value:.2f}" if unit != "k" and value < 9.995 else f"{value:.1f}"
