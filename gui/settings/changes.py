"""Changes made in the settings dialog: each applies at once and can be taken back, newest first."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from PySide6.QtCore import QObject, Signal

from gui.commands import Commands
from router.lists import ApprovalPolicy
from router.model import Exposure, Optimization, WorkspaceId
from router.ports import RouterPort
from router.settings import Settings

Command: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


class SettingsChanges(QObject):
    """Knows how to apply and to undo; tells `saved`, `undone` or `failed` when that is done."""

    saved = Signal()
    undone = Signal()
    failed = Signal(object)
    """With the `ToolboothError`; what was asked for is not in force."""

    def __init__(self, router: RouterPort, commands: Commands, parent: QObject) -> None:
        super().__init__(parent)
        self._router = router
        self._commands = commands
        self._undo: list[Command] = []

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    def setter(self, field: str) -> Callable[[object], None]:
        """What changes one field of the settings and no other, to connect a control to."""

        def set_field(value: object) -> None:
            before: object = getattr(self._router.settings(), field)
            if value != before:
                self._apply(
                    lambda: self._router.apply_settings(self._with(field, value)),
                    lambda: self._router.apply_settings(self._with(field, before)),
                )

        return set_field

    def set_optimization(self, workspace: WorkspaceId, wanted: Optimization | None) -> None:
        """Change how clients outside any project find tools."""
        now = self._router.projects(workspace)[0]

        def setting(optimization: Optimization | None) -> Command:
            return lambda: self._router.set_project_options(
                workspace, None, optimization=optimization, exposure=now.exposure
            )

        if wanted is not now.optimization:
            self._apply(setting(wanted), setting(now.optimization))

    def set_exposure(self, workspace: WorkspaceId, wanted: Exposure) -> None:
        """Change how clients outside any project reach tools."""
        now = self._router.projects(workspace)[0]

        def setting(exposure: Exposure) -> Command:
            return lambda: self._router.set_project_options(
                workspace, None, optimization=now.optimization, exposure=exposure
            )

        if wanted is not now.exposure:
            self._apply(setting(wanted), setting(now.exposure))

    def set_approval_policy(self, workspace: WorkspaceId, wanted: ApprovalPolicy) -> None:
        now = self._router.approval_policy(workspace)
        if wanted is not now:
            self._apply(
                lambda: self._router.set_approval_policy(workspace, wanted),
                lambda: self._router.set_approval_policy(workspace, now),
            )

    def offer_undo(self, _: str, undo: Callable[[], object]) -> None:
        """Something was done that knows itself how to take it back."""

        async def take_back() -> None:
            return None

        def call() -> Coroutine[Any, Any, None]:
            undo()
            return take_back()

        self._undo.append(call)
        self.saved.emit()

    def undo(self) -> None:
        """Take back the newest change."""
        if self._undo:
            taking_back = self._undo.pop()
            self._commands.run(
                self,
                taking_back(),
                on_done=lambda _: self.undone.emit(),
                on_error=self.failed.emit,
            )

    def forget(self) -> None:
        """What was done so far stays."""
        self._undo.clear()

    def _with(self, field: str, value: object) -> Settings:
        """The settings of this moment but for one field, checked."""
        return Settings.model_validate({**self._router.settings().model_dump(), field: value})

    def _apply(self, change: Command, taking_back: Command) -> None:
        def keep(_: object) -> None:
            self._undo.append(taking_back)
            self.saved.emit()

        self._commands.run(self, change(), on_done=keep, on_error=self.failed.emit)
