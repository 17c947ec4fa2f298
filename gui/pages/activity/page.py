"""The Activity page: all that apps did, live and from the log, by app, server, kind and text; one
entry in full; and a file of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QComboBox, QFileDialog

from gui.components.activity.model import (
    ActivityCategory,
    ActivityFilter,
    ActivityModel,
    showing_choice,
)
from gui.components.activity.pause_button import PauseControl
from gui.components.activity.table import ActivityView
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.pages.activity.detail import EntryDetail
from gui.pages.activity.export import export
from gui.pages.activity.history import activity_query, merged
from gui.text.errors import error_text
from gui.widgets.buttons import secondary_button
from gui.widgets.cards import Card, vline
from gui.widgets.input_fields import combo_box
from gui.widgets.labels import wrapped
from gui.widgets.layouts import hbox
from gui.widgets.page_frame import PageFrame
from gui.widgets.search_field import SearchField
from gui.widgets.timers import timer
from router.api.events import ActivityRecorded
from router.api.router import RouterPort
from router.domain.activity import ActivityEntry, ActivityQueryResult
from router.domain.errors import ToolboothError

MAX_LOADED = 5000
FILTER_MS = 80
MIN_ROWS = 40


class ActivityPage(PageFrame):
    def __init__(self, router: RouterPort, commands: Commands, bridge: EventBridge) -> None:
        super().__init__(
            self.tr("Activity"), self.tr("Searches and calls from your apps, newest first.")
        )
        self._pausing = PauseControl(bordered=True)
        export_button = secondary_button(self.tr("Export…"), "download", on_click=self._choose_file)
        self.add_actions(self._pausing.badge, self._pausing.button, export_button)
        self._router, self._commands = router, commands
        self._filter = ActivityFilter()
        self._entries: tuple[ActivityEntry, ...] = ()
        self._next: int | None = None
        self._model = ActivityModel(self, kept=MAX_LOADED)
        nothing = self.tr("No matching entries.")
        self._view = ActivityView(self._model, self.tr("Activity"), nothing)
        self._table = self._view.table
        self._detail = EntryDetail()
        self._text = SearchField(self.tr("Filter by tool, text or ID"))
        self._clients = _choice(self.tr("App"))
        self._servers = _choice(self.tr("Server"))
        self._showing = showing_choice()
        self._message = wrapped("")
        self._due = timer(self, FILTER_MS, self._apply)
        self._connect()
        self._lay_out()
        bridge.subscribe(self, self._on_activity, ActivityRecorded)

    def load(self) -> None:
        """Show the entries of now; later ones are added as they come."""
        self._offer_choices()
        self._entries = self._router.activity.recent()
        self._model.set_entries(self._entries)
        self._read_log()

    def _on_activity(self, events: Sequence[ActivityRecorded]) -> None:
        if self.isVisible():
            for event in events:
                self._model.add_soon(event.entry)

    def focus_filter(self) -> None:
        self._text.setFocus()

    def export_to(self, name: str) -> None:
        """Write what the filter lets through, all of it, to the file called `name`."""
        path = Path(name)

        def show_count(count: int) -> None:
            text = self.tr("Exported %n entries to {name}.", "", count)
            self._show_message(text.format(name=path.name))

        writing = export(self._router, self._filter, path)
        self._commands.run(self, writing, on_done=show_count, on_error=self._show_error)

    # Building

    def _connect(self) -> None:
        self._pausing.attach(self._model)
        self._text.textChanged.connect(self._due.start)
        for choice in (self._clients, self._servers):
            choice.activated.connect(self._apply)
        self._showing.changed.connect(self._apply)
        self._table.selectionModel().currentRowChanged.connect(self._show_entry)
        self._table.verticalScrollBar().valueChanged.connect(self._scrolled)

    def _lay_out(self) -> None:
        filters = hbox((self._text, 1), self._clients, self._servers, self._showing, spacing=12)
        card = Card()
        hbox((self._view, 1), vline(), self._detail, spacing=0, margins=(1, 6, 1, 1), parent=card)
        self._message.hide()
        self.body.addLayout(filters)
        self.body.addWidget(self._message)
        self.body.addWidget(card, 1)

    # Showing

    def _offer_choices(self) -> None:
        entries = self._router.activity.recent()
        clients = {token.name for token in self._router.tokens.list()} | {e.client for e in entries}
        servers = {
            status.id
            for workspace in self._router.workspaces.list()
            for status in self._router.servers.list(workspace.id)
        } | {entry.server for entry in entries if entry.server}
        _offer(self._clients, self.tr("All apps"), clients)
        _offer(self._servers, self.tr("All servers"), servers)

    def _apply(self) -> None:
        self._due.stop()
        self._filter = ActivityFilter(
            ActivityCategory(self._showing.current() or ActivityCategory.ALL),
            self._clients.currentData() or "",
            self._servers.currentData() or "",
            self._text.text(),
        )
        self._model.set_filter(self._filter)
        self._read_log()

    def _read_log(self, before: int | None = None) -> None:
        asked = self._filter

        def take(page: ActivityQueryResult) -> None:
            if asked == self._filter:
                self._add_page(page)

        reading = self._router.activity.page(activity_query(asked, before))
        self._commands.run(self, reading, on_done=take, on_error=self._show_error)

    def _add_page(self, page: ActivityQueryResult) -> None:
        """Add what the log has to what is shown; the place in the list stays."""
        self._next = page.next
        entries = merged(self._router.activity.recent(), (*self._entries, *page.entries))
        if entries != self._entries:
            self._entries = entries
            self._refill()
        if self._model.rowCount() < MIN_ROWS:
            self._load_more()

    def _refill(self) -> None:
        chosen = self._entry(self._table.currentIndex())
        position = self._table.verticalScrollBar().value()
        self._model.set_entries(self._entries)
        if chosen is not None and (row := self._model.row_of(chosen)) is not None:
            self._table.selectRow(row)
        self._table.verticalScrollBar().setValue(position)

    def _scrolled(self, at: int) -> None:
        if at >= self._table.verticalScrollBar().maximum() > 0:
            self._load_more()

    def _load_more(self) -> None:
        """Load more of what the log has, as far as that goes."""
        if self._next is not None and len(self._entries) < MAX_LOADED:
            before, self._next = self._next, None
            self._read_log(before)

    def _entry(self, index: QModelIndex) -> ActivityEntry | None:
        return self._model.entry(index.row()) if index.isValid() else None

    def _show_entry(self, current: QModelIndex) -> None:
        self._detail.show_entry(self._entry(current))

    def _choose_file(self) -> None:
        kinds = "JSON Lines (*.jsonl);;CSV (*.csv)"
        dialog = QFileDialog(self, self.tr("Export activity"), str(Path.home()), kinds)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jsonl")
        dialog.selectFile("toolbooth-activity.jsonl")
        dialog.filterSelected.connect(partial(_set_suffix, dialog))
        dialog.fileSelected.connect(self.export_to)
        dialog.open()

    def _show_message(self, text: str) -> None:
        self._message.setText(text)
        self._message.show()

    def _show_error(self, error: ToolboothError) -> None:
        self._show_message(error_text(error))


def _set_suffix(dialog: QFileDialog, kind: str) -> None:
    dialog.setDefaultSuffix("csv" if "csv" in kind else "jsonl")


def _choice(accessible_name: str) -> QComboBox:
    made = combo_box(accessible_name)
    made.view().setAccessibleName(accessible_name)
    made.setMinimumWidth(132)
    return made


def _offer(choice: QComboBox, everything: str, values: Collection[str]) -> None:
    """Offer `values`; what is chosen stays so."""
    chosen = choice.currentData() or ""
    choice.clear()
    choice.addItem(everything, "")
    for value in sorted({*values, chosen} - {""}, key=str.casefold):
        choice.addItem(value, value)
    choice.setCurrentIndex(max(0, choice.findData(chosen)))
