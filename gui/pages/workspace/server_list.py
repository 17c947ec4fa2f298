"""The server list: filter, rows of 56 with status, tile, name, count or action, and a switch.

Switch and button are painted by the delegate. Space switches the current row, Enter presses its
button.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QMenu, QStyleOptionViewItem, QToolButton

from gui.pages.workspace.server_model import (
    ServerCategory,
    ServerFilter,
    ServerModel,
    presentation_at,
    status_at,
)
from gui.text.marks import Mark
from gui.widgets import fonts, paint
from gui.widgets.buttons import IconButton
from gui.widgets.cards import Card
from gui.widgets.layouts import hbox, vbox
from gui.widgets.row_view import Index, Row, RowDelegate, RowView, flip
from gui.widgets.search_field import SearchField
from gui.widgets.status_mark import TURN_DEGREES, TURN_MS
from gui.widgets.timers import timer
from router.domain.ids import ServerRef
from router.domain.servers import ServerStatus

ROW_HEIGHT = 56
_GAP = 4
_TILE = 28
_BUTTON_HEIGHT = 24
_LEAST_TEXT = 96
"""With less room for the text, the tile is hidden."""
_LEAST_NAME = 40
"""With less room even then, the button is hidden; the server's detail has it too."""


class ServerList(Card):
    """Emits `selected`, and the user's requests as `toggled` and `action_requested`."""

    selected = Signal(object)
    """The `ServerRef` now selected, or None."""
    toggled = Signal(object, bool)
    action_requested = Signal(object)
    """The `ServerRef` whose button was pressed."""

    def __init__(self) -> None:
        super().__init__()
        self._model = ServerModel(self)
        self._filter = ServerFilter(self._model, self)
        self._field = SearchField(self.tr("Filter servers"))
        self.view = _View(self.tr("Servers"), self.tr("No matching servers."))
        self.view.setModel(self._filter)
        self.view.selectionModel().currentChanged.connect(self._emit_selection)
        self._model.toggled.connect(self.toggled)
        self.view.pressed_button.connect(self.action_requested)
        self._field.textChanged.connect(self._filter.set_text)
        top = hbox(self._field, self._category_button(), spacing=8, margins=(11, 12, 11, 10))
        vbox(top, self.view, spacing=0, margins=(1, 0, 1, 6), parent=self)

    def _category_button(self) -> IconButton:
        button = IconButton("list-filter", self.tr("Filter by status"), bordered=True)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        group = QActionGroup(menu)
        texts = {
            ServerCategory.ALL: self.tr("All servers"),
            ServerCategory.ON: self.tr("Turned on"),
            ServerCategory.ATTENTION: self.tr("Needs attention"),
            ServerCategory.OFF: self.tr("Turned off"),
        }
        for category, text in texts.items():
            action = QAction(text, menu, checkable=True, checked=category is ServerCategory.ALL)
            action.setData(category)
            group.addAction(action)
        menu.addActions(group.actions())
        group.triggered.connect(self._choose_category)
        button.setMenu(menu)
        return button

    def _choose_category(self, action: QAction) -> None:
        self._filter.set_category(ServerCategory(action.data()))

    def set_servers(self, servers: tuple[ServerStatus, ...]) -> None:
        """Show these; the selected one stays selected if it is among them, else the first is."""
        wanted = self.current()
        self._model.set_servers(servers)
        self.view.turn_if_needed()
        if wanted is None or not self.select(wanted):
            self.view.setCurrentIndex(self._filter.index(0, 0))

    def upsert(self, status: ServerStatus) -> None:
        self._model.upsert(status)
        self.view.turn_if_needed()
        if self.current() is None:
            self.view.setCurrentIndex(self._filter.index(0, 0))

    def remove(self, ref: ServerRef) -> None:
        self._model.remove(ref)

    def servers(self) -> tuple[ServerStatus, ...]:
        return self._model.servers()

    def current(self) -> ServerRef | None:
        index = self.view.currentIndex()
        return status_at(index).ref if index.isValid() else None

    def select(self, ref: ServerRef) -> bool:
        row = self._model.row_of(ref)
        index = self._filter.mapFromSource(self._model.index(row)) if row is not None else None
        if index is None or not index.isValid():
            return False
        self.view.setCurrentIndex(index)
        return True

    def focus_filter(self) -> None:
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def focus_rows(self) -> None:
        self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def clear_filter(self) -> None:
        self._field.clear()

    def _emit_selection(self, current: QModelIndex) -> None:
        self.selected.emit(status_at(current).ref if current.isValid() else None)


class _View(RowView):
    """The rows; animates the marks of working servers."""

    pressed_button = Signal(object)

    def __init__(self, accessible_name: str, empty_text: str) -> None:
        super().__init__(accessible_name, ROW_HEIGHT, empty_text)
        self.setItemDelegate(_Delegate(self))
        self._turning = timer(self, TURN_MS, self._turn, repeat=True)
        self.angle = 0

    def turn_if_needed(self) -> None:
        if not self._turning.isActive() and self._working():
            self._turning.start()

    def keyPressEvent(self, event: QKeyEvent, /) -> None:
        index = self.currentIndex()
        pressed = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if pressed and index.isValid() and presentation_at(index).remedy is not None:
            self.pressed_button.emit(status_at(index).ref)
        else:
            super().keyPressEvent(event)

    def _working(self) -> list[QModelIndex]:
        model = self.model()
        indexes = (model.index(row, 0) for row in range(model.rowCount()))
        return [index for index in indexes if presentation_at(index).mark is Mark.WORKING]

    def _turn(self) -> None:
        working = self._working()
        if not working:
            self._turning.stop()
        self.angle = (self.angle + TURN_DEGREES) % 360
        if self.isVisible():
            for index in working:
                self.update(index)


@dataclass(frozen=True, slots=True)
class _RowLayout:
    """Where the parts of a row lie."""

    fill: QRectF
    mark: QRectF
    tile: QRectF
    text: QRectF
    count: QRectF
    button: QRectF
    toggle: QRectF


def _row_layout(row: Row, index: Index) -> _RowLayout:
    fill = row.rect.adjusted(7, 0, -7, -_GAP)
    middle = fill.center().y()
    toggle = _beside(fill.right() - 10, middle, paint.TOGGLE_WIDTH, paint.TOGGLE_HEIGHT)
    button = _beside(toggle.left() - 12, middle, _button_width(index), _BUTTON_HEIGHT)
    count = _beside(toggle.left() - 18, middle, _count_width(index), paint.TOGGLE_HEIGHT)
    tile = QRectF(fill.left() + 28, middle - _TILE / 2, _TILE, _TILE)
    left, right = tile.right() + 10, min(button.left(), count.left()) - 8
    if right - left < _LEAST_TEXT:
        left, tile = tile.left(), QRectF()
    if right - left < _LEAST_NAME:
        right, button = min(toggle.left() - 12, count.left()) - 8, QRectF()
    return _RowLayout(
        fill=fill,
        mark=QRectF(fill.left() + 6, middle - 8, 16, 16),
        tile=tile,
        text=QRectF(left, fill.top() + 7, right - left, fill.height() - 14),
        count=count,
        button=button,
        toggle=toggle,
    )


def _beside(right: float, middle: float, width: float, height: float) -> QRectF:
    return QRectF(right - width, middle - height / 2, width, height)


def _button_width(index: Index) -> int:
    remedy = presentation_at(index).remedy
    metrics = QFontMetrics(fonts.semibold(fonts.SMALL))
    return metrics.horizontalAdvance(remedy.label) + 18 if remedy else 0


def _count_width(index: Index) -> int:
    return QFontMetrics(fonts.medium(fonts.SMALL)).horizontalAdvance(_count_text(index)) + 2


def _count_text(index: Index) -> str:
    """A row has either a button or a count."""
    count = status_at(index).tool_count
    return "" if count is None or presentation_at(index).remedy else str(count)


class _Delegate(RowDelegate):
    def __init__(self, view: _View) -> None:
        super().__init__(view)
        self.view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, /) -> None:
        status, shown, row = status_at(index), presentation_at(index), self.row(option)
        layout = _row_layout(row, index)
        paint.draw_row_background(painter, layout.fill, row.selected, row.hovered)
        if row.focused:
            paint.draw_focus_ring(painter, layout.fill, 8)
        paint.draw_mark(painter, layout.mark, shown.mark, self.view.angle)
        if not layout.tile.isEmpty():
            paint.draw_tile(painter, layout.tile, status.name)
        self._paint_texts(painter, layout, index)
        if shown.remedy is not None and not layout.button.isEmpty():
            over = row.hovered and layout.button.contains(self.pointer())
            paint.draw_button(painter, layout.button, shown.remedy.label, over)
        paint.draw_toggle(painter, layout.toggle, status.enabled)

    def _paint_texts(self, painter: QPainter, layout: _RowLayout, index: Index) -> None:
        status, shown = status_at(index), presentation_at(index)
        upper, lower = paint.halves(layout.text)
        name_color = "text1" if status.enabled else "text2"
        paint.draw_text(painter, upper, status.name, fonts.medium(), name_color)
        quiet = shown.mark in (Mark.READY, Mark.OFF)
        detail_color = "text3" if quiet else paint.tone_color(shown.tone)
        # The end of an error matters as much as its start: “x” not found.
        elide = Qt.TextElideMode.ElideRight if quiet else Qt.TextElideMode.ElideMiddle
        small = fonts.ui_font(fonts.SMALL)
        fits = QFontMetrics(small).horizontalAdvance(shown.detail) <= lower.width()
        detail = shown.detail if fits else shown.brief or shown.detail
        paint.draw_text(painter, lower, detail, small, detail_color, elide=elide)
        count, font = _count_text(index), fonts.medium(fonts.SMALL)
        right = Qt.AlignmentFlag.AlignRight
        paint.draw_text(painter, layout.count, count, font, "text2", right)

    def pressed(self, row: Row, index: Index, at: QPointF) -> bool:
        layout = _row_layout(row, index)
        if layout.toggle.adjusted(-6, -8, 6, 8).contains(at):
            return flip(index)
        if presentation_at(index).remedy is None or not layout.button.contains(at):
            return False
        self.view.pressed_button.emit(status_at(index).ref)
        return True
