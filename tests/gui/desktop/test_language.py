"""The window in the user's language."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.desktop.language import Language, language_code
from gui.dialogs.settings.page import description
from gui.text.tr import tr
from gui.widgets.theme import Theme
from router.domain.servers import PromptResourceLists, PromptResourceView
from tests.gui.driver import GITHUB, SENTRY, open_window, sample_router

TOOL = Path(__file__).parents[3] / "packaging" / "translations.py"


@pytest.fixture
def language(qapp: QApplication) -> Iterator[Language]:
    subprocess.run([sys.executable, str(TOOL), "compile"], check=True)
    language = Language(qapp)
    yield language
    language.forget()


@pytest.mark.parametrize(
    ("choice", "system", "code"),
    [
        ("system", ["ja-JP", "en-US"], "ja"),
        ("system", ["de-DE", "ja"], "ja"),
        ("system", ["de-DE", "fr"], "en"),
        ("system", [], "en"),
        ("system", ["ja_JP"], "ja"),
        ("en", ["ja-JP"], "en"),
        ("ja", ["en-US"], "ja"),
    ],
)
def test_the_setting_takes_precedence_then_the_system_then_english(
    choice: str, system: list[str], code: str
) -> None:
    assert language_code(choice, system) == code


def test_the_language_switches_to_japanese_and_back(language: Language) -> None:
    assert language.use("ja")
    assert tr("Router running") == "ルーター稼働中"
    assert tr("%n tools", "", 3) == "ツール 3 個"
    assert language.use("en")
    assert tr("Router running") == "Router running"


def test_the_same_language_again_is_no_change(language: Language) -> None:
    language.use("ja")
    assert not language.use("ja")


def test_english_has_plural_forms(language: Language) -> None:
    language.use("en")
    assert [tr("%n servers", "", count) for count in (0, 1, 2)] == [
        "0 servers",
        "1 server",
        "2 servers",
    ]


def test_descriptions_of_settings_are_translated_though_declared_elsewhere(
    language: Language,
) -> None:
    language.use("ja")
    assert description("port") == "ルーターが待ち受けるポート（127.0.0.1）です。"


def test_every_text_is_translated() -> None:
    checked = subprocess.run(
        [sys.executable, str(TOOL), "check"], capture_output=True, text=True, check=False
    )
    assert checked.stderr.strip() == ""
    assert checked.returncode == 0


@pytest.mark.parametrize("code", ["en", "ja"])
def test_no_text_is_cut_off_in_the_smallest_window(
    language: Language, code: str, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> None:
    language.use(code)
    router = sample_router()
    many = tuple(PromptResourceView(f"offer {n}", "", "", "") for n in range(128))
    router.state.prompts_and_resources[GITHUB.ref] = PromptResourceLists(many, many)
    window = open_window(router, app_theme, qtbot)
    window.resize(window.minimumSize())
    page = window.pages.workspace
    parts = (page, page.header, page.savings, page.detail, page.activity)
    for server in (GITHUB, SENTRY):
        window.select_server(server.ref)
        qtbot.waitUntil(lambda: all(p.minimumSizeHint().width() <= p.width() for p in parts))
