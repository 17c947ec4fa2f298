"""Qt without a display, and the GUI's own event loop, for all tests of the window."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.widgets.theme import Theme, theme
from tests.support.timeouts import WAIT_MS

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["LC_ALL"] = "C.UTF-8"  # the window uses the language of the system
os.environ.pop("LANGUAGE", None)
for _wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals):
    # pytest-qt has no setting for the default timeout of its waits.
    cast(dict[str, object], _wait.__kwdefaults__)["timeout"] = WAIT_MS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Qt's warnings fail tests, except those of the offscreen platform about a missing screen."""
    quiet = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(quiet)


@pytest.fixture(scope="session")
def _qt_loop(qapp: object) -> Iterator[asyncio.AbstractEventLoop]:
    """One for all tests: stopping it makes Qt quit, after which Qt runs no nested loop again."""
    from qasync import QEventLoop  # pyright: ignore[reportMissingTypeStubs]

    loop: asyncio.AbstractEventLoop = QEventLoop(qapp, already_running=True)
    _set_running(None)
    yield loop
    loop.stop()
    loop.close()


@pytest.fixture
def gui_loop(_qt_loop: asyncio.AbstractEventLoop) -> Iterator[asyncio.AbstractEventLoop]:
    """qasync's loop, running while the test lets Qt process events (`qtbot.wait…`)."""
    _set_running(_qt_loop)
    yield _qt_loop
    _set_running(None)


def _set_running(loop: asyncio.AbstractEventLoop | None) -> None:
    """asyncio's hook for event loops: qasync sets the running loop but never resets it."""
    asyncio._set_running_loop(loop)  # pyright: ignore[reportPrivateUsage]


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    """The application's own class, for all tests: a process can have only one."""
    from gui.application import DesktopApplication

    return DesktopApplication


@pytest.fixture(autouse=True)
def _delete_widgets() -> Iterator[None]:
    """Widgets left over are restyled with every theme change, which would slow down later tests.

    Outside of a running event loop `deleteLater` alone deletes nothing.
    """
    yield
    for widget in QApplication.topLevelWidgets():
        widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture(scope="session")
def _applied_theme(qapp: QApplication) -> Theme:
    theme().apply(qapp)
    return theme()


@pytest.fixture
def app_theme(_applied_theme: Theme) -> Iterator[Theme]:
    """The application's theme, light at the start of each test."""
    _applied_theme.set_mode("light")
    yield _applied_theme
    _applied_theme.set_mode("light")
