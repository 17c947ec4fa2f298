"""What clients did, newest first: the rows that pass the filter, and those that wait in a pause."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import assert_never, cast

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal

from gui.look.rows import Index
from gui.presenting import ActivityRow, activity_row
from router.activity import ActivityEntry, ActivityKind, Outcome

KEPT = 500
ActivityRole = Qt.ItemDataRole.UserRole


class Showing(StrEnum):
    ALL = "all"
    SEARCHES = "searches"
    CALLS = "calls"
    ERRORS = "errors"


class Column:
    TIME, APP, KIND, WHAT, DURATION, TOKENS, OUTCOME = range(7)
    COUNT = 7


class ActivityModel(QAbstractTableModel):
    """Keeps the newest `KEPT` entries. While paused, entries wait and are counted."""

    waiting_changed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[ActivityEntry] = []
        self._rows: list[ActivityRow] = []
        self._waiting: list[ActivityEntry] = []
        self._showing = Showing.ALL
        self._paused = False

    def set_entries(self, newest_first: Sequence[ActivityEntry]) -> None:
        self._all = list(newest_first[:KEPT])
        self._waiting.clear()
        self._reset()

    def add(self, oldest_first: Sequence[ActivityEntry]) -> None:
        """Put these on top, or let them wait if paused."""
        if self._paused:
            self._waiting = [*self._waiting, *oldest_first][-KEPT:]
            self.waiting_changed.emit(len(self._waiting))
        else:
            self._insert(oldest_first)

    def set_paused(self, paused: bool) -> None:
        self._paused = paused
        waiting, self._waiting = self._waiting, []
        self._insert(waiting)
        self.waiting_changed.emit(0)

    def set_showing(self, showing: Showing) -> None:
        self._showing = showing
        self._reset()

    def rowCount(self, parent: Index | None = None, /) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None, /) -> int:
        return 0 if parent is not None and parent.isValid() else Column.COUNT

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
        /,
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headings()[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole, /) -> object:
        row = self._rows[index.row()]
        if role == ActivityRole:
            return row
        text = _cells(row)[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return text
        if role == Qt.ItemDataRole.ToolTipRole and index.column() in (Column.WHAT, Column.OUTCOME):
            return text
        return None

    def _headings(self) -> tuple[str, ...]:
        return (
            self.tr("Time"),
            self.tr("App"),
            self.tr("Kind"),
            self.tr("What happened"),
            self.tr("Duration"),
            self.tr("Tokens"),
            "",
        )

    def _insert(self, oldest_first: Sequence[ActivityEntry]) -> None:
        newest_first = list(reversed(oldest_first))[:KEPT]
        self._all = [*newest_first, *self._all][:KEPT]
        rows = [activity_row(e) for e in newest_first if passes(e, self._showing)]
        if not rows:
            return
        self.beginInsertRows(QModelIndex(), 0, len(rows) - 1)
        self._rows[:0] = rows
        self.endInsertRows()
        if (excess := len(self._rows) - KEPT) > 0:
            self.beginRemoveRows(QModelIndex(), KEPT, KEPT + excess - 1)
            del self._rows[KEPT:]
            self.endRemoveRows()

    def _reset(self) -> None:
        self.beginResetModel()
        self._rows = [activity_row(e) for e in self._all if passes(e, self._showing)]
        self.endResetModel()


def passes(entry: ActivityEntry, showing: Showing) -> bool:
    match showing:
        case Showing.ALL:
            return True
        case Showing.SEARCHES:
            return entry.kind is ActivityKind.SEARCH
        case Showing.CALLS:
            return entry.kind is ActivityKind.CALL
        case Showing.ERRORS:
            return entry.outcome in (Outcome.ERROR, Outcome.DENIED)
        case _:
            assert_never(showing)


def alignment(column: int) -> Qt.AlignmentFlag:
    right = column in (Column.DURATION, Column.TOKENS)
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def row_at(index: Index) -> ActivityRow:
    return cast(ActivityRow, index.data(ActivityRole))


def _cells(row: ActivityRow) -> tuple[str, ...]:
    return row.time, row.app, row.kind, row.what, row.duration, row.tokens, row.outcome
