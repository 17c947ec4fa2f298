"""Choosing the tools that every app gets beside the search tools."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from gui.components.tool_list import ToolList
from gui.text import formats
from gui.widgets import fonts
from gui.widgets.buttons import primary_button
from gui.widgets.cards import Card
from gui.widgets.labels import label, wrapped
from gui.widgets.layouts import hbox, vbox
from gui.widgets.window_size import open_at_size
from router.api.router import RouterPort
from router.domain.ids import ServerId, ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.domain.tools import ToolView

_UNTICKED = {True: Permission.ALLOW, False: Permission.DENY}


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
        shown = [t._replace(permission=_UNTICKED[str(t.key) in pins]) for t in self._tools]
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


def pins_text(pins: tuple[str, ...], none: str, many: str) -> str:
    """The names of the pinned tools, in `many`; `none` if there are none."""
    names = ", ".join(pin.partition(":")[2] for pin in pins)
    return many.format(names=names) if pins else none
