"""Secrets in plain text cause a warning in the window, not only in the terminal."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gui.dialogs.add_server.consent_card import ConsentCard
from gui.dialogs.add_server.draft import ServerDraft
from gui.widgets.theme import Theme
from router.config.secret_detection import UnsafeSecret
from router.config.server import ServerConfig
from tests.gui.driver import GITHUB, SENTRY, open_window, press, sample_router, texts
from tests.support.fakes import FakeRouter


@pytest.fixture
def router() -> FakeRouter:
    made = sample_router()
    made.state.unsafe_secrets[GITHUB.ref] = (UnsafeSecret("--token", plain=True),)
    made.state.unsafe_secrets[SENTRY.ref] = (UnsafeSecret("API_KEY", plain=False),)
    return made


def test_a_plain_text_secret_is_shown_at_its_server_with_a_fix(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    window = open_window(router, app_theme, qtbot)
    assert "A secret is stored as plain text in workspace.json (--token)" in texts(window)
    asked: list[object] = []
    window.pages.workspace.edit_requested.connect(asked.append)
    press(window.pages.workspace.detail, "Edit…")
    assert asked == [GITHUB.ref]
    window.select_server(SENTRY.ref)
    qtbot.waitUntil(lambda: "No keyring available: API_KEY is only kept until" in texts(window))
    assert "plain text" not in texts(window)


def test_a_secret_in_a_command_line_is_warned_about_before_adding(qtbot: QtBot) -> None:
    card = ConsentCard()
    qtbot.addWidget(card)
    config = ServerConfig(command="npx", args=("server", "--token", "ghp_planted0123456789"))
    card.show_draft(ServerDraft.of("GitHub", config))
    card.show()
    assert "A secret is stored as plain text in workspace.json" in texts(card)
    assert "ghp_planted" not in texts(card)
