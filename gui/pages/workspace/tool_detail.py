"""One tool: its name, effect, parameters and permission."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.components.attention.tool_review import ToolNotice, tool_notice
from gui.text import formats
from gui.text.marks import Tone, effect_badge
from gui.widgets import fonts
from gui.widgets.banner import Banner
from gui.widgets.buttons import CopyButton, Segmented, secondary_button
from gui.widgets.cards import hline, ruled
from gui.widgets.labels import ElidedLabel, Pill, label, section_label, wrapped
from gui.widgets.layouts import NO_MARGINS, STRETCH, clear, hbox, in_widget, vbox
from gui.widgets.scroll_area import ScrollArea
from router.domain.permissions import Permission
from router.domain.tools import Parameter, ToolView

_ROOM_FOR_CAPTION = 360
_LEFT, _GAP = 20, 8
_SCROLLBAR = 10
"""Space at the right for the scroll bar, so that the text does not move."""


class ToolDetail(QWidget):
    permission_chosen = Signal(object, object)
    """A `ToolKey` and the `Permission` it is to have."""
    try_requested = Signal(object)
    """The `ToolView`."""
    approved = Signal(object)
    """The `ToolKey` of a tool that needed approval."""
    dismissed = Signal(object)
    """The `ToolKey` of a tool with findings."""

    def __init__(self) -> None:
        super().__init__()
        self._view: ToolView | None = None
        self._name = ElidedLabel(elide=Qt.TextElideMode.ElideMiddle, font=fonts.mono_font(14))
        self._copy = CopyButton(self.tr("Copy tool name"), self._name.text)
        self._effect = Pill()
        self._tokens = Pill()
        self._badges = in_widget(hbox(self._effect, self._tokens, spacing=8, margins=NO_MARGINS))
        self._beside, self._beneath = hbox(self._badges), hbox(STRETCH)
        self._notice: ToolNotice | None = None
        self._notices = vbox(margins=(0, 0, _SCROLLBAR, 0))
        self._description = wrapped("", font=fonts.ui_font(), selectable=True)
        self._parameters = vbox(spacing=0)
        self._caption = label(self.tr("Access"), font=fonts.medium())
        self._access = Segmented(
            self.tr("Access"),
            (
                (Permission.ALLOW, self.tr("Allow")),
                (Permission.ASK, self.tr("Ask")),
                (Permission.DENY, self.tr("Block")),
            ),
            self._choose,
        )
        self._lay_out()

    def _lay_out(self) -> None:
        attempt = secondary_button(self.tr("Try it…"), "play")
        attempt.clicked.connect(lambda: self.try_requested.emit(self._view))
        bottom = (self._caption, self._access, STRETCH, attempt)
        title = (self._name, self._copy, STRETCH, self._beside)
        vbox(
            hbox(*title, spacing=8, margins=(0, 0, _SCROLLBAR, 0)),
            self._beneath,
            self._notices,
            (self._scrolled(), 1),
            hbox(hline(), margins=(0, 0, _SCROLLBAR, 0)),
            hbox(*bottom, spacing=12, margins=(0, 6, _SCROLLBAR, 0)),
            spacing=8,
            margins=(_LEFT, 12, _SCROLLBAR, 14),
            parent=self,
        )

    def _place_badges(self) -> None:
        """Beside the name, or below it if the name would be cut."""
        room = self.width() - _LEFT - 2 * _SCROLLBAR
        parts = (self._name, self._copy, self._badges)
        wanted = sum(part.sizeHint().width() + _GAP for part in parts)
        place, other = self._beside, self._beneath
        if wanted > room:
            place, other = other, place
        if place.indexOf(self._badges) < 0:
            other.removeWidget(self._badges)
            place.insertWidget(0, self._badges)

    def _scrolled(self) -> ScrollArea:
        column = vbox(self._description, self._parameters, STRETCH, spacing=10)
        column.setContentsMargins(0, 0, _SCROLLBAR, 0)
        area = ScrollArea(self.tr("Description and parameters"))
        area.show_layout(column)

        def make_room(low: int, high: int) -> None:
            column.setContentsMargins(0, 0, 0 if high > low else _SCROLLBAR, 0)

        area.verticalScrollBar().rangeChanged.connect(make_room)
        return area

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        super().resizeEvent(event)
        self._place_badges()
        roomy = event.size().width() >= _ROOM_FOR_CAPTION
        self._caption.setVisible(roomy)  # The choices are clear without it.

    def show_tool(self, tool: ToolView) -> None:
        shown = self._view
        if tool == shown:  # Still selected, or a choice that failed: show the permission in force.
            self._access.set_current(tool.permission)
            return
        same = shown is not None and shown[:5] == tool[:5]
        self._view = tool
        self._name.setText(tool.key.shown)
        badge = effect_badge(tool.effect)
        self._effect.setVisible(badge is not None)
        if badge is not None:
            self._effect.show_as(*badge)
        tokens = self.tr("{count} tokens").format(count=formats.grouped(tool.context_tokens))
        self._tokens.show_as(tokens, Tone.NEUTRAL)
        self._place_badges()
        self._access.set_current(tool.permission)
        self._show_notice(tool_notice(tool))
        if not same:
            self._description.setText(tool.description or self.tr("No description."))
            self._show_parameters(tool.parameters)

    def _show_notice(self, notice: ToolNotice | None) -> None:
        if notice == self._notice:
            return  # The user may be about to press its button.
        self._notice = notice
        clear(self._notices)
        if notice is not None:
            banner = Banner(
                notice.text,
                notice.detail,
                tone="err" if notice.suspicious else "warn",
                buttons=[
                    (self.tr("Approve"), self._approve)
                    if notice.waits
                    else (self.tr("Dismiss"), self._dismiss)
                ],
            )
            self._notices.addWidget(banner)

    def _approve(self) -> None:
        if self._view is not None:
            self.approved.emit(self._view.key)

    def _dismiss(self) -> None:
        if self._view is not None:
            self.dismissed.emit(self._view.key)

    def _show_parameters(self, parameters: Sequence[Parameter]) -> None:
        clear(self._parameters)
        if not parameters:
            self._parameters.addWidget(section_label(self.tr("No parameters")))
            return
        self._parameters.addWidget(section_label(self.tr("Parameters")))
        for row in ruled(map(_ParameterRow, parameters)):
            self._parameters.addWidget(row)

    def _choose(self, permission: str) -> None:
        if self._view is not None:
            self.permission_chosen.emit(self._view.key, Permission(permission))


class _ParameterRow(QWidget):
    def __init__(self, parameter: Parameter) -> None:
        super().__init__()
        name = label(parameter.name, font=fonts.mono_font())
        type_name = ElidedLabel(parameter.type, font=fonts.mono_font(), tint="text3")
        required = label(self.tr("required"), font=fonts.semibold(fonts.LABEL), tint="warn")
        marks = (required,) if parameter.required else ()
        top = hbox(name, type_name, *marks, STRETCH, spacing=8)
        column = vbox(top, spacing=2, margins=(0, 6, 0, 6), parent=self)
        if parameter.description:
            column.addWidget(wrapped(parameter.description, selectable=True))
