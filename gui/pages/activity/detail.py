"""One entry in full: what happened, to whom, what it cost, and the ids to find it in the logs."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPlainTextEdit, QWidget

from gui.pages.activity.export import as_json
from gui.text import formats
from gui.text.activity_row import activity_row
from gui.text.tr import tr
from gui.widgets import fonts
from gui.widgets.buttons import CopyButton
from gui.widgets.cards import hline
from gui.widgets.input_fields import mono_text
from gui.widgets.labels import ElidedLabel, Pill, label, section_label, wrapped
from gui.widgets.layouts import STRETCH, Part, hbox, vbox
from gui.widgets.scroll_area import ScrollArea
from router.domain.activity import ActivityEntry, ActivityKind

WIDTH = 348
_CALLS = (ActivityKind.CALL, ActivityKind.PROMPT, ActivityKind.RESOURCE)


class EntryDetail(ScrollArea):
    """Shows nothing until it is given an entry."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Details of the selected entry"))
        self.setFixedWidth(WIDTH)
        self.show_entry(None)

    def show_entry(self, entry: ActivityEntry | None) -> None:
        nothing = wrapped(self.tr("Select an entry to see its details."))
        parts = (nothing,) if entry is None else self._parts(entry)
        self.show_layout(vbox(*parts, STRETCH, spacing=10, margins=(20, 16, 20, 16)))

    def _parts(self, entry: ActivityEntry) -> Iterator[Part]:
        yield self._title(entry)
        yield _pills(entry)
        if entry.message:
            yield wrapped(entry.message, tint="err" if _failed(entry) else "warn")
        for grid in (_grid(_facts(entry)), _grid(_costs(entry)), self._ids(entry)):
            yield hline()
            yield grid
        if entry.kind in _CALLS:
            yield hline()
            yield section_label(self.tr("Arguments"))
            yield self._arguments(entry)

    def _title(self, entry: ActivityEntry) -> QHBoxLayout:
        asked = f"“{entry.detail}”" if entry.kind is ActivityKind.SEARCH and entry.detail else ""
        name = ElidedLabel(
            entry.tool or asked or activity_row(entry).what,
            font=fonts.mono_font(14) if entry.tool else fonts.semibold(14),
        )
        return hbox(
            (name, 1),
            CopyButton(self.tr("Copy as JSON"), lambda: as_json(entry, indent=2)),
            spacing=8,
        )

    def _ids(self, entry: ActivityEntry) -> QGridLayout:
        grid = _grid(())
        ids = (
            (self.tr("Request ID"), self.tr("Copy request ID"), entry.request_id),
            (self.tr("Trace ID"), self.tr("Copy trace ID"), entry.trace_id),
        )
        for row, (title, tooltip, text) in enumerate(each for each in ids if each[2]):
            value = ElidedLabel(text, elide=Qt.TextElideMode.ElideMiddle, font=fonts.mono_font())
            copy = CopyButton(tooltip, lambda text=text: text, size=24)
            grid.addWidget(_caption(title), row, 0)
            grid.addWidget(value, row, 1)
            grid.addWidget(copy, row, 2)
        return grid

    def _arguments(self, entry: ActivityEntry) -> QWidget:
        if not entry.detail:
            return wrapped(self.tr("Not logged. To log arguments, go to Settings > Activity."))
        text = mono_text(QPlainTextEdit(entry.detail), self.tr("Arguments"), read_only=True)
        text.setFixedHeight(120)
        return text


def _failed(entry: ActivityEntry) -> bool:
    return entry.outcome not in ("ok", "cancelled")


def _pills(entry: ActivityEntry) -> QHBoxLayout:
    shown = activity_row(entry)
    return hbox(
        Pill(shown.kind, shown.kind_tone),
        Pill(shown.outcome, shown.outcome_tone),
        STRETCH,
        spacing=6,
    )


def _facts(entry: ActivityEntry) -> tuple[tuple[str, str], ...]:
    at = entry.at.astimezone()
    searched = entry.detail if entry.kind is ActivityKind.SEARCH else None
    found = None if entry.result_count is None else formats.grouped(entry.result_count)
    return tuple(
        (title, text)
        for title, text in (
            (tr("Time"), f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03}"),
            (tr("App"), entry.client),
            (tr("Workspace"), entry.workspace),
            (tr("Project"), entry.project),
            (tr("Server"), entry.server),
            (tr("Query"), searched),
            (tr("Tools found"), found if entry.kind is ActivityKind.SEARCH else None),
            (tr("Tools listed"), found if entry.kind is ActivityKind.LIST else None),
        )
        if text
    )


def _costs(entry: ActivityEntry) -> tuple[tuple[str, str], ...]:
    tokens = (
        (tr("Tokens sent"), entry.input_tokens),
        (tr("Tokens returned"), entry.context_tokens),
        (tr("Tokens saved"), max(0, entry.saved_tokens)),
    )
    shown = tuple((title, formats.grouped(count)) for title, count in tokens if count)
    return (tr("Duration"), formats.duration(entry.duration_ms)), *shown


def _grid(pairs: tuple[tuple[str, str], ...]) -> QGridLayout:
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(7)
    grid.setColumnMinimumWidth(0, 104)
    grid.setColumnStretch(1, 1)
    for row, (title, text) in enumerate(pairs):
        value = wrapped(text, tint="text1")
        grid.addWidget(_caption(title), row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(value, row, 1)
    return grid


def _caption(text: str) -> QWidget:
    return label(text, font=fonts.ui_font(fonts.SMALL), tint="text2")
