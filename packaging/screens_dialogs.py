"""Screens for `screenshots.py`: the dialogs and the tray menu."""

from __future__ import annotations

from collections.abc import Iterator

from demo_data import PERSONAL
from demo_router import Demo, settled, until, until_apps_are_listed
from PySide6.QtWidgets import QPlainTextEdit, QWidget

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
from router.api.apps import AppId
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
SCRIPT = """---Count the words of each note in a folder.
---@param folder string The folder with the notes.
local listing = filesystem.list_directory{path = arguments.folder}:await()
local calls = {}
for name in listing.content:gmatch("%[FILE%] (%S+)") do
  calls[name] = filesystem.read_text_file{path = arguments.folder .. "/" .. name}
end
local words = {}
for name, file in pairs(await_all(calls)) do
  local _, count = file.content:gsub("%S+", "")
  words[name] = count
end
result(words)
"""
TABS = ("optimization", "servers", "permissions", "rules")


def dialog_screens(demo: Demo) -> Iterator[tuple[str, QWidget]]:
    yield from _settings(demo)
    yield from _projects(demo)
    yield from _server(demo)
    yield from _guide(demo)
    yield "preview", _preview(demo)
    yield "try", _try_tool(demo)
    yield "scripts", _scripts(demo)
    with demo.permission_request():
        prompt = PermissionPrompt()
        prompt.show_request(demo.router.permissions.requests()[0], 1)
        yield "prompt", prompt
    menu = TrayMenu()
    menu.show_view(tray_view(demo.router))
    menu.popup(menu.pos())
    yield "tray", menu


def _settings(demo: Demo) -> Iterator[tuple[str, QWidget]]:
    for page in PageName:
        dialog = SettingsDialog(demo.router, demo.commands, demo.bridge, None)
        dialog.open_at(page)
        yield f"settings-{page}", dialog


def _projects(demo: Demo) -> Iterator[tuple[str, QWidget]]:
    for tab, name in enumerate(TABS):
        dialog = ProjectsDialog(demo.router, demo.commands, demo.bridge, PERSONAL, None)
        dialog.choose(ProjectId("website"))
        dialog.go_to_tab(tab)
        dialog.open()
        yield f"projects-{name}", dialog
    picker = PinPicker(demo.router, PERSONAL, None, None)
    picker.show_pins(demo.router.projects.config(PERSONAL, None).pinned)
    picker.open()
    yield "pins", picker


def _server(demo: Demo) -> Iterator[tuple[str, QWidget]]:
    for name, config in (("github", COMMAND), ("linear", ADDRESS)):
        dialog = ServerDialog(demo.router, demo.commands, PERSONAL)
        dialog.form.set_draft(ServerDraft.of(name, config))
        dialog.open()
        yield f"server-{'command' if config.command else 'url'}", dialog


def _guide(demo: Demo) -> Iterator[tuple[str, QWidget]]:
    """The guide of the first run, with the servers found in the demo's files."""
    findings = demo.do(demo.router.apps.find_servers())
    choices = import_choices(findings.servers, ())
    for step in Step:
        dialog = GuideDialog(demo.router, demo.commands, demo.bridge, choices, tuple(Step), None)
        dialog.show_problems(findings.problems)
        while dialog.current_step() is not step:
            dialog.skip_step()
        dialog.open()
        until_apps_are_listed(dialog)
        yield f"guide-{step}", dialog


def _preview(demo: Demo) -> QWidget:
    dialog = PlanDialog(demo.do(demo.router.apps.plan(AppId("zed"))), None)
    dialog.open()
    return dialog


def _try_tool(demo: Demo) -> QWidget:
    tools = demo.router.tools.list(ServerRef(PERSONAL, ServerId("git")))
    log = next(tool for tool in tools if tool.key.tool == "git_log")
    dialog = TryToolDialog(demo.router, demo.commands, PERSONAL, log, None)
    fields = {each.accessibleName(): each for each in dialog.findChildren(QPlainTextEdit)}
    fields["repo_path"].setPlainText(str(demo.folders.home / "site"))
    dialog.open()
    dialog.run()
    until(lambda: "Say hello" in dialog.result_text())
    return dialog


def _scripts(demo: Demo) -> QWidget:
    if not demo.router.scripts.list(PERSONAL):
        demo.do(demo.router.scripts.save(PERSONAL, "count_words", SCRIPT))
    dialog = ScriptsDialog(demo.router, demo.commands, PERSONAL)
    dialog.open()
    dialog.list.setCurrentRow(0)
    return settled(dialog)
