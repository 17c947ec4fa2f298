"""How the apps of a project reach tools: exposure, search strategy, pinned tools."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.components.pin_picker import PinPicker, pins_text
from gui.dialogs.projects.changes import ProjectChanges
from gui.widgets.buttons import Segmented, secondary_button
from gui.widgets.cards import RowCard
from gui.widgets.layouts import NO_MARGINS, STRETCH, vbox
from router.api.router import RouterPort
from router.domain.ids import ProjectId, WorkspaceId
from router.domain.workspaces import Exposure, Optimization

_DIRECT = "direct"


class OptionsTab(QWidget):
    def __init__(self, router: RouterPort, workspace: WorkspaceId, changes: ProjectChanges) -> None:
        super().__init__()
        self._router, self._workspace, self._changes = router, workspace, changes
        self._project: ProjectId | None = None
        self._strategy = Optimization.HYBRID
        self._picker: PinPicker | None = None
        self._reach = Segmented(
            self.tr("How apps reach tools"),
            (
                (Exposure.SEARCH, self.tr("Search")),
                (Exposure.PROGRESSIVE, self.tr("Progressive")),
                (_DIRECT, self.tr("Direct")),
            ),
        )
        self._reach.changed.connect(self._set_reach)
        self._strategies = Segmented(
            self.tr("Search strategy"),
            (
                (Optimization.BM25, "BM25"),
                (Optimization.HYBRID, self.tr("Hybrid")),
                (Optimization.CLOUD, self.tr("Cloud")),
            ),
        )
        self._strategies.changed.connect(self._set_strategy)
        self._choose = secondary_button(self.tr("Choose…"), on_click=self.choose_pins)
        self._lay_out()

    def show_project(self, project: ProjectId | None) -> None:
        self._project = project
        config = self._changes.config(project)
        optimized = config.optimization is not None
        self._strategy = config.optimization or self._strategy
        self._reach.set_current(config.exposure if optimized else _DIRECT)
        self._strategies.set_current(config.optimization)
        self._strategies.setEnabled(optimized)
        self._choose.setEnabled(optimized)
        self._meaning.setText(self._meaning_of(config.exposure if optimized else _DIRECT))
        self._show_pins(config.pinned)

    def choose_pins(self) -> None:
        servers = self._changes.config(self._project).servers
        self._picker = PinPicker(self._router, self._workspace, servers, self)
        self._picker.chosen.connect(self._pin)
        self.show_project(self._project)
        self._picker.open()

    def _lay_out(self) -> None:
        card = RowCard()
        self._meaning = card.add_row(self.tr("How apps reach tools"), "", self._reach)
        strategies = self.tr("By keyword, by keyword and meaning, or with a cloud service.")
        card.add_row(self.tr("Search strategy"), strategies, self._strategies)
        self._pins = card.add_row(self.tr("Always include"), "", self._choose)
        vbox(card, STRETCH, margins=NO_MARGINS, parent=self)

    def _meaning_of(self, reach: str) -> str:
        match reach:
            case Exposure.SEARCH:
                return self.tr("Apps search for the tools they need, then call them.")
            case Exposure.PROGRESSIVE:
                return self.tr(
                    "Apps browse servers step by step and combine calls in scripts, using five "
                    "tools."
                )
            case _:
                return self.tr("Apps get every tool definition with every request.")

    def _show_pins(self, pins: tuple[str, ...]) -> None:
        none = self.tr("Apps only get the search tools.")
        many = self.tr("%n pinned tools: {names}", "", len(pins))
        self._pins.setText(pins_text(pins, none, many))
        if self._picker is not None:
            self._picker.show_pins(pins)

    def _set_reach(self, reach: str) -> None:
        if reach == _DIRECT:
            self._changes.change(self._project, optimization=None)
            return
        exposure = Exposure(reach)
        self._changes.change(self._project, exposure=exposure, optimization=self._strategy)

    def _set_strategy(self, strategy: str) -> None:
        self._changes.change(self._project, optimization=Optimization(strategy))

    def _pin(self, pins: tuple[str, ...]) -> None:
        self._changes.change(self._project, pinned=pins)
