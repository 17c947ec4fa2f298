"""Shows which tools an app would find, by the search that serves apps; records nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from gui.components.actions import Actions
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.pages.playground.result_column import ResultColumn
from gui.text.errors import error_text
from gui.widgets import fonts
from gui.widgets.buttons import Segmented
from gui.widgets.labels import wrapped
from gui.widgets.layouts import hbox
from gui.widgets.page_frame import PageFrame
from gui.widgets.search_field import SearchField
from gui.widgets.timers import timer
from router.api.events import CatalogChanged
from router.api.router import RouterPort
from router.domain.errors import ToolboothError
from router.domain.search import SearchTrial
from router.domain.workspaces import Optimization

PAUSE_MS = 250
_COMPARE = "compare"
_BOTH = (Optimization.BM25, Optimization.HYBRID)


class PlaygroundPage(PageFrame):
    def __init__(
        self, router: RouterPort, commands: Commands, bridge: EventBridge, actions: Actions
    ) -> None:
        super().__init__(
            self.tr("Search playground"),
            self.tr("See which tools an app would get for a request, and why."),
        )
        self._router, self._commands = router, commands
        self._asked = 0
        self._field = SearchField(self.tr("Search as an app would, for example: open a ticket"))
        self._field.setFixedHeight(38)
        self._field.setFont(fonts.ui_font(14))
        self._choice = Segmented(
            self.tr("Search strategy"),
            (
                (Optimization.BM25, "BM25"),
                (Optimization.HYBRID, self.tr("Hybrid")),
                (_COMPARE, self.tr("Compare")),
            ),
            self._choose,
        )
        self._choice.set_current(_COMPARE)
        self._columns = {
            Optimization.BM25: ResultColumn(self.tr("Keyword (BM25)")),
            Optimization.HYBRID: ResultColumn(self.tr("Hybrid")),
        }
        self._error = wrapped("", tint="err")
        self._error.hide()
        self._pause = timer(self, PAUSE_MS, self.search)
        self._connect(actions)
        self._lay_out()
        self._show(())
        bridge.subscribe(self, self._search_again, *get_args(CatalogChanged))

    def ask(self, text: str) -> None:
        self._field.setText(text)
        self.search()

    def search(self) -> None:
        """Search for the text in the field; results of an earlier search are dropped."""
        self._pause.stop()
        self._asked += 1
        asked, query = self._asked, self._field.text().strip()
        if not query:
            self._show(())
            return

        def show(trials: tuple[SearchTrial, ...]) -> None:
            if asked == self._asked:
                self._show(trials)

        self._commands.run(
            self,
            self._router.search.try_out(
                self._router.workspaces.active(), None, [query], strategies=self._strategies()
            ),
            on_done=show,
            on_error=self._show_error,
        )

    def _search_again(self, _: object) -> None:
        """What the results depend on has changed."""
        if self._asked and self._field.text().strip():
            self._pause.start()

    def focus_filter(self) -> None:
        self._field.setFocus()

    def _connect(self, actions: Actions) -> None:
        self._field.textChanged.connect(self._pause.start)
        self._field.returnPressed.connect(self.search)
        for column in self._columns.values():
            column.block_requested.connect(actions.block_tool)
            column.pin_requested.connect(actions.pin_tool)

    def _lay_out(self) -> None:
        columns = ((column, 1) for column in self._columns.values())
        self.body.addLayout(hbox((self._field, 1), self._choice, spacing=12))
        self.body.addWidget(self._error)
        self.body.addLayout(hbox(*columns, spacing=12), 1)

    def _strategies(self) -> Sequence[Optimization]:
        current = self._choice.current()
        return _BOTH if current in (None, _COMPARE) else (Optimization(current),)

    def _choose(self, _: str) -> None:
        shown = self._strategies()
        for strategy, column in self._columns.items():
            column.setVisible(strategy in shown)
        self.search()

    def _show(self, trials: Sequence[SearchTrial]) -> None:
        self._error.hide()
        answered = dict(zip(self._strategies(), trials, strict=False))
        workspace = self._router.workspaces.active()
        pinned = self._router.projects.config(workspace, None).pinned
        for strategy, column in self._columns.items():
            column.show_trial(answered.get(strategy), pinned)

    def _show_error(self, error: ToolboothError) -> None:
        self._error.setText(error_text(error))
        self._error.show()
