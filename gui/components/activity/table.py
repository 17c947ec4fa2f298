"""The table of activity: rows of 29, painted; used by the card and by the page."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.components.activity.model import ActivityModel, Column, alignment, row_at
from gui.text.activity_row import ActivityRow
from gui.text.marks import Tone
from gui.widgets import fonts, icons, paint
from gui.widgets.labels import label
from gui.widgets.palette import Token
from gui.widgets.row_view import Index, is_selected, rect_of, set_up_rows
from gui.widgets.theme import theme

_ROW_HEIGHT = 29
_EDGE = 15
_WIDTHS = {
    Column.TIME: 91,
    Column.APP: 130,
    Column.KIND: 68,
    Column.DURATION: 92,
    Column.TOKENS: 76,
    Column.OUTCOME: 48,
}
_OUTCOME_ICONS = {Tone.OK: "circle-check", Tone.ERR: "circle-x", Tone.NEUTRAL: "circle"}


def activity_table(model: ActivityModel, accessible_name: str) -> QTableView:
    view = QTableView()
    set_up_rows(view, accessible_name, _ROW_HEIGHT)
    view.setModel(model)
    view.setItemDelegate(_Delegate(view))
    view.setFrameShape(QTableView.Shape.NoFrame)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    header = _Header(view)
    view.setHorizontalHeader(header)
    header.setHighlightSections(False)
    header.setSectionsClickable(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    header.setSectionResizeMode(Column.WHAT, QHeaderView.ResizeMode.Stretch)
    for column, width in _WIDTHS.items():
        view.setColumnWidth(column, width)
    return view


class ActivityView(QStackedWidget):
    """The table, or a text while it has no rows."""

    def __init__(self, model: ActivityModel, accessible_name: str, nothing: str) -> None:
        super().__init__()
        self._model = model
        self.table = activity_table(model, accessible_name)
        self.addWidget(self.table)
        placeholder = label(nothing, tint="text3")
        placeholder.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.addWidget(placeholder)
        for signal in (model.modelReset, model.rowsInserted):
            signal.connect(self._show)
        self._show()

    def _show(self) -> None:
        self.setCurrentIndex(0 if self._model.rowCount() else 1)


class _Header(QHeaderView):
    """The headings, with the line under them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setFixedHeight(27)

    def paintSection(self, painter: QPainter, rect: QRect, section: int, /) -> None:
        palette, cell = theme().palette, QRectF(rect)
        line = QRectF(cell.left(), cell.bottom() - 1, cell.width(), 1)
        painter.fillRect(line, palette.color("border"))
        text = str(self.model().headerData(section, Qt.Orientation.Horizontal) or "")
        font = fonts.semibold(fonts.LABEL)
        paint.draw_text(painter, _inner(cell, section), text, font, "text3", alignment(section))


def _inner(cell: QRectF, column: int) -> QRectF:
    """The first column keeps the card's distance from its edge."""
    return cell.adjusted(_EDGE, 0, 0, 0) if column == Column.TIME else cell


class _Delegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, /) -> None:
        row, cell, column = row_at(index), rect_of(option), index.column()
        if is_selected(option):
            painter.fillRect(cell, theme().palette.color("accent_soft"))
        match column:
            case Column.APP:
                tile = QRectF(cell.left(), cell.center().y() - 9, 18, 18)
                paint.draw_tile(painter, tile, row.app)
                self._text(painter, cell.adjusted(26, 0, -8, 0), row, column)
            case Column.KIND:
                pill = QRectF(cell.left(), cell.center().y() - 9, 56, 18)
                paint.draw_pill(painter, pill, row.kind, row.kind_tone)
            case Column.OUTCOME:
                place = QRectF(cell.right() - 28, cell.center().y() - 8, 16, 16)
                color = paint.tone_color(row.outcome_tone)
                icons.draw(painter, _OUTCOME_ICONS[row.outcome_tone], place, color)
            case _:
                self._text(painter, _inner(cell, column), row, column)

    def _text(self, painter: QPainter, rect: QRectF, row: ActivityRow, column: int) -> None:
        what_color = "err" if row.outcome_tone is Tone.ERR else "text1"
        cells: dict[int, tuple[str, QFont, Token]] = {
            Column.TIME: (row.time, fonts.mono_font(), "text2"),
            Column.APP: (row.app, fonts.medium(fonts.SMALL), "text1"),
            Column.WHAT: (row.what, fonts.ui_font(fonts.SMALL), what_color),
            Column.DURATION: (row.duration, fonts.ui_font(fonts.SMALL), "text2"),
            Column.TOKENS: (row.tokens, fonts.ui_font(fonts.SMALL), "text2"),
        }
        text, font, color = cells[column]
        paint.draw_text(painter, rect, text, font, color, alignment(column))
