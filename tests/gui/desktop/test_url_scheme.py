"""`toolbooth://` links: registered where the system looks; the user decides about their servers."""

from __future__ import annotations

import base64
import json
import logging
import plistlib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.application import DesktopApplication
from gui.desktop.autostart import RegistryEntry
from gui.desktop.own_link import SCHEME, is_own_link
from gui.desktop.url_scheme import XdgLinks, information, windows_line
from gui.dialogs.add_server.dialog import ServerDialog
from gui.dialogs.add_server.install_links import MAX_LENGTH
from gui.dialogs.settings.dialog import PageName, SettingsDialog
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.widgets.buttons import Toggle
from gui.windows import Windows
from tests.gui.driver import press, texts
from tests.support.fakes import FakeRouter, run_aside, run_now
from tests.support.timeouts import WAIT_MS

COMMAND = ("/opt/tool booth/toolbooth",)


def link_to(entry: object, name: str = "notes") -> str:
    config = base64.b64encode(json.dumps(entry).encode()).decode()
    return f"{SCHEME}://add?name={quote(name)}&config={quote(config)}"


GOOD = link_to({"command": "npx", "args": ["-y", "server"]})


class FakeLinkKey:
    def __init__(self) -> None:
        self.command: str | None = None

    def get(self) -> str | None:
        return self.command

    def set(self, line: str) -> None:
        self.command = line

    def delete(self) -> None:
        self.command = None


@pytest.fixture
def windows(gui_loop: object, qtbot: QtBot) -> Windows:
    router, commands = FakeRouter(), Commands(run_now)
    made = Windows(commands, EventBridge())
    qtbot.addWidget(made.main)
    made.attach(router)
    return made


def open_dialogs() -> list[ServerDialog]:
    shown = QApplication.topLevelWidgets()
    return [each for each in shown if isinstance(each, ServerDialog) and each.isVisible()]


def banners(windows: Windows) -> str:
    return texts(windows.main.banners)


def test_only_our_own_scheme_is_a_link_on_the_command_line() -> None:
    assert is_own_link("toolbooth://add?name=x")
    assert is_own_link("TOOLBOOTH:add")
    assert not is_own_link("list")
    assert not is_own_link("https://toolbooth")


def test_on_linux_a_desktop_entry_registers_the_scheme(tmp_path: Path) -> None:
    ran: list[Sequence[str]] = []
    program = tmp_path / "tool booth" / "toolbooth"
    program.parent.mkdir()
    program.touch(0o755)
    links = XdgLinks(tmp_path, [str(program)], ran.append)
    entry = tmp_path / "applications" / "toolbooth.desktop"
    icon = tmp_path / "icons/hicolor/scalable/apps/toolbooth.svg"
    assert not links.is_on()
    links.switch(True)
    assert links.is_on()
    lines = entry.read_text().splitlines()
    assert f'Exec="{program}" %u' in lines
    assert "MimeType=x-scheme-handler/toolbooth;" in lines
    assert "Icon=toolbooth" in lines
    assert "currentColor" not in icon.read_text()
    assert ran == [
        ["update-desktop-database", str(tmp_path / "applications")],
        ["xdg-mime", "default", "toolbooth.desktop", "x-scheme-handler/toolbooth"],
    ]
    links.switch(False)
    assert not links.is_on()
    assert not icon.exists()


def test_on_windows_a_registry_key_registers_the_scheme() -> None:
    key = FakeLinkKey()
    links = RegistryEntry(key, windows_line(COMMAND))
    links.switch(True)
    assert key.command == '"/opt/tool booth/toolbooth" "%1"'
    assert links.is_on()
    links.switch(False)
    links.switch(False)
    assert not links.is_on()


def test_on_macos_the_bundle_registers_the_scheme() -> None:
    plist = plistlib.loads(plistlib.dumps(information()))
    assert [each["CFBundleURLSchemes"] for each in plist["CFBundleURLTypes"]] == [["toolbooth"]]


def test_the_settings_switch_it_and_show_the_system_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gui_loop: object, qtbot: QtBot
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")  # the real system is not changed
    dialog = SettingsDialog(FakeRouter(), Commands(run_aside), EventBridge(), None)
    qtbot.addWidget(dialog)
    dialog.open_at(PageName.GENERAL)
    named = "Open toolbooth:// links"
    toggle = next(t for t in dialog.findChildren(Toggle) if t.accessibleName() == named)
    toggle.click()
    entry = tmp_path / "applications" / "toolbooth.desktop"
    qtbot.waitUntil(lambda: entry.exists() and "x-scheme-handler/toolbooth" in entry.read_text())
    qtbot.waitUntil(lambda: "Saved" in texts(dialog))
    press(dialog, "Undo")
    qtbot.waitUntil(lambda: not toggle.isChecked())
    assert not entry.exists()
    toggle.click()
    qtbot.waitUntil(entry.exists)
    entry.unlink()
    dialog.open_at(PageName.GENERAL)
    assert not toggle.isChecked()


def test_a_link_only_fills_the_form_and_names_its_source(windows: Windows, qtbot: QtBot) -> None:
    windows.open_link(GOOD)
    [dialog] = open_dialogs()
    qtbot.waitUntil(lambda: dialog.form.draft().name == "notes", timeout=WAIT_MS)
    assert dialog.consent.facts() == ["npx", "-y", "server"]
    assert "A link wants to add this server" in texts(dialog)
    dialog.reject()


def test_a_second_link_waits_until_the_first_dialog_closes(windows: Windows) -> None:
    windows.open_link(GOOD)
    windows.open_link(link_to({"command": "other"}))
    [dialog] = open_dialogs()
    assert "Another link is already open." in banners(windows)
    dialog.reject()


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        (f"{SCHEME}://add", "does not describe a server"),
        (f"{SCHEME}://add?name=x&config=%%%", "does not describe a server"),
        (f"{SCHEME}://add?config={base64.b64encode(b'[' * 9000).decode()}", "does not describe"),
        (link_to({"command": "x" * MAX_LENGTH}), "too long"),
        (link_to({"command": "npx\nrm"}), "invisible characters"),
        (link_to({"command": "npx", "args": ["safe\u202egnp.exe"]}), "invisible characters"),
        (link_to({"command": "npx"}, name="no\u200btes"), "invisible characters"),
        (f"{SCHEME}://add?name=a\x1b[31m&url=https://x.example", "invisible characters"),
        (link_to({"command": "npx", "args": ["a\u2028b"]}), "invisible characters"),
        (link_to({"command": "npx", "args": ["\u3164\u2800"]}), "invisible characters"),
        (link_to({"command": "npx", "args": ["a\ufe00\U000e0101"]}), "invisible characters"),
        (f"{SCHEME}://remove?cmd=npx", "does not describe a server"),
        (f"{SCHEME}://add/../run?cmd=npx", "does not describe a server"),
        (f"{SCHEME}://add@run?cmd=npx", "does not describe a server"),
        (f"{SCHEME}://add?cmd=npx&name=x claude mcp add x -- rm", "does not describe a server"),
        (link_to({"command": "npx"}).replace("config=", "config=%255b"), "does not describe"),
    ],
)
def test_a_hostile_link_is_refused_with_a_message(
    windows: Windows, link: str, sentence: str
) -> None:
    windows.open_link(link)
    assert open_dialogs() == []
    assert sentence in banners(windows)


def test_a_long_argument_of_a_link_is_shown_whole(windows: Windows, qtbot: QtBot) -> None:
    hidden_by_spaces = f"readme.txt{' ' * 3000}; rm -rf ~"
    windows.open_link(link_to({"command": "sh", "args": ["-c", hidden_by_spaces]}))
    [dialog] = open_dialogs()
    qtbot.waitUntil(lambda: dialog.form.draft().name == "notes", timeout=WAIT_MS)
    assert dialog.consent.facts() == ["sh", "-c", hidden_by_spaces]
    dialog.reject()


def test_a_link_is_in_no_log(
    windows: Windows, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    windows.open_link(link_to({"command": "npx", "env": {"TOKEN": "planted-secret"}}))
    windows.open_link(link_to({"command": 5, "env": {"TOKEN": "planted-secret"}}))
    [dialog] = open_dialogs()
    qtbot.waitUntil(lambda: dialog.form.draft().name == "notes", timeout=WAIT_MS)
    assert "planted-secret" not in caplog.text
    assert "planted-secret" not in texts(dialog)
    dialog.reject()


def test_a_link_sets_only_how_a_server_is_reached(windows: Windows, qtbot: QtBot) -> None:
    windows.open_link(link_to({"url": "https://x.example/mcp", "autoApprove": ["*"]}))
    [dialog] = open_dialogs()
    qtbot.waitUntil(lambda: dialog.form.draft().name == "notes", timeout=WAIT_MS)
    config = dialog.form.draft().config()
    assert config.url == "https://x.example/mcp"
    assert "autoApprove" not in config.to_json()
    dialog.reject()


def test_on_macos_a_link_arrives_as_a_file_open_event(qapp: DesktopApplication) -> None:
    opened: list[str] = []
    qapp.link_opened.connect(opened.append)
    QApplication.sendEvent(qapp, QFileOpenEvent(QUrl(GOOD)))
    qapp.link_opened.disconnect(opened.append)
    assert opened == [GOOD]
