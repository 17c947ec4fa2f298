"""Activity entries, newest first: the rows that pass the filter, and those held during a pause.

New entries are shown in batches: at most ten repaints a second, whatever the load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, QTimer, Signal

from gui.text.activity_row import ActivityRow, activity_row
from gui.text.tr import tr
from gui.widgets.buttons import Segmented
from gui.widgets.row_view import Index
from gui.widgets.tooltip import plain_tooltip
from router.domain.activity import ActivityEntry, ActivityKind, Outcome

KEPT = 500
REPAINT_MS = 100
_POSSIBLE_REPEATS = 32
ActivityRole = Qt.ItemDataRole.UserRole


class ActivityCategory(StrEnum):
    ALL = "all"
    SEARCHES = "searches"
    CALLS = "calls"
    ERRORS = "errors"


@dataclass(frozen=True, slots=True)
class ActivityFilter:
    """Which entries are shown; an empty field matches all of them."""

    showing: ActivityCategory = ActivityCategory.ALL
    client: str = ""
    server: str = ""
    text: str = ""

    def passes(self, entry: ActivityEntry) -> bool:
        return (
            _is_shown(entry, self.showing)
            and self.client in ("", entry.client)
            and self.server in ("", entry.server)
            and self._mentions(entry)
        )

    def _mentions(self, entry: ActivityEntry) -> bool:
        wanted = self.text.strip().casefold()
        texts = (
            entry.client,
            entry.server,
            entry.tool,
            entry.detail,
            entry.message,
            entry.request_id,
            entry.trace_id,
        )
        return not wanted or any(wanted in text.casefold() for text in texts if text)


class Column:
    TIME, APP, KIND, WHAT, DURATION, TOKENS, OUTCOME = range(7)
    COUNT = 7


class ActivityModel(QAbstractTableModel):
    """Keeps the newest `kept` entries. While paused, new ones are held and counted."""

    waiting_changed = Signal(int)

    def __init__(self, parent: QObject | None = None, *, kept: int = KEPT) -> None:
        super().__init__(parent)
        self._kept = kept
        self._all: list[ActivityEntry] = []
        self._shown: list[ActivityEntry] = []
        self._rows: list[ActivityRow | None] = []
        """Made on demand: few rows are ever visible."""
        self._waiting: list[ActivityEntry] = []
        self._filter = ActivityFilter()
        self._paused = False
        self._pending: list[ActivityEntry] = []
        self._repaint = QTimer(self, interval=REPAINT_MS, singleShot=True)
        self._repaint.timeout.connect(self.flush)

    def set_entries(self, newest_first: Sequence[ActivityEntry]) -> None:
        self._pending.clear()
        self._all = list(newest_first[: self._kept])
        self._waiting.clear()
        self._reset()

    def add_soon(self, entry: ActivityEntry) -> None:
        """Add `entry` with the next repaint."""
        self._pending.append(entry)
        if not self._repaint.isActive():
            self._repaint.start()

    def flush(self) -> None:
        """Add pending entries now."""
        self._repaint.stop()
        pending, self._pending = self._pending, []
        if pending:
            self.add(pending)

    def add(self, oldest_first: Sequence[ActivityEntry]) -> None:
        """Put these on top, or hold them while paused."""
        if self._paused:
            self._waiting = [*self._waiting, *oldest_first][-self._kept :]
            self.waiting_changed.emit(len(self._waiting))
        else:
            self._insert(oldest_first)

    def set_paused(self, paused: bool) -> None:
        self._paused = paused
        waiting, self._waiting = self._waiting, []
        self._insert(waiting)
        self.waiting_changed.emit(0)

    def set_filter(self, wanted: ActivityFilter) -> None:
        self._filter = wanted
        self._reset()

    def entry(self, row: int) -> ActivityEntry:
        return self._shown[row]

    def row_of(self, entry: ActivityEntry) -> int | None:
        return self._shown.index(entry) if entry in self._shown else None

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
        row = self._row(index.row())
        if role == ActivityRole:
            return row
        text = _cells(row)[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return text
        if role == Qt.ItemDataRole.ToolTipRole and index.column() in (Column.WHAT, Column.OUTCOME):
            return plain_tooltip(text)
        return None

    def _row(self, position: int) -> ActivityRow:
        if (row := self._rows[position]) is None:
            row = self._rows[position] = activity_row(self._shown[position])
        return row

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
        newest_first = list(reversed(self._unseen(oldest_first)))[: self._kept]
        self._all = [*newest_first, *self._all][: self._kept]
        shown = [entry for entry in newest_first if self._filter.passes(entry)]
        if not shown:
            return
        self.beginInsertRows(QModelIndex(), 0, len(shown) - 1)
        self._shown[:0] = shown
        self._rows[:0] = [None] * len(shown)
        self.endInsertRows()
        if (excess := len(self._rows) - self._kept) > 0:
            self.beginRemoveRows(QModelIndex(), self._kept, self._kept + excess - 1)
            del self._shown[self._kept :], self._rows[self._kept :]
            self.endRemoveRows()

    def _unseen(self, entries: Sequence[ActivityEntry]) -> Sequence[ActivityEntry]:
        """An entry from just before the list was filled may arrive a second time."""
        head = self._all[:_POSSIBLE_REPEATS]
        return [entry for entry in entries if entry not in head]

    def _reset(self) -> None:
        self.beginResetModel()
        self._shown = [entry for entry in self._all if self._filter.passes(entry)]
        self._rows = [None] * len(self._shown)
        self.endResetModel()


def _is_shown(entry: ActivityEntry, showing: ActivityCategory) -> bool:
    return {
        ActivityCategory.ALL: True,
        ActivityCategory.SEARCHES: entry.kind is ActivityKind.SEARCH,
        ActivityCategory.CALLS: entry.kind is ActivityKind.CALL,
        ActivityCategory.ERRORS: entry.outcome in (Outcome.ERROR, Outcome.DENIED),
    }[showing]


def showing_choice() -> Segmented:
    choice = Segmented(
        tr("Which activity to show"),
        (
            (ActivityCategory.ALL, tr("All")),
            (ActivityCategory.SEARCHES, tr("Searches")),
            (ActivityCategory.CALLS, tr("Calls")),
            (ActivityCategory.ERRORS, tr("Errors")),
        ),
    )
    choice.set_current(ActivityCategory.ALL)
    return choice


def alignment(column: int) -> Qt.AlignmentFlag:
    right = column in (Column.DURATION, Column.TOKENS)
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def row_at(index: Index) -> ActivityRow:
    return cast(ActivityRow, index.data(ActivityRole))


def _cells(row: ActivityRow) -> tuple[str, ...]:
    return row.time, row.app, row.kind, row.what, row.duration, row.tokens, row.outcome
