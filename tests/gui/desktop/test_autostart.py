"""Starting at login: registered where the system looks, and read back from there."""

from __future__ import annotations

import plistlib
from pathlib import Path
from subprocess import list2cmdline

import pytest
from pytestqt.qtbot import QtBot

from gui.desktop.autostart import LaunchAgent, RegistryEntry, XdgAutostart
from gui.dialogs.settings.dialog import PageName, SettingsDialog
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.widgets.buttons import Toggle
from tests.gui.driver import press, texts
from tests.support.fakes import FakeRouter, run_aside

COMMAND = ("/opt/tool booth/toolbooth", "--hidden")


class FakeRunKey:
    def __init__(self) -> None:
        self.line: str | None = None

    def get(self) -> str | None:
        return self.line

    def set(self, line: str) -> None:
        self.line = line

    def delete(self) -> None:
        self.line = None


def an_executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(0o755)
    return path


def test_on_linux_autostart_is_a_desktop_entry(tmp_path: Path) -> None:
    program = an_executable(tmp_path / "tool booth" / "toolbooth")
    autostart = XdgAutostart(tmp_path, [str(program), "--hidden"])
    file = tmp_path / "autostart/toolbooth.desktop"
    assert not autostart.is_on()
    autostart.switch(True)
    assert autostart.is_on()
    assert f'Exec="{program}" --hidden\n' in file.read_text()
    file.write_text(file.read_text() + "Hidden=true\n")
    assert not autostart.is_on()
    autostart.switch(False)
    assert not file.exists()


@pytest.mark.parametrize("name", ['to$ol "b\\', "100%", "plain", "`tick`", "ツール"])
def test_an_entry_counts_only_while_its_program_exists(name: str, tmp_path: Path) -> None:
    program = an_executable(tmp_path / name / "toolbooth")
    autostart = XdgAutostart(tmp_path, [str(program), "--hidden"])
    autostart.switch(True)
    assert autostart.is_on()
    program.unlink()
    assert not autostart.is_on()


@pytest.mark.parametrize(
    "text", ["", "rubbish", "[Desktop Entry]\n", "[Desktop Entry]\nExec='\n", "[Other]\nExec=sh\n"]
)
def test_a_malformed_entry_counts_as_off_and_can_be_switched_on(text: str, tmp_path: Path) -> None:
    program = an_executable(tmp_path / "toolbooth")
    autostart, file = (
        XdgAutostart(tmp_path, [str(program)]),
        tmp_path / "autostart/toolbooth.desktop",
    )
    file.parent.mkdir()
    file.write_text(text)
    assert not autostart.is_on()
    autostart.switch(True)
    assert autostart.is_on()
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_on_macos_autostart_is_a_launch_agent(tmp_path: Path) -> None:
    agent, file = LaunchAgent(tmp_path, COMMAND), tmp_path / "Library/LaunchAgents/toolbooth.plist"
    agent.switch(True)
    assert agent.is_on()
    assert plistlib.loads(file.read_bytes())["ProgramArguments"] == list(COMMAND)
    file.write_text("broken")
    assert not agent.is_on()
    agent.switch(False)
    assert not file.exists()


def test_on_windows_autostart_is_a_run_key() -> None:
    key = FakeRunKey()
    autostart = RegistryEntry(key, list2cmdline(COMMAND))
    autostart.switch(True)
    assert key.line == '"/opt/tool booth/toolbooth" --hidden'
    assert autostart.is_on()
    autostart.switch(False)
    autostart.switch(False)
    assert not autostart.is_on()


def test_the_settings_switch_it_and_show_the_system_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gui_loop: object, qtbot: QtBot
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    dialog = SettingsDialog(FakeRouter(), Commands(run_aside), EventBridge(), None)
    qtbot.addWidget(dialog)
    dialog.open_at(PageName.GENERAL)
    toggles = dialog.findChildren(Toggle)
    toggle = next(each for each in toggles if each.accessibleName() == "Start at login")
    file = tmp_path / "autostart/toolbooth.desktop"

    toggle.click()
    qtbot.waitUntil(lambda: file.exists() and "--hidden" in file.read_text())
    qtbot.waitUntil(lambda: "Saved" in texts(dialog))
    press(dialog, "Undo")
    qtbot.waitUntil(lambda: not toggle.isChecked())
    assert not file.exists()
    toggle.click()
    qtbot.waitUntil(toggle.isChecked)
    file.unlink()
    dialog.open_at(PageName.GENERAL)
    assert not toggle.isChecked()
