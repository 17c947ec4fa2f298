"""The activity card: what clients search and call, as it happens. Repaints ten times a second at
most, however busy the router is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QStackedLayout,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gui.look import fonts, icons, painting
from gui.look.icons import icon
from gui.look.rows import Index, is_selected, rect_of
from gui.look.theme import theme
from gui.look.widgets import Card, IconButton, Pill, Segmented, label
from gui.presenting import ActivityRow, Tone
from gui.window.activity_model import ActivityModel, Column, Showing, alignment, row_at
from router.activity import ActivityEntry

HEIGHT = 214
REPAINT_MS = 100
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


class ActivityList(Card):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fresh: list[ActivityEntry] = []
        self._model = ActivityModel(self)
        self._repaint = QTimer(self, interval=REPAINT_MS, singleShot=True)
        self._repaint.timeout.connect(self.flush)
        self._state = Pill(self.tr("Live"), Tone.OK)
        self._choice = self._showing_choice()
        self._pause = IconButton("pause", self.tr("Pause"))
        self._pause.setCheckable(True)
        self._pause.toggled.connect(self._set_paused)
        self._model.waiting_changed.connect(self._show_state)
        self._view = _table(self._model, self.tr("Activity"))
        self._nothing = label(
            self.tr("Nothing yet. Searches and calls of your apps appear here as they happen."),
            tint="text3",
        )
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedLayout()
        self._lay_out()

    def _showing_choice(self) -> Segmented:
        choice = Segmented(
            self.tr("Which activity to show"),
            (
                (Showing.ALL, self.tr("All")),
                (Showing.SEARCHES, self.tr("Searches")),
                (Showing.CALLS, self.tr("Calls")),
                (Showing.ERRORS, self.tr("Errors")),
            ),
        )
        choice.set_current(Showing.ALL)
        choice.changed.connect(self._choose)
        return choice

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(15, 6, 10, 2)
        top.setSpacing(10)
        top.addWidget(label(self.tr("Activity"), font=fonts.semibold()))
        top.addWidget(self._state)
        top.addStretch(1)
        top.addWidget(self._choice)
        top.addWidget(self._pause)
        self._pages.addWidget(self._view)
        self._pages.addWidget(self._nothing)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 1, 1)
        column.setSpacing(0)
        column.addLayout(top)
        column.addLayout(self._pages, 1)
        self._show_page()

    def set_entries(self, newest_first: Sequence[ActivityEntry]) -> None:
        self._fresh.clear()
        self._model.set_entries(newest_first)
        self._show_page()

    def add(self, entry: ActivityEntry) -> None:
        """Show `entry` with the next repaint."""
        self._fresh.append(entry)
        if not self._repaint.isActive():
            self._repaint.start()

    def flush(self) -> None:
        """Show now what waits for the next repaint."""
        self._repaint.stop()
        fresh, self._fresh = self._fresh, []
        if fresh:
            self._model.add(fresh)
            self._show_page()

    def focus_rows(self) -> None:
        """The rows, or what else there is while there are none."""
        rows = self._view if self._model.rowCount() else self._pause
        rows.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def view(self) -> QTableView:
        return self._view

    def pause_button(self) -> IconButton:
        return self._pause

    def choice(self) -> Segmented:
        return self._choice

    def _choose(self, showing: str) -> None:
        self._model.set_showing(Showing(showing))
        self._show_page()

    def _set_paused(self, paused: bool) -> None:
        self._pause.setIcon(icon("play" if paused else "pause"))
        self._pause.describe(self.tr("Go on") if paused else self.tr("Pause"))
        self._model.set_paused(paused)
        self._show_page()

    def _show_state(self, waiting: int) -> None:
        if not self._pause.isChecked():
            self._state.show_as(self.tr("Live"), Tone.OK)
        elif waiting:
            self._state.show_as(self.tr("Paused, %n new", "", waiting), Tone.WARN)
        else:
            self._state.show_as(self.tr("Paused"), Tone.WARN)

    def _show_page(self) -> None:
        self._pages.setCurrentIndex(0 if self._model.rowCount() else 1)


def _table(model: ActivityModel, accessible_name: str) -> QTableView:
    view = QTableView()
    view.setAccessibleName(accessible_name)
    view.setModel(model)
    view.setItemDelegate(_Delegate(view))
    view.setShowGrid(False)
    view.setFrameShape(QTableView.Shape.NoFrame)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    view.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    header = _Header(view)
    view.setHorizontalHeader(header)
    header.setHighlightSections(False)
    header.setSectionsClickable(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    header.setSectionResizeMode(Column.WHAT, QHeaderView.ResizeMode.Stretch)
    for column, width in _WIDTHS.items():
        view.setColumnWidth(column, width)
    return view


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
        font, color = fonts.semibold(fonts.LABEL), palette.color("text3")
        painting.draw_text(painter, _inner(cell, section), text, font, color, alignment(section))


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
                painting.draw_tile(painter, tile, row.app)
                self._text(painter, cell.adjusted(26, 0, -8, 0), row, column)
            case Column.KIND:
                pill = QRectF(cell.left(), cell.center().y() - 9, 56, 18)
                painting.draw_pill(painter, pill, row.kind, row.kind_tone)
            case Column.OUTCOME:
                place = QRectF(cell.right() - 28, cell.center().y() - 8, 16, 16)
                color = painting.tone_color(row.outcome_tone)
                icons.draw(painter, _OUTCOME_ICONS[row.outcome_tone], place, color)
            case _:
                self._text(painter, _inner(cell, column), row, column)

    def _text(self, painter: QPainter, rect: QRectF, row: ActivityRow, column: int) -> None:
        palette, failed = theme().palette, row.outcome_tone is Tone.ERR
        text, font, color = {
            Column.TIME: (row.time, fonts.mono_font(), palette.text2),
            Column.APP: (row.app, fonts.medium(fonts.SMALL), palette.text1),
            Column.WHAT: (
                row.what,
                fonts.ui_font(fonts.SMALL),
                palette.err if failed else palette.text1,
            ),
            Column.DURATION: (row.duration, fonts.ui_font(fonts.SMALL), palette.text2),
            Column.TOKENS: (row.tokens, fonts.ui_font(fonts.SMALL), palette.text2),
        }[column]
        painting.draw_text(painter, rect, text, font, QColor(color), alignment(column))
