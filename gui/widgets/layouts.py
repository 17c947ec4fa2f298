"""Box layouts written as one expression, and clearing a layout to fill it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

Box = TypeVar("Box", bound=QBoxLayout)
STRETCH: Final = "stretch"
Margins: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom."""
NO_MARGINS: Final[Margins] = (0, 0, 0, 0)
Part: TypeAlias = (
    QWidget
    | QLayout
    | int
    | Literal["stretch"]
    | tuple[QWidget | QLayout, int]
    | tuple[QWidget, int, Qt.AlignmentFlag]
    | None
)
"""A widget or layout, alone or with its stretch factor and alignment; a number is a gap; `None` is
nothing."""


def hbox(
    *parts: Part,
    spacing: int | None = None,
    margins: Margins | None = None,
    parent: QWidget | None = None,
) -> QHBoxLayout:
    """`parts` from left to right. Spacing and margins are Qt's own unless they are given."""
    layout = QHBoxLayout() if parent is None else QHBoxLayout(parent)
    return _filled(layout, parts, spacing, margins)


def vbox(
    *parts: Part,
    spacing: int | None = None,
    margins: Margins | None = None,
    parent: QWidget | None = None,
) -> QVBoxLayout:
    """The same from top to bottom."""
    layout = QVBoxLayout() if parent is None else QVBoxLayout(parent)
    return _filled(layout, parts, spacing, margins)


def _filled(
    layout: Box, parts: Sequence[Part], spacing: int | None, margins: Margins | None
) -> Box:
    if spacing is not None:
        layout.setSpacing(spacing)
    if margins is not None:
        layout.setContentsMargins(*margins)
    for part in parts:
        if part is None:
            continue
        if part == STRETCH:
            layout.addStretch(1)
        elif isinstance(part, int):
            layout.addSpacing(part)
        elif isinstance(part, QWidget):
            layout.addWidget(part)
        elif isinstance(part, QLayout):
            layout.addLayout(part)
        elif len(part) == 3:
            layout.addWidget(*part)
        elif isinstance(part[0], QWidget):
            layout.addWidget(part[0], part[1])
        else:
            layout.addLayout(part[0], part[1])
    return layout


def in_widget(layout: QLayout) -> QWidget:
    """A widget with `layout`, to be hidden, sized or stacked as a whole."""
    widget = QWidget()
    widget.setLayout(layout)
    return widget


def clear(layout: QLayout) -> None:
    """Remove all widgets: hidden at once, deleted in the event loop."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def row_widget(
    *parts: Part, spacing: int = 12, margins: Margins = NO_MARGINS, height: int | None = None
) -> QWidget:
    """`parts` from left to right, as a widget; `height` is fixed."""
    widget = QWidget()
    hbox(*parts, spacing=spacing, margins=margins, parent=widget)
    if height is not None:
        widget.setFixedHeight(height)
    return widget
