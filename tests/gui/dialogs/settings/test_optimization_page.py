"""Settings of search and of the activity log: the cloud service, pinned tools, what is logged."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.components.pin_picker import PinPicker
from gui.dialogs.settings.changes import SettingsChanges
from gui.dialogs.settings.cloud_card import CloudCard
from gui.dialogs.settings.dialog import PageName, SettingsDialog
from gui.link.commands import Commands
from gui.widgets.theme import Theme
from router.api.search import CloudChange
from router.domain.errors import InvalidInput
from router.domain.ids import ToolKey
from router.domain.search import SearchReply
from router.domain.workspaces import Optimization
from tests.gui.driver import GITHUB, PERSONAL, bridge_from, button, press, sample_router, texts
from tests.support.fakes import FakeRouter, run_now

KEY = ToolKey(GITHUB.id, "create_issue")
URL = "https://search.example.com"


@pytest.fixture
def router() -> FakeRouter:
    return sample_router()


@pytest.fixture
def dialog(router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot) -> SettingsDialog:
    dialog = SettingsDialog(router, Commands(run_now), bridge_from(router), None)
    qtbot.addWidget(dialog)
    dialog.open_at(PageName.OPTIMIZATION)
    return dialog


def cloud(dialog: SettingsDialog) -> tuple[CloudCard, QLineEdit, QLineEdit]:
    [card] = dialog.findChildren(CloudCard)
    url, key = card.findChildren(QLineEdit)
    return card, url, key


@pytest.mark.proves("META-7")
def test_the_cloud_service_is_set_tested_and_undone(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    card, url, key = cloud(dialog)
    assert not button(card, "Test").isEnabled()
    QTest.keyClicks(url, URL)
    QTest.keyClicks(key, "planted-key")
    press(card, "Save")
    assert router.search.cloud == (URL, "planted-key")
    router.state.settings = router.settings.current().model_copy(update={"cloud_search_url": URL})
    qtbot.waitUntil(lambda: button(card, "Test").isEnabled())
    assert key.text() == ""
    press(card, "Test")
    qtbot.waitUntil(lambda: "Connected: 0 tools in 2" in texts(card).replace("\N{NBSP}", " "))
    press(dialog, "Undo")
    assert router.search.cloud == ("", None)


def test_an_unreachable_service_is_reported(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    router.search.replies[Optimization.CLOUD] = SearchReply(
        (), Optimization.HYBRID, note="cloud search: it rejected the token"
    )
    router.state.settings = router.settings.current().model_copy(update={"cloud_search_url": URL})
    dialog.show_state()
    card, _, _ = cloud(dialog)
    press(card, "Test")
    qtbot.waitUntil(lambda: "it rejected the token" in texts(card))


def test_without_a_keyring_the_card_says_how_long_the_key_lasts(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    card, url, key = cloud(dialog)
    assert "Without one, it is only kept until Toolbooth stops" in texts(card)
    router.search.has_keyring = False
    QTest.keyClicks(url, URL)
    QTest.keyClicks(key, "planted-key")
    press(card, "Save")
    qtbot.waitUntil(lambda: "No keyring available: the key is only kept until" in texts(card))


def test_the_strategies_show_what_is_configured_and_measured(
    dialog: SettingsDialog, router: FakeRouter
) -> None:
    def shown() -> str:
        return texts(dialog).replace("\N{NBSP}", " ")

    assert "Not set up." in shown()
    assert "4 MB" in shown()
    assert " ms" not in shown()
    router.search.took_ms = {Optimization.HYBRID: 8.7}
    router.state.settings = router.settings.current().model_copy(update={"cloud_search_url": URL})
    dialog.show_state()
    assert "Not set up." not in shown()
    assert "9 ms" in shown()


def test_pinned_tools_are_chosen_from_a_list_and_undone(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    assert "Apps only get the search tools." in texts(dialog)
    press(dialog, "Choose…")
    [picker] = dialog.findChildren(PinPicker)
    view = next(v for v in picker.findChildren(QAbstractItemView) if v.accessibleName() == "Tools")
    QTest.keyClick(view, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: "1 pinned tools: create_issue" in texts(dialog))
    assert router.projects.config(PERSONAL, None).pinned == (str(KEY),)
    press(picker, "Done")
    qtbot.waitUntil(lambda: "Saved." in texts(dialog))
    press(dialog, "Undo")
    qtbot.waitUntil(lambda: "Apps only get the search tools." in texts(dialog))


def test_activity_log_contents_are_a_setting(
    dialog: SettingsDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    dialog.open_at(PageName.ACTIVITY)
    press(dialog, "Log arguments and search queries")
    assert router.settings.current().log_arguments
    qtbot.waitUntil(lambda: "Saved." in texts(dialog))
    press(dialog, "Undo")
    qtbot.waitUntil(lambda: not router.settings.current().log_arguments)


def test_starting_hidden_is_a_setting(dialog: SettingsDialog, router: FakeRouter) -> None:
    dialog.open_at(PageName.GENERAL)
    press(dialog, "Start hidden")
    assert router.settings.current().start_hidden


def test_a_refused_url_stays_in_the_field(
    dialog: SettingsDialog,
    router: FakeRouter,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refuse(*_: object) -> CloudChange:
        raise InvalidInput("The service can't be used: it needs https.")

    monkeypatch.setattr(router.search, "set_cloud", refuse)
    card, url, key = cloud(dialog)
    QTest.keyClicks(url, "search.example.com")
    QTest.keyClicks(key, "planted-key")
    press(card, "Save")
    qtbot.waitUntil(lambda: "it needs https" in texts(dialog))
    assert (url.text(), key.text()) == ("search.example.com", "planted-key")


def test_saving_a_key_after_its_card_was_destroyed_is_harmless(
    dialog: SettingsDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[Callable[[object], object]] = []

    def set_later(_: object, url: str, token: str, on_done: Callable[[object], object]) -> None:
        waiting.append(on_done)

    monkeypatch.setattr(SettingsChanges, "set_cloud", set_later)
    card, url, _ = cloud(dialog)
    QTest.keyClicks(url, URL)
    press(card, "Save")
    Shiboken.delete(card)
    [on_done] = waiting
    on_done(CloudChange("undo"))
