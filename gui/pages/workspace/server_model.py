"""The servers of one workspace as rows, and which of them pass the filter.

Holds the last status of each server. Ticking a row only emits `toggled`; the row changes with the
router's status.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import cast

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QSortFilterProxyModel,
    Qt,
    Signal,
)

from gui.text.errors import failure_hint
from gui.text.server_row import ServerRow, accessible_server, present
from gui.widgets.row_view import Index
from gui.widgets.tooltip import plain_tooltip
from router.domain.ids import ServerRef
from router.domain.servers import ServerStatus

StatusRole = Qt.ItemDataRole.UserRole
PresentationRole = Qt.ItemDataRole.UserRole + 1


class ServerCategory(StrEnum):
    """Which servers are listed, whatever is typed into the filter."""

    ALL = "all"
    ON = "on"
    ATTENTION = "attention"
    OFF = "off"


class ServerModel(QAbstractListModel):
    toggled = Signal(object, bool)
    """A `ServerRef`, and whether it is to be on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[ServerStatus, ServerRow]] = []

    def set_servers(self, servers: Iterable[ServerStatus]) -> None:
        self.beginResetModel()
        self._rows = [(status, present(status)) for status in servers]
        self.endResetModel()

    def upsert(self, status: ServerStatus) -> None:
        """Show `status` in the row of its server, or in a new one at the end."""
        row = self.row_of(status.ref)
        if row is None:
            row = len(self._rows)
            self.beginInsertRows(QModelIndex(), row, row)
            self._rows.append((status, present(status)))
            self.endInsertRows()
        elif self._rows[row][0] != status:
            self._rows[row] = (status, present(status))
            self.dataChanged.emit(self.index(row), self.index(row))

    def remove(self, ref: ServerRef) -> None:
        row = self.row_of(ref)
        if row is not None:
            self.beginRemoveRows(QModelIndex(), row, row)
            del self._rows[row]
            self.endRemoveRows()

    def servers(self) -> tuple[ServerStatus, ...]:
        return tuple(status for status, _ in self._rows)

    def row_of(self, ref: ServerRef) -> int | None:
        return next((i for i, (status, _) in enumerate(self._rows) if status.ref == ref), None)

    def rowCount(self, parent: Index | None = None, /) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: Index, /) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole, /) -> object:
        status, shown = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return status.name
            case Qt.ItemDataRole.CheckStateRole:
                return Qt.CheckState.Checked if status.enabled else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.AccessibleTextRole:
                return accessible_server(status)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(_tooltip(status, shown))
            case _:
                return {StatusRole: status, PresentationRole: shown}.get(role)

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole, /) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        status, _ = self._rows[index.row()]
        self.toggled.emit(status.ref, Qt.CheckState(value) == Qt.CheckState.Checked)
        return True


class ServerFilter(QSortFilterProxyModel):
    """Rows by name, target or state; sorted as the router gives them."""

    def __init__(self, source: ServerModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: list[str] = []
        self._category = ServerCategory.ALL
        self.setSourceModel(source)

    def set_text(self, text: str) -> None:
        self._words = text.casefold().split()
        self.invalidate()

    def set_category(self, category: ServerCategory) -> None:
        self._category = category
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index, /) -> bool:
        index = self.sourceModel().index(row, 0, parent)
        status, shown = status_at(index), presentation_at(index)
        haystack = f"{status.name} {status.target} {shown.summary} {shown.detail}".casefold()
        return self._passes(status, shown) and all(word in haystack for word in self._words)

    def _passes(self, status: ServerStatus, shown: ServerRow) -> bool:
        match self._category:
            case ServerCategory.ALL:
                return True
            case ServerCategory.ON:
                return status.enabled
            case ServerCategory.ATTENTION:
                return shown.needs_attention
            case ServerCategory.OFF:
                return not status.enabled


def status_at(index: Index) -> ServerStatus:
    return cast(ServerStatus, index.data(StatusRole))


def presentation_at(index: Index) -> ServerRow:
    return cast(ServerRow, index.data(PresentationRole))


def _tooltip(status: ServerStatus, shown: ServerRow) -> str:
    if status.failure is None or not shown.needs_attention:
        return status.target
    return f"{shown.detail}\n{failure_hint(status.failure)}"
