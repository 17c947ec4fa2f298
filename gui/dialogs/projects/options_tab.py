"""How the apps of a project reach tools: exposure, search strategy, pinned tools."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.components.pin_picker import PinPicker, PinsRow, exposure_text
from gui.dialogs.projects.changes import ProjectChanges
from gui.widgets.buttons import Segmented, Toggle
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
        self._reach = Segmented(
            self.tr("How apps reach tools"),
            (
                (Exposure.SEARCH, self.tr("Search")),
                (Exposure.PROGRESSIVE, self.tr("Progressive")),
                (_DIRECT, self.tr("Direct")),
            ),
            on_change=self._set_reach,
        )
        self._strategies = Segmented(
            self.tr("Search strategy"),
            (
                (Optimization.BM25, "BM25"),
                (Optimization.HYBRID, self.tr("Hybrid")),
                (Optimization.CLOUD, self.tr("Cloud")),
            ),
            on_change=self._set_strategy,
        )
        card = RowCard()
        self._meaning = card.add_row(self.tr("How apps reach tools"), "", self._reach)
        strategies = self.tr("By keyword, by keyword and meaning, or with a cloud service.")
        card.add_row(self.tr("Search strategy"), strategies, self._strategies)
        search = self.tr("Search tool with Progressive")
        self._search = Toggle(search, on_click=self._offer_search)
        offered = self.tr("Apps that browse servers can also search all tools at once.")
        card.add_row(search, offered, self._search)
        self._pins = PinsRow(card, self._pin_picker)
        vbox(card, STRETCH, margins=NO_MARGINS, parent=self)

    def show_project(self, project: ProjectId | None) -> None:
        self._project = project
        config = self._changes.config(project)
        optimized = config.optimization is not None
        self._strategy = config.optimization or self._strategy
        self._reach.set_current(config.exposure if optimized else _DIRECT)
        self._strategies.set_current(config.optimization)
        self._strategies.setEnabled(optimized)
        self._search.setChecked(config.offer_search)
        self._search.setEnabled(optimized and config.exposure is Exposure.PROGRESSIVE)
        self._pins.button.setEnabled(optimized)
        direct = self.tr("Apps get every tool definition with every request.")
        self._meaning.setText(exposure_text(config.exposure) if optimized else direct)
        self._pins.show_pins(config.pinned)

    def _pin_picker(self) -> PinPicker:
        servers = self._changes.config(self._project).servers
        picker = PinPicker(self._router, self._workspace, servers, self)
        picker.chosen.connect(self._pin)
        return picker

    def _set_reach(self, reach: str) -> None:
        if reach == _DIRECT:
            self._changes.change(self._project, optimization=None)
            return
        exposure = Exposure(reach)
        self._changes.change(self._project, exposure=exposure, optimization=self._strategy)

    def _set_strategy(self, strategy: str) -> None:
        self._changes.change(self._project, optimization=Optimization(strategy))

    def _offer_search(self, offered: bool) -> None:
        self._changes.change(self._project, offer_search=offered)

    def _pin(self, pins: tuple[str, ...]) -> None:
        self._changes.change(self._project, pinned=pins)
