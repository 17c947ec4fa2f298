"""Tooltips as plain text. Qt shows one as HTML if it looks like HTML, and then loads its images,
but most of what we show was written by servers and clients."""

from __future__ import annotations

from html import escape
from typing import Protocol


class _HasTooltip(Protocol):
    def setToolTip(self, text: str, /) -> object: ...


def set_tooltip(owner: _HasTooltip, text: str) -> None:
    owner.setToolTip(plain_tooltip(text))


def plain_tooltip(text: str) -> str:
    """What Qt shows as exactly `text`; for `Qt.ItemDataRole.ToolTipRole` too."""
    return text if "<" not in text else f'<p style="white-space:pre-wrap">{escape(text)}</p>'


def without_markup(text: str) -> str:
    """`text` for the system's tray and its messages: whether those read HTML is not known."""
    return text.replace("<", "‹")
