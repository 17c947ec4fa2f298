"""Windows open no larger than their screen."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.window_size import FRAME, fitting, open_at_size

SMALL = QRect(0, 28, 1280, 772)


def test_a_window_is_as_large_as_it_likes_where_that_fits() -> None:
    size = fitting(QSize(1360, 900), QSize(980, 620), QRect(0, 0, 1920, 1080))
    assert size == QSize(1360, 900)


def test_on_a_small_screen_all_of_it_can_be_seen_with_its_title_bar() -> None:
    size = fitting(QSize(1360, 900), QSize(980, 620), SMALL)
    assert size == QSize(1280, 772 - FRAME.height())


def test_nothing_gets_smaller_than_it_can_be() -> None:
    assert fitting(QSize(1360, 900), QSize(980, 620), QRect(0, 0, 800, 600)) == QSize(980, 620)


def test_a_window_that_had_to_shrink_stands_inside_its_screen(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    available = window.screen().availableGeometry()

    open_at_size(window, available.width() + 400, available.height() + 400)

    assert available.contains(window.geometry())
