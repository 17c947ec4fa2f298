"""Failures have a button that fixes them: a command to copy, a longer timeout."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gui.main_window.main_window import MainWindow
from gui.text.install_hints import install_command
from gui.widgets.theme import Theme
from router.api.events import ServerStatusChanged
from router.domain.failures import Failure, FailureKind
from tests.gui.driver import CONFIG, SENTRY, open_window, press, sample_router
from tests.support.fakes import FakeRouter, SentCommand

MISSING = Failure(FailureKind.COMMAND_NOT_FOUND, "uvx", "/usr/bin")


@pytest.fixture
def router() -> FakeRouter:
    return sample_router()


@pytest.fixture
def window(router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot) -> MainWindow:
    made = open_window(router, app_theme, qtbot)
    made.pages.workspace.servers.select(SENTRY.ref)
    return made


def offered(window: MainWindow) -> set[str]:
    buttons = window.pages.workspace.detail.findChildren(QPushButton)
    return {button.text() for button in buttons if button.isVisible()}


@pytest.mark.parametrize(
    ("command", "manager", "typed"),
    [
        ("npx", "apt", "sudo apt install nodejs npm"),
        ("/opt/bin/npx.cmd", "winget", "winget install --id OpenJS.NodeJS.LTS"),
        ("uvx", "brew", "brew install uv"),
        ("uvx", "apt", "curl -LsSf https://astral.sh/uv/install.sh | sh"),
        ("docker", "dnf", None),
        ("my-own-server", "apt", None),
    ],
)
def test_a_missing_program_has_its_install_command_if_there_is_one(
    command: str, manager: str, typed: str | None
) -> None:
    def there(name: str) -> str | None:
        return f"/usr/bin/{name}" if name == manager else None

    assert install_command(command, there, "linux") == typed


def test_windows_is_not_offered_the_shell_installer_even_where_it_has_a_shell() -> None:
    def there(name: str) -> str | None:
        return "C:\\Program Files\\Git\\bin\\sh.exe" if name == "sh" else None

    assert install_command("uvx", there, "win32") is None


@pytest.mark.proves("DISC-12")
def test_the_install_command_of_a_missing_program_can_be_copied(
    router: FakeRouter, window: MainWindow
) -> None:
    router.emit(ServerStatusChanged(replace(SENTRY, failure=MISSING)))
    press(window.pages.workspace.detail, "Copy install command")
    assert QGuiApplication.clipboard().text() == install_command("uvx")
    assert "Increase timeout" not in offered(window)


@pytest.mark.proves("DISC-12")
def test_a_server_that_timed_out_is_retried_with_twice_the_timeout(
    router: FakeRouter, window: MainWindow, qtbot: QtBot
) -> None:
    press(window.pages.workspace.detail, "Increase timeout")
    qtbot.waitUntil(lambda: router.commands[-1].name == "discovery.refresh")
    longer = CONFIG.model_copy(update={"discovery_timeout_s": 60.0})
    changed, tried = router.commands[-2:]
    assert changed == SentCommand("servers.update", (SENTRY.ref, SENTRY.name, longer, False))
    assert tried == SentCommand("discovery.refresh", (SENTRY.workspace, SENTRY.id))


def test_a_server_with_the_longest_timeout_gets_no_more(
    router: FakeRouter, window: MainWindow
) -> None:
    longer = CONFIG.model_copy(update={"discovery_timeout_s": 120.0})
    router.state.configs[SENTRY.ref] = longer
    router.emit(ServerStatusChanged(SENTRY))
    assert "Increase timeout" not in offered(window)
    assert "Retry" in offered(window)
