"""Screens for `screenshots.py`: the dialogs and the tray menu."""

from __future__ import annotations

from collections.abc import Iterator

from demo_desk import PERSONAL
from PySide6.QtWidgets import QPlainTextEdit, QWidget
from screens_live import Desk, settled, until, until_apps_are_listed

from gui.components.apps.connect_dialogs import PlanDialog
from gui.components.pin_picker import PinPicker
from gui.dialogs.add_server.dialog import ServerDialog
from gui.dialogs.add_server.draft import ServerDraft
from gui.dialogs.onboarding.choices import import_choices
from gui.dialogs.onboarding.dialog import GuideDialog, Step
from gui.dialogs.permission_request.prompt import PermissionPrompt
from gui.dialogs.projects.dialog import ProjectsDialog
from gui.dialogs.scripts.dialog import ScriptsDialog
from gui.dialogs.settings.dialog import PageName, SettingsDialog
from gui.dialogs.try_tool.dialog import TryToolDialog
from gui.tray.menu import TrayMenu
from gui.tray.view import tray_view
from router.api.apps import ClientId
from router.config.server import ServerConfig
from router.domain.ids import ProjectId, ServerId, ServerRef

COMMAND = ServerConfig(
    command="npx",
    args=("-y", "@modelcontextprotocol/server-github"),
    env={"GITHUB_TOKEN": "not a real one"},
)
ADDRESS = ServerConfig(
    url="https://mcp.linear.app/mcp", headers={"Authorization": "Bearer not a real one"}
)
SCRIPT = """---The size of each file in a folder.
---@param path string The folder
local listing = filesystem.list_directory{path = args.path}:await()
result(listing.content[1].text)
"""
TABS = ("optimization", "servers", "permissions", "rules")


def dialog_screens(desk: Desk) -> Iterator[tuple[str, QWidget]]:
    yield from _settings(desk)
    yield from _projects(desk)
    yield from _server(desk)
    yield from _guide(desk)
    yield "preview", _preview(desk)
    yield "try", _attempt(desk)
    yield "scripts", _scripts(desk)
    with desk.asking():
        prompt = PermissionPrompt()
        prompt.show_request(desk.router.permissions.requests()[0], 1)
        yield "prompt", prompt
    menu = TrayMenu()
    menu.show_view(tray_view(desk.router))
    menu.popup(menu.pos())
    yield "tray", menu


def _settings(desk: Desk) -> Iterator[tuple[str, QWidget]]:
    for page in PageName:
        dialog = SettingsDialog(desk.router, desk.commands, desk.bridge, None)
        dialog.open_at(page)
        yield f"settings-{page}", dialog


def _projects(desk: Desk) -> Iterator[tuple[str, QWidget]]:
    for tab, name in enumerate(TABS):
        dialog = ProjectsDialog(desk.router, desk.commands, desk.bridge, PERSONAL, None)
        dialog.choose(ProjectId("website"))
        dialog.go_to_tab(tab)
        dialog.open()
        yield f"projects-{name}", dialog
    picker = PinPicker(desk.router, PERSONAL, None, None)
    picker.show_pins(desk.router.projects.config(PERSONAL, None).pinned)
    picker.open()
    yield "pins", picker


def _server(desk: Desk) -> Iterator[tuple[str, QWidget]]:
    for name, config in (("github", COMMAND), ("linear", ADDRESS)):
        dialog = ServerDialog(desk.router, desk.commands, PERSONAL)
        dialog.form.set_draft(ServerDraft.of(name, config))
        dialog.open()
        yield f"server-{'command' if config.command else 'url'}", dialog


def _guide(desk: Desk) -> Iterator[tuple[str, QWidget]]:
    """The guide of the first run, with what is found on this computer."""
    findings = desk.do(desk.router.apps.find_servers())
    choices = import_choices(findings.servers, ())
    for step in Step:
        dialog = GuideDialog(desk.router, desk.commands, desk.bridge, choices, tuple(Step), None)
        dialog.show_problems(findings.problems)
        while dialog.current_step() is not step:
            dialog.skip_step()
        dialog.open()
        until_apps_are_listed(dialog)
        yield f"guide-{step}", dialog


def _preview(desk: Desk) -> QWidget:
    dialog = PlanDialog(desk.do(desk.router.apps.plan(ClientId("zed"))), None)
    dialog.open()
    return dialog


def _attempt(desk: Desk) -> QWidget:
    tools = desk.router.tools.list(ServerRef(PERSONAL, ServerId("git")))
    log = next(tool for tool in tools if tool.key.tool == "git_log")
    dialog = TryToolDialog(desk.router, desk.commands, PERSONAL, log, None)
    fields = {each.accessibleName(): each for each in dialog.findChildren(QPlainTextEdit)}
    fields["repo_path"].setPlainText(str(desk.folders.home / "site"))
    dialog.open()
    dialog.run()
    until(lambda: "Say hello" in dialog.result_text())
    return dialog


def _scripts(desk: Desk) -> QWidget:
    if not desk.router.scripts.list(PERSONAL):
        desk.do(desk.router.scripts.save(PERSONAL, "folder_sizes", SCRIPT))
    dialog = ScriptsDialog(desk.router, desk.commands, PERSONAL)
    dialog.open()
    dialog.list.setCurrentRow(0)
    return settled(dialog)
