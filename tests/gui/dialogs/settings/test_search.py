"""Searching for a setting: by its own words, and by words users type."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gui.dialogs.settings.dialog import PageName, SettingsDialog
from gui.dialogs.settings.page import SettingsPage
from gui.dialogs.settings.search_highlight import SearchHighlight
from gui.link.commands import Commands
from gui.link.event_bridge import EventBridge
from gui.widgets.buttons import Toggle
from gui.widgets.number_field import NumberField
from gui.widgets.sidebar_row import SidebarRow
from gui.widgets.theme import Theme
from tests.gui.driver import sample_router, texts
from tests.support.fakes import run_now


@pytest.fixture
def dialog(app_theme: Theme, gui_loop: object, qtbot: QtBot) -> SettingsDialog:
    dialog = SettingsDialog(sample_router(), Commands(run_now), EventBridge(), None)
    qtbot.addWidget(dialog)
    dialog.open_at(PageName.GENERAL)
    return dialog


def search_field(dialog: SettingsDialog) -> QLineEdit:
    fields = dialog.findChildren(QLineEdit)
    return next(each for each in fields if each.accessibleName() == "Search settings")


def search(dialog: SettingsDialog, text: str) -> None:
    search_field(dialog).setText(text)


def found(dialog: SettingsDialog) -> list[str]:
    """The texts of the highlighted setting."""
    [mark] = [each for each in dialog.findChildren(SearchHighlight) if each.isVisible()]
    shown = [mark.setting, *mark.setting.findChildren(QWidget)]
    return [each.text() for each in shown if isinstance(each, QLabel | QAbstractButton)]


@pytest.mark.parametrize(
    ("typed", "page", "setting"),
    [
        ("licence", PageName.ABOUT, "Toolbooth"),
        ("BM25", PageName.OPTIMIZATION, "Keyword (BM25)"),
        ("semantic", PageName.OPTIMIZATION, "Hybrid"),
        ("api key", PageName.OPTIMIZATION, "Cloud service"),
        ("pin", PageName.OPTIMIZATION, "Always include"),
        ("DARK", PageName.GENERAL, "Theme"),
        ("night mode", PageName.GENERAL, "Theme"),
        ("startup", PageName.GENERAL, "Start at login"),
        ("\uff50\uff4f\uff52\uff54", PageName.NETWORK, "Port"),
        ("timeout", PageName.NETWORK, "Call timeout, in seconds"),
        ("sandbox", PageName.SECURITY, "Minimum isolation"),
        ("revoke", PageName.APPS, "New token"),
        ("privacy logging", PageName.ACTIVITY, "Log arguments and search queries"),
        ("retention", PageName.ACTIVITY, "Days to keep"),
    ],
)
def test_a_setting_is_found_by_words_users_type(
    dialog: SettingsDialog, typed: str, page: PageName, setting: str
) -> None:
    search(dialog, typed)
    assert page in dialog.visible_pages()
    dialog.go_to(page)
    assert setting in found(dialog)


def test_the_search_opens_the_first_matching_page_and_returns(dialog: SettingsDialog) -> None:
    search(dialog, "retention")
    assert dialog.visible_pages() == [PageName.ACTIVITY]
    assert dialog.current_page() is PageName.ACTIVITY
    search(dialog, "")
    assert dialog.visible_pages() == list(PageName)


def test_escape_clears_the_search_before_it_closes_the_settings(dialog: SettingsDialog) -> None:
    search(dialog, "retention")
    QTest.keyClick(search_field(dialog), Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog.visible_pages() == list(PageName)
    QTest.keyClick(search_field(dialog), Qt.Key.Key_Escape)
    assert not dialog.isVisible()


@pytest.mark.parametrize("page", list(PageName))
def test_a_page_is_shown_by_a_click_on_its_row(dialog: SettingsDialog, page: PageName) -> None:
    row = dialog.findChildren(SidebarRow)[list(PageName).index(page)]
    QTest.mouseClick(row, Qt.MouseButton.LeftButton)
    assert dialog.current_page() is page
    [shown] = [each for each in dialog.findChildren(SettingsPage) if each.isVisible()]
    assert shown.title == row.text()


def test_a_search_without_results_says_so(dialog: SettingsDialog) -> None:
    search(dialog, "xyzzy")
    assert dialog.visible_pages() == []
    assert "No matching settings." in texts(dialog)


def test_every_control_belongs_to_a_searchable_setting(
    dialog: SettingsDialog,
) -> None:
    for control in (*dialog.findChildren(Toggle), *dialog.findChildren(NumberField)):
        search(dialog, control.accessibleName())
        assert dialog.visible_pages(), control.accessibleName()
