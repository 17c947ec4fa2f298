"""A main window with sample servers, and functions that read and drive it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.main_window.main_window import MainWindow
from gui.widgets.theme import Theme
from router.api.events import Event
from router.config.server import ServerConfig
from router.domain.activity import Savings
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.permissions import Permission
from router.domain.servers import ServerState
from router.domain.tools import DataSource, Effect, ToolView
from router.domain.workspaces import WorkspaceSummary
from tests.support.fakes import FakeRouter, fake_status, run_now

PERSONAL, ACME = WorkspaceId("personal"), WorkspaceId("acme")
GITHUB = fake_status("GitHub", tool_count=2)
SENTRY = fake_status(
    "Sentry",
    state=ServerState.FAILED,
    tool_count=None,
    failure=Failure(FailureKind.TIMEOUT, "30 s"),
)
WAITING = fake_status("Waiting", state=ServerState.NEEDS_CONSENT, tool_count=None)
CONFIG = ServerConfig(command="npx", args=("-y", "server"), env={"API_KEY": "planted-secret"})

SCHEMA: JsonObject = {
    "properties": {
        "owner": {"type": "string", "description": "Who owns it"},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "draft": {"type": "boolean", "default": False},
        "state": {"enum": ["open", "closed", 3]},
        "since": {"type": "string", "format": "date"},
        "labels": {"type": "array", "items": {"type": "string"}},
        "place": {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "name": {"type": ["string", "null"]}},
            "required": ["x"],
        },
        "edits": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"old": {"type": "string"}},
                "required": ["old"],
            },
        },
        "target": {
            "oneOf": [
                {"title": "Branch", "type": "string"},
                {"title": "Number", "type": "integer"},
            ]
        },
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "extra": {"type": "object"},
    },
    "required": ["owner"],
}
"""Of a tool with parameters of every shape."""


def tool(name: str) -> ToolView:
    return ToolView(
        key=ToolKey(GITHUB.id, name),
        title=name,
        description=f"Does {name}",
        signature=f"{name}()",
        parameters=(),
        effect=Effect.READS,
        context_tokens=100,
        permission=Permission.ALLOW,
        available=True,
        last_seen=None,
        source=DataSource.RUNTIME,
    )


def sample_router() -> FakeRouter:
    """Three servers in the active workspace: one ready, one failed, one that needs consent."""
    router = FakeRouter()
    state = router.state
    state.workspaces = (
        WorkspaceSummary(PERSONAL, "Personal", 3, active=True),
        WorkspaceSummary(ACME, "Acme", 0, active=False),
    )
    state.servers[PERSONAL] = (GITHUB, SENTRY, WAITING)
    state.configs = {s.ref: CONFIG for s in (GITHUB, SENTRY, WAITING)}
    state.tools[GITHUB.ref] = (tool("create_issue"), tool("list_issues"))
    state.savings[PERSONAL] = Savings(1140, 48_300, 2_840_000, 61, tuple(range(24)))
    return router


def bridge_from(router: FakeRouter) -> EventBridge:
    """A bridge that delivers each event of `router` at once."""
    bridge = EventBridge()

    def deliver(event: Event) -> None:
        bridge.publish(event)
        bridge.flush()

    router.subscribe(deliver)
    return bridge


def open_window(router: FakeRouter, app_theme: Theme, qtbot: QtBot) -> MainWindow:
    window = MainWindow(app_theme, Commands(run_now), bridge_from(router))
    qtbot.addWidget(window)
    window.attach(router)
    window.show()
    return window


def texts(widget: QWidget) -> str:
    """All visible texts."""
    labels = (label for label in widget.findChildren(QLabel) if label.isVisible())
    return "\n".join(label.accessibleName() or label.text() for label in labels)


def button(widget: QWidget, text: str) -> QAbstractButton:
    buttons = widget.findChildren(QAbstractButton)
    return next(b for b in buttons if text in (b.text(), b.accessibleName()) and b.isVisible())


def press(widget: QWidget, text: str) -> None:
    QTest.mouseClick(button(widget, text), Qt.MouseButton.LeftButton)


def double_click(widget: QWidget, text: str) -> None:
    """As by a mouse: the second click goes to what is under the pointer by then."""
    first = button(widget, text)
    window = first.window()
    place = first.mapTo(window, first.rect().center())
    left, alone = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QTest.mouseDClick(window.windowHandle(), left, alone, place)


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget
