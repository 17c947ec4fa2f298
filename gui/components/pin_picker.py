"""The tools that apps get without searching: the row that names them, and their picker."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from gui.components.tool_list import ToolList
from gui.text import formats
from gui.text.tr import tr
from gui.widgets import fonts
from gui.widgets.buttons import primary_button, secondary_button
from gui.widgets.cards import Card, RowCard
from gui.widgets.labels import label, wrapped
from gui.widgets.layouts import hbox, vbox
from gui.widgets.window_size import open_at_size
from router.api.router import RouterPort
from router.domain.ids import ServerId, ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.domain.tools import ToolView
from router.domain.workspaces import Exposure

_TICK = {True: Permission.ALLOW, False: Permission.DENY}


class PinsRow(QObject):
    """A row of `card`; `pick` makes the picker."""

    def __init__(self, card: RowCard, pick: Callable[[], PinPicker]) -> None:
        super().__init__(card)
        self._pick = pick
        self._picker: PinPicker | None = None
        self._pins: tuple[str, ...] = ()
        self.button = secondary_button(self.tr("Choose…"), on_click=self._choose)
        words = self.tr("pin, pinned tools, favourites, favorites")
        self._names = card.add_row(self.tr("Always include"), "", self.button, words=words)

    def show_pins(self, pins: tuple[str, ...]) -> None:
        self._pins = pins
        names = ", ".join(pin.partition(":")[2] for pin in pins)
        self._names.setText(
            self.tr("%n pinned tools: {names}", "", len(pins)).format(names=names)
            if pins
            else self.tr("Apps only get the search tools.")
        )
        if self._picker is not None:
            self._picker.show_pins(pins)

    def _choose(self) -> None:
        self._picker = self._pick()
        self._picker.show_pins(self._pins)
        self._picker.open()


class PinPicker(QDialog):
    """Each tick is a request; `show_pins` shows what is in force."""

    chosen = Signal(tuple)
    """The keys of all tools to pin."""

    def __init__(
        self,
        router: RouterPort,
        workspace: WorkspaceId,
        servers: tuple[ServerId, ...] | None,
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Always include"))
        open_at_size(self, 520, 560)
        self._tools = tuple(_tools(router, workspace, servers))
        self._pins: tuple[str, ...] = ()
        self._list = ToolList()
        self._list.permitted.connect(self._tick)
        self._cost = wrapped("")
        self._lay_out()

    def show_pins(self, pins: tuple[str, ...]) -> None:
        if not self.isVisible():  # Pinned ones come first; what is ticked later stays in place.
            self._tools = tuple(sorted(self._tools, key=lambda tool: str(tool.key) not in pins))
        self._pins = pins
        shown = [t._replace(permission=_TICK[str(t.key) in pins]) for t in self._tools]
        self._list.set_tools(shown)
        tokens = sum(t.context_tokens for t in self._tools if str(t.key) in pins)
        said = self.tr("%n pinned tools, {tokens} tokens in every conversation.", "", len(pins))
        self._cost.setText(said.format(tokens=formats.grouped(tokens)))

    def _lay_out(self) -> None:
        card = Card()
        vbox(self._list, margins=(1, 1, 1, 1), parent=card)
        done = primary_button(self.tr("Done"), on_click=self.accept)
        bottom = hbox((self._cost, 1), done)
        explanation = self.tr(
            "Apps get the selected tools without searching. Each adds its definition to the "
            "context."
        )
        vbox(
            label(self.tr("Always include"), font=fonts.semibold(18)),
            wrapped(explanation),
            (card, 1),
            bottom,
            spacing=12,
            margins=(24, 18, 24, 16),
            parent=self,
        )

    def _tick(self, key: ToolKey, ticked: bool) -> None:
        others = tuple(pin for pin in self._pins if pin != str(key))
        self.chosen.emit((*others, str(key)) if ticked else others)


def _tools(
    router: RouterPort, workspace: WorkspaceId, servers: tuple[ServerId, ...] | None
) -> Iterator[ToolView]:
    """The tools of the servers that are on, each with its server's name before what it does."""
    for status in router.servers.list(workspace):
        if status.enabled and (servers is None or status.id in servers):
            for tool in router.tools.list(status.ref):
                yield tool._replace(description=f"{status.name} · {tool.description}")


def exposure_text(exposure: Exposure) -> str:
    """What an exposure means for apps."""
    if exposure is Exposure.SEARCH:
        return tr("Apps search for the tools they need, then call them.")
    return tr("Apps browse servers step by step and combine calls in scripts, using five tools.")
