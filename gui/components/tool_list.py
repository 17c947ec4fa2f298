"""The tools of the selected server: filter, and rows of 46 with tick, name, description, tokens.

Made for thousands of tools: the text to search in is prepared once, rows are all of one size, and
the filter applies when typing pauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPointF,
    QRectF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QWidget

from gui.components.attention.tool_review import tool_badge
from gui.text import formats
from gui.widgets import fonts, paint
from gui.widgets.labels import Message
from gui.widgets.layouts import vbox
from gui.widgets.row_view import Index, Row, RowDelegate, RowView, flip
from gui.widgets.search_field import SearchField
from router.domain.ids import ToolKey
from router.domain.permissions import Permission
from router.domain.tool_lists import Approval
from router.domain.tools import ToolView

ROW_HEIGHT = 46
DEBOUNCE_MS = 80
ToolRole = Qt.ItemDataRole.UserRole


class ToolModel(QAbstractListModel):
    """The tools that pass the filter. Ticking one only emits `permitted`."""

    permitted = Signal(object, bool)
    """A `ToolKey`, and whether it may be used."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[ToolView] = []
        self._texts: list[str] = []
        self._shown: list[ToolView] = []
        self._words: list[str] = []

    def set_tools(self, tools: Sequence[ToolView]) -> None:
        same_rows = [tool.key for tool in tools] == [tool.key for tool in self._all]
        self._all = list(tools)
        self._texts = [f"{t.key.tool}\n{t.title}\n{t.description}".casefold() for t in tools]
        if same_rows:
            self._shown = self._passing()
            self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))
        else:
            self._reset()

    def set_text(self, text: str) -> None:
        words = text.casefold().split()
        if words != self._words:
            self._words = words
            self._reset()

    def row_of(self, key: ToolKey) -> int | None:
        return next((i for i, tool in enumerate(self._shown) if tool.key == key), None)

    def rowCount(self, parent: Index | None = None, /) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._shown)

    def flags(self, index: Index, /) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole, /) -> object:
        tool = self._shown[index.row()]
        match role:
            case Qt.ItemDataRole.UserRole:
                return tool
            case Qt.ItemDataRole.DisplayRole:
                return tool.key.shown
            case Qt.ItemDataRole.CheckStateRole:
                return Qt.CheckState.Checked if _permitted(tool) else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.AccessibleTextRole:
                tokens = self.tr("%n tokens", "", tool.context_tokens)
                badge = tool_badge(tool)
                parts = (tool.key.shown, badge[0] if badge else "", tool.description, tokens)
                return ", ".join(part for part in parts if part)
            case _:
                return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole, /) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        tool = self._shown[index.row()]
        self.permitted.emit(tool.key, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def _passing(self) -> list[ToolView]:
        rows: Sequence[int] = range(len(self._all))
        for word in self._words:
            rows = [row for row in rows if word in self._texts[row]]
        return [self._all[row] for row in rows]

    def _reset(self) -> None:
        self.beginResetModel()
        self._shown = self._passing()
        self.endResetModel()


class ToolList(QWidget):
    """Emits `selected` and `permitted` for the tool the user selects or ticks."""

    selected = Signal(object)
    """The `ToolView` now selected, or None."""
    permitted = Signal(object, bool)

    def __init__(self) -> None:
        super().__init__()
        self._wanted: ToolKey | None = None
        self._model = ToolModel(self)
        self._field = SearchField(self.tr("Filter tools"))
        self._view = RowView(self.tr("Tools"), ROW_HEIGHT, self.tr("No matching tools."))
        self._footnote = Message("text3")
        self._footnote.setContentsMargins(12, 0, 12, 6)
        self._view.setItemDelegate(_Delegate(self._view))
        self._view.setModel(self._model)
        self._debounce = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._debounce.timeout.connect(self.apply_filter)
        self._field.textChanged.connect(self._debounce.start)
        self._view.selectionModel().currentChanged.connect(self._emit_selection)
        self._model.permitted.connect(self.permitted)
        field = vbox(self._field, margins=(11, 0, 11, 0))
        vbox(field, self._view, self._footnote, spacing=9, margins=(0, 12, 0, 6), parent=self)

    def set_tools(self, tools: Sequence[ToolView]) -> None:
        """Show these; the selected one stays selected if it is among them, else the first is."""
        self._field.describe(self.tr("Filter %n tools", "", len(tools)))
        self._model.set_tools(tools)
        self._reselect()

    def show_footnote(self, text: str) -> None:
        """Show a note below the list; hidden while empty."""
        self._footnote.show_text(text)

    def current(self) -> ToolView | None:
        index = self._view.currentIndex()
        return tool_at(index) if index.isValid() else None

    def clear_filter(self) -> None:
        self._field.clear()
        self.apply_filter()

    def focus_filter(self) -> None:
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def focus_rows(self) -> None:
        self._view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def view(self) -> QAbstractItemView:
        return self._view

    def apply_filter(self) -> None:
        """Apply the filter now, without the debounce."""
        self._debounce.stop()
        self._model.set_text(self._field.text())
        self._reselect()

    def _reselect(self) -> None:
        row = self._model.row_of(self._wanted) if self._wanted is not None else None
        index = self._model.index(row or 0)
        if index == self._view.currentIndex():
            self._emit_selection(index)
        else:
            self._view.setCurrentIndex(index)

    def _emit_selection(self, current: QModelIndex) -> None:
        tool = tool_at(current) if current.isValid() else None
        if tool is not None:
            self._wanted = tool.key
        self.selected.emit(tool)


class _Delegate(RowDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, /) -> None:
        tool, row = tool_at(index), self.row(option)
        fill = _fill(row)
        paint.draw_row_background(painter, fill, row.selected, row.hovered)
        if row.focused:
            paint.draw_focus_ring(painter, fill, 8)
        paint.draw_checkbox(painter, _tick(fill), _permitted(tool))
        width = _paint_end(painter, fill, tool)
        text = fill.adjusted(36, 4, -11 - width - 10, -4)
        upper, lower = paint.halves(text)
        usable = _permitted(tool) and tool.approval is Approval.APPROVED
        name_color = "text1" if usable else "text3"
        small = fonts.ui_font(fonts.SMALL)
        paint.draw_text(painter, upper, tool.key.shown, fonts.mono_font(), name_color)
        paint.draw_text(painter, lower, tool.description, small, "text2")

    def pressed(self, row: Row, index: Index, at: QPointF) -> bool:
        return _tick(_fill(row)).adjusted(-10, -14, 8, 14).contains(at) and flip(index)


def _paint_end(painter: QPainter, fill: QRectF, tool: ToolView) -> float:
    """Paint the badge at the right of a row, or else the cost; returns its width."""
    badge = tool_badge(tool)
    font = fonts.ui_font(fonts.SMALL) if badge is None else fonts.semibold(fonts.LABEL)
    text = formats.grouped(tool.context_tokens) if badge is None else badge[0]
    width = QFontMetrics(font).horizontalAdvance(text) + (2 if badge is None else 14)
    if badge is None:
        place = QRectF(fill.right() - 11 - width, fill.top(), width, fill.height())
        right = Qt.AlignmentFlag.AlignRight
        paint.draw_text(painter, place, text, font, "text3", right)
    else:
        place = QRectF(fill.right() - 11 - width, fill.center().y() - 9, width, 18)
        paint.draw_pill(painter, place, *badge)
    return width


def tool_at(index: Index) -> ToolView:
    return cast(ToolView, index.data(ToolRole))


def _permitted(tool: ToolView) -> bool:
    return tool.permission is not Permission.DENY


def _fill(row: Row) -> QRectF:
    return row.rect.adjusted(7, 0, -7, -2)


def _tick(fill: QRectF) -> QRectF:
    return QRectF(fill.left() + 10, fill.center().y() - 8, 16, 16)
