"""Every dialog of the desktop application, for tests that walk all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtWidgets import QWidget

from gui.components.apps.connect_dialogs import ManualSetupDialog, PlanDialog
from gui.components.pin_picker import PinPicker
from gui.dialogs.add_server.dialog import ServerDialog
from gui.dialogs.onboarding.choices import import_choices
from gui.dialogs.onboarding.dialog import GuideDialog, Step
from gui.dialogs.permission_request.prompt import PermissionPrompt
from gui.dialogs.projects.dialog import ProjectsDialog
from gui.dialogs.scripts.dialog import ScriptsDialog
from gui.dialogs.settings.dialog import PageName, SettingsDialog
from gui.dialogs.try_tool.dialog import TryToolDialog
from gui.dialogs.try_tool.group_fields import ListField
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.widgets.message_box import ask, show_error
from router.api.apps import App, AppConnectionPlan, AppId, AppState, FoundServer, Prompt
from router.catalog.tool_definition import parameters
from router.config.server import ServerConfig
from router.domain.errors import InvalidInput
from router.domain.permissions import PermissionKind, PermissionRequest, PermissionRequestId
from tests.gui.driver import (
    GITHUB,
    PERSONAL,
    SCHEMA,
    tool,
)
from tests.support.fakes import FakeRouter, run_now

APP = App(AppId("cursor"), "Cursor", Path("/c"), AppState.FOUND)
FOUND = FoundServer("a", "Zed", Path("/z"), ServerConfig(command="a"), (Prompt("k", "Key", True),))

ASK = PermissionRequest(
    PermissionRequestId("1"),
    "Cursor",
    GITHUB.ref,
    "GitHub",
    None,
    PermissionKind.TOOL,
    "fork",
    "{}",
    datetime.now(UTC) + timedelta(minutes=1),
)


def dialogs(router: FakeRouter, text: str = "Cursor") -> Iterator[QWidget]:
    """Each dialog, in each state that has other controls, with `text` where clients and servers
    have theirs."""
    commands = Commands(run_now)
    below = QWidget()
    yield ask(below, text, text, yes="Resume", on_yes=lambda: None)
    yield show_error(None, InvalidInput(text, text))
    for page in PageName:
        settings = SettingsDialog(router, commands, EventBridge(), None)
        settings.open_at(page)
        yield settings
    yield ServerDialog(router, commands, PERSONAL)
    several = ServerDialog(router, commands, PERSONAL)
    several.paste.paste("npx -y a-mcp\nnpx -y b-mcp")
    yield several
    editing = ServerDialog(router, commands, PERSONAL)
    editing.edit(GITHUB.ref, "GitHub")
    yield editing
    named = tool("create_issue")._replace(
        title=text, description=text, parameters=parameters(SCHEMA)
    )
    trying = TryToolDialog(router, commands, PERSONAL, named, None)
    for inner in trying.findChildren(ListField):
        inner.add()
    yield trying
    yield PlanDialog(AppConnectionPlan(APP.id, text, APP.path, False, (), ""), None)
    yield ManualSetupDialog(replace(APP, name=text), None)
    prompt = PermissionPrompt()
    prompt.show_request(replace(ASK, client=text, server_name=text, name=text, arguments=text), 1)
    yield prompt
    yield ScriptsDialog(router, commands, PERSONAL, None)
    picker = PinPicker(router, PERSONAL, None, None)
    picker.show_pins(())
    yield picker
    for tab in range(4):
        projects = ProjectsDialog(router, commands, EventBridge(), PERSONAL, None)
        projects.go_to_tab(tab)
        yield projects
    for step in Step:
        guide = GuideDialog(
            router, commands, EventBridge(), import_choices((FOUND,), ()), (step,), None
        )
        yield guide
