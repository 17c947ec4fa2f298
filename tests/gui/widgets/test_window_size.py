"""Windows open no larger than their screen."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.window_size import FRAME, fitting, open_at_size

SMALL = QRect(0, 28, 1280, 772)


def test_a_window_has_its_preferred_size_where_it_fits() -> None:
    size = fitting(QSize(1360, 900), QSize(980, 620), QRect(0, 0, 1920, 1080))
    assert size == QSize(1360, 900)


def test_on_a_small_screen_the_whole_window_with_title_bar_is_visible() -> None:
    size = fitting(QSize(1360, 900), QSize(980, 620), SMALL)
    assert size == QSize(1280, 772 - FRAME.height())


def test_a_window_never_gets_smaller_than_its_minimum() -> None:
    assert fitting(QSize(1360, 900), QSize(980, 620), QRect(0, 0, 800, 600)) == QSize(980, 620)


def test_a_shrunk_window_is_inside_its_screen(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    available = window.screen().availableGeometry()

    open_at_size(window, available.width() + 400, available.height() + 400)

    assert available.contains(window.geometry())
