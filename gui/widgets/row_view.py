"""Shared by the lists: a view of painted rows, and the state of one row for its delegate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from gui.widgets import fonts, paint

Index: TypeAlias = QModelIndex | QPersistentModelIndex
_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One row at the moment it is painted or pressed."""

    rect: QRectF
    selected: bool
    hovered: bool
    focused: bool


class RowView(QTableView):
    """A list of rows of one height, scrolled by pixels. Shows the focus ring to keyboard users.

    A table of one column, because a `QListView` asks the model about every row before it shows
    the first: 30 ms for 5,000 of them.
    """

    def __init__(self, accessible_name: str, row_height: int, empty_text: str) -> None:
        """`empty_text` is shown while there are no rows."""
        super().__init__()
        self._empty_text = empty_text
        self.row_height = row_height
        set_up_rows(self, accessible_name, row_height)
        self.setMouseTracking(True)
        self.horizontalHeader().hide()
        self.horizontalHeader().setStretchLastSection(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.verticalScrollBar().setSingleStep(row_height // 2)
        self.ring_shown = False

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier, /
    ) -> QModelIndex:
        """Home and End go to the first and the last row, as in a list."""
        match action:
            case QAbstractItemView.CursorAction.MoveHome:
                return self.model().index(0, 0)
            case QAbstractItemView.CursorAction.MoveEnd:
                return self.model().index(self.model().rowCount() - 1, 0)
            case _:
                return super().moveCursor(action, modifiers)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        super().paintEvent(event)
        if self.model().rowCount() == 0:
            place = QRectF(0, 0, self.viewport().width(), 2 * self.row_height)
            centered = Qt.AlignmentFlag.AlignHCenter
            painter = QPainter(self.viewport())
            paint.draw_text(painter, place, self._empty_text, fonts.ui_font(), "text3", centered)

    def focusInEvent(self, event: QFocusEvent, /) -> None:
        self.ring_shown = event.reason() in _BY_KEYBOARD
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent, /) -> None:
        self.ring_shown = True
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent, /) -> None:
        self.ring_shown = False
        super().mousePressEvent(event)


def set_up_rows(view: QTableView, accessible_name: str, row_height: int) -> None:
    """Rows of one height, selected one at a time, scrolled by pixels."""
    view.setAccessibleName(accessible_name)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.verticalHeader().setMinimumSectionSize(row_height)
    view.verticalHeader().setDefaultSectionSize(row_height)


class RowDelegate(QStyledItemDelegate):
    """Paints rows of a `RowView`; `pressed` is asked about clicks, Space toggles the check box."""

    def __init__(self, view: RowView) -> None:
        super().__init__(view)
        self._rows = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index, /) -> QSize:
        return QSize(120, self._rows.row_height)

    def row(self, option: QStyleOptionViewItem) -> Row:
        return Row(
            rect=rect_of(option),
            selected=is_selected(option),
            hovered=_has(option, QStyle.StateFlag.State_MouseOver),
            focused=_has(option, QStyle.StateFlag.State_HasFocus) and self._rows.ring_shown,
        )

    def pressed(self, row: Row, index: Index, at: QPointF) -> bool:
        """Whether the click `at` hit something in the row that acts by itself."""
        return False

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
        /,
    ) -> bool:
        if isinstance(event, QKeyEvent):
            return event.key() == Qt.Key.Key_Space and flip(index)
        released = event.type() == QEvent.Type.MouseButtonRelease
        if not released or not isinstance(event, QMouseEvent):
            return False
        if event.button() is not Qt.MouseButton.LeftButton:
            return False
        return self.pressed(self.row(option), index, event.position())

    def pointer(self) -> QPointF:
        """Where the mouse is, in the view's coordinates."""
        viewport = self._rows.viewport()
        return QPointF(viewport.mapFromGlobal(viewport.cursor().pos()))


# The stubs know the fields of an option by name only: hence the casts.


def rect_of(option: QStyleOptionViewItem) -> QRectF:
    return QRectF(cast(Any, option).rect)


def is_selected(option: QStyleOptionViewItem) -> bool:
    return _has(option, QStyle.StateFlag.State_Selected)


def _has(option: QStyleOptionViewItem, flag: QStyle.StateFlag) -> bool:
    return bool(cast(Any, option).state & flag)


def flip(index: Index) -> bool:
    """Ask the model to toggle the row's check box."""
    ticked = Qt.CheckState(index.data(Qt.ItemDataRole.CheckStateRole)) == Qt.CheckState.Checked
    wanted = Qt.CheckState.Unchecked if ticked else Qt.CheckState.Checked
    return index.model().setData(cast(QModelIndex, index), wanted, Qt.ItemDataRole.CheckStateRole)
