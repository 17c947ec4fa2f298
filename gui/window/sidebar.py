"""The left edge: the product, the workspaces, the router's address, the way to the settings."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.look import fonts, icons, painting
from gui.look.status_mark import StatusMark
from gui.look.theme import theme
from gui.look.widgets import (
    Card,
    CopyButton,
    ElidedLabel,
    IconButton,
    label,
    section_label,
)
from gui.presenting import listener_text
from router.model import ListenerState, WorkspaceSummary

WIDTH = 228
_ROW_HEIGHT = 34


class Sidebar(QFrame):
    workspace_chosen = Signal(str)
    workspace_named = Signal(str)
    """The name of a workspace to create."""
    settings_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "sidebar")
        self.setFixedWidth(WIDTH)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(2)
        self._group = QButtonGroup(self)
        self._workspaces: tuple[WorkspaceSummary, ...] = ()
        self._naming = _NameField(self.tr("Name of the new workspace"))
        self._naming.named.connect(self.workspace_named)
        self._router = _RouterCard()
        self._lay_out()

    def _lay_out(self) -> None:
        settings = SidebarRow(self.tr("Settings"), icon_name="settings")
        settings.setToolTip(self.tr("Settings (Ctrl+,)"))
        settings.clicked.connect(self.settings_requested)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 0, 12, 12)
        column.setSpacing(0)
        column.addWidget(_Brand())
        column.addLayout(self._heading())
        column.addWidget(self._scrolled_rows(), 1)
        column.addSpacing(8)
        column.addWidget(self._router)
        column.addSpacing(8)
        column.addWidget(settings)

    def _scrolled_rows(self) -> QScrollArea:
        page = QWidget()
        page.setProperty("role", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._rows)
        column.addWidget(self._naming)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(page)
        return area

    def _heading(self) -> QHBoxLayout:
        add = IconButton("plus", self.tr("New workspace"), size=26, icon_size=16)
        add.clicked.connect(self._naming.start)
        row = QHBoxLayout()
        row.setContentsMargins(10, 3, 0, 3)
        row.addWidget(section_label(self.tr("Workspaces")))
        row.addStretch(1)
        row.addWidget(add)
        return row

    def show_workspaces(self, workspaces: Sequence[WorkspaceSummary]) -> None:
        if tuple(workspaces) == self._workspaces:
            return
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._workspaces = tuple(workspaces)
        for workspace in workspaces:
            self._rows.addWidget(self._workspace_row(workspace))

    def show_listener(self, state: ListenerState) -> None:
        self._router.show_state(state)

    def choose(self, position: int) -> None:
        """Choose the workspace at `position`, counted from 0, if there is one."""
        if position < len(self._workspaces):
            self.workspace_chosen.emit(self._workspaces[position].id)

    def focus_rows(self) -> None:
        current = self._group.checkedButton()
        if current is not None:
            current.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _workspace_row(self, workspace: WorkspaceSummary) -> SidebarRow:
        row = SidebarRow(workspace.name, count=workspace.server_count)
        servers = self.tr("%n servers", "", workspace.server_count)
        row.setAccessibleName(f"{workspace.name}, {servers}")
        row.setCheckable(True)
        row.setChecked(workspace.active)
        self._group.addButton(row)
        row.clicked.connect(lambda: self.workspace_chosen.emit(workspace.id))
        return row

    def paintEvent(self, event: QPaintEvent, /) -> None:
        super().paintEvent(event)
        edge = QRectF(self.width() - 1, 0, 1, self.height())
        QPainter(self).fillRect(edge, theme().palette.color("border"))


class SidebarRow(QPushButton):
    """A row of 34 with an icon, or with the letter tile of its own name."""

    def __init__(self, text: str, *, icon_name: str = "", count: int | None = None) -> None:
        super().__init__(text)
        self._icon_name = icon_name
        self._count = "" if count is None else str(count)
        self.setFixedHeight(_ROW_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(text)

    def sizeHint(self, /) -> QSize:
        return QSize(120, _ROW_HEIGHT)

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter, palette = QPainter(self), theme().palette
        middle = self.height() / 2
        self._paint_background(painter)
        if self._icon_name:
            icons.draw(painter, self._icon_name, QRectF(10, middle - 8, 16, 16), palette.text2)
            left = 36
        else:
            painting.draw_tile(painter, QRectF(10, middle - 10, 20, 20), self.text())
            left = 40
        color = palette.color("text1" if self.isChecked() else "text2")
        count_width = QFontMetrics(fonts.medium()).horizontalAdvance(self._count)
        text = QRectF(left, 0, self.width() - left - 18 - count_width, self.height())
        font = fonts.semibold() if self.isChecked() else fonts.medium()
        painting.draw_text(painter, text, self.text(), font, color)
        count = QRectF(self.width() - 10 - count_width, 0, count_width + 1, self.height())
        painting.draw_text(painter, count, self._count, fonts.medium(), palette.color("text2"))

    def _paint_background(self, painter: QPainter) -> None:
        palette, rect = theme().palette, QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        with painting.saved(painter):
            if self.isChecked():
                painter.setPen(palette.color("border"))
                painter.setBrush(palette.color("surface"))
                painter.drawRoundedRect(rect, 7, 7)
            elif self.underMouse():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(palette.color("track"))
                painter.drawRoundedRect(rect, 7, 7)
        if self.hasFocus():
            painting.draw_focus_ring(painter, QRectF(self.rect()), 7)


class _Brand(QWidget):
    """Logo and name, 60 high."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(60)
        self.setAccessibleName("Toolbooth")

    def paintEvent(self, event: QPaintEvent, /) -> None:
        painter = QPainter(self)
        with painting.saved(painter):
            icons.draw_logo(painter, QRectF(6, 18, 24, 24))
        name = QRectF(40, 18, self.width() - 40, 24)
        painting.draw_text(
            painter, name, "Toolbooth", fonts.semibold(14), theme().palette.color("text1")
        )


class _NameField(QLineEdit):
    """Asks for a name in place; Enter takes it, Escape or leaving it drops it."""

    named = Signal(str)

    def __init__(self, accessible_name: str) -> None:
        super().__init__()
        self.setAccessibleName(accessible_name)
        self.setPlaceholderText(accessible_name)
        self.setMaxLength(80)
        self.returnPressed.connect(self._take)
        self.editingFinished.connect(self.hide)
        self.hide()

    def start(self) -> None:
        self.clear()
        self.show()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def event(self, event: QEvent, /) -> bool:
        # Before the window's own shortcut for Escape sees it.
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            self.hide()
            return True
        return super().event(event)

    def _take(self) -> None:
        if name := self.text().strip():
            self.named.emit(name)
        self.hide()


class _RouterCard(Card):
    """Whether the router serves, and where."""

    def __init__(self) -> None:
        super().__init__()
        self._url = ""
        self._mark = StatusMark(size=14)
        self._state = label(font=fonts.semibold(fonts.SMALL))
        self._address = ElidedLabel()
        self._address.setFont(fonts.mono_font())
        self._address.setProperty("tint", "text2")
        self._where = QWidget()
        copy = CopyButton(self.tr("Copy the router’s address"), lambda: self._url)
        top = QHBoxLayout()
        top.setSpacing(7)
        top.addWidget(self._mark)
        top.addWidget(self._state, 1)
        bottom = QHBoxLayout(self._where)
        bottom.setContentsMargins(0, 0, 0, 0)
        bottom.setSpacing(4)
        bottom.addWidget(self._address, 1)
        bottom.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 6, 5)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._where)

    def show_state(self, state: ListenerState) -> None:
        text, mark = listener_text(state.phase)
        self._mark.set_mark(mark)
        self._state.setText(text)
        self._url = state.url or ""
        self._address.setText(self._url.partition("://")[2])
        self._where.setVisible(bool(self._url))
