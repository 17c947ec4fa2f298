"""See which tools an app would get for a request, by the code that serves apps; leaves no trace."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout

from gui.commands import Commands
from gui.look import fonts
from gui.look.widgets import SearchField, Segmented
from gui.playground.result_column import ResultColumn
from gui.saying import explained
from gui.settings.controls import wrapped
from gui.window.page_frame import PageFrame
from router.api.router import RouterPort
from router.domain.errors import ToolboothError
from router.domain.search import SearchTrial
from router.domain.workspaces import Optimization

PAUSE_MS = 250
_COMPARE = "compare"
_BOTH = (Optimization.BM25, Optimization.HYBRID)


class PlaygroundPage(PageFrame):
    pinning_requested = Signal(object, bool)
    """The `ToolKey` of a tool, and whether every app shall get it."""
    hiding_requested = Signal(object)
    """The `ToolKey` of a tool that nobody shall find."""

    def __init__(self, router: RouterPort, commands: Commands) -> None:
        super().__init__(
            self.tr("Search playground"),
            self.tr("See which tools an app would get for a request, and why."),
        )
        self._router, self._commands = router, commands
        self._asked = 0
        self._field = SearchField(self.tr("Ask as an app would, such as: open a ticket"))
        self._field.setFixedHeight(38)
        self._field.setFont(fonts.ui_font(14))
        self._choice = Segmented(
            self.tr("Search strategy"),
            (
                (Optimization.BM25, "BM25"),
                (Optimization.HYBRID, self.tr("Hybrid")),
                (_COMPARE, self.tr("Compare")),
            ),
        )
        self._choice.set_current(_COMPARE)
        self._columns = {
            Optimization.BM25: ResultColumn(self.tr("Keyword (BM25)")),
            Optimization.HYBRID: ResultColumn(self.tr("Hybrid")),
        }
        self._error = wrapped("", tint="err")
        self._error.hide()
        self._pause = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self.search)
        self._connect()
        self._lay_out()
        self._show(())

    def ask(self, text: str) -> None:
        self._field.setText(text)
        self.search()

    def search(self) -> None:
        """Ask for what is in the field now; the answer to an earlier question is dropped."""
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
            on_error=self._refuse,
        )

    def search_again(self) -> None:
        """Something has changed that the answer depends on."""
        if self._asked and self._field.text().strip():
            self._pause.start()

    def focus_filter(self) -> None:
        self._field.setFocus()

    def _connect(self) -> None:
        self._field.textChanged.connect(self._pause.start)
        self._field.returnPressed.connect(self.search)
        self._choice.changed.connect(self._choose)
        for column in self._columns.values():
            column.hiding_requested.connect(self.hiding_requested)
            column.pinning_requested.connect(self.pinning_requested)

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(12)
        line.addWidget(self._field, 1)
        line.addWidget(self._choice)
        columns = QHBoxLayout()
        columns.setSpacing(12)
        for column in self._columns.values():
            columns.addWidget(column, 1)
        self.body.addLayout(line)
        self.body.addWidget(self._error)
        self.body.addLayout(columns, 1)

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

    def _refuse(self, error: ToolboothError) -> None:
        self._error.setText(explained(error))
        self._error.show()
