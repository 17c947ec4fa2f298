"""The banners of the main window: a command failed, the router does not listen, a configuration
file could not be used, or what Toolbooth knows could not be saved; and their end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias, assert_never, get_args

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices

from gui.link.event_bridge import EventBridge
from gui.text.errors import hint_of, message_of, translated
from gui.widgets.banner import Banners
from router.api.events import (
    ConfigAccepted,
    ConfigRejected,
    ListenerStateChanged,
    StorageStateChanged,
)
from router.domain.endpoint import ListenerPhase, ListenerState
from router.domain.errors import ToolboothError

_Shown: TypeAlias = ListenerStateChanged | StorageStateChanged | ConfigRejected | ConfigAccepted


class StatusBanners(Banners):
    settings_requested = Signal()

    def __init__(self, bridge: EventBridge) -> None:
        super().__init__()
        bridge.subscribe(self, self._on_events, *get_args(_Shown))

    def show_error(self, error: ToolboothError) -> None:
        self.put("command", message_of(error), hint_of(error), tone="err")

    def show_listener(self, state: ListenerState) -> None:
        if state.phase is not ListenerPhase.FAILED:
            self.clear("listener")
            return
        self.put(
            "listener",
            translated(state.message or "")
            or self.tr("The router couldn’t start listening for connections."),
            self.tr("Apps can’t connect until this is fixed."),
            tone="err",
            buttons=[(self.tr("Settings…"), self.settings_requested.emit)],
        )

    def _on_events(self, events: Sequence[_Shown]) -> None:
        for event in events:
            match event:
                case ListenerStateChanged(state):
                    self.show_listener(state)
                case StorageStateChanged(reason):
                    self._show_unsaved(reason)
                case ConfigRejected(path, line, reason):
                    self._show_rejected(path, line, reason)
                case ConfigAccepted(path):
                    self.clear(str(path))
                case _:
                    assert_never(event)

    def _show_unsaved(self, reason: str) -> None:
        """An empty `reason`: everything is saved now."""
        if not reason:
            self.clear("storage")
            return
        later = self.tr("Toolbooth keeps them in memory and saves them when it can.")
        self.put(
            "storage", self.tr("Some changes aren’t saved yet"), f"{translated(reason)} {later}"
        )

    def _show_rejected(self, path: Path, line: int | None, reason: str) -> None:
        where = str(path)
        if line is not None:
            where = self.tr("{path}, line {line}").format(path=path, line=line)
        text = self.tr("{name} is invalid. The last valid version is still in use")
        file = QUrl.fromLocalFile(str(path))
        self.put(
            str(path),
            text.format(name=path.name),
            f"{where}: {translated(reason)}",
            buttons=[(self.tr("Open file"), lambda: QDesktopServices.openUrl(file))],
        )
