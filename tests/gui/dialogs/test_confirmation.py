"""Commands of a terminal are confirmed in the window."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from gui.dialogs.permission_request.confirmation import ConfirmationPresenter
from gui.link.commands import Commands
from gui.widgets.theme import Theme
from router.api.events import ConfirmationsChanged
from router.domain.confirmations import Confirmation, ConfirmationId
from tests.gui.driver import bridge_from, press
from tests.support.fakes import FakeRouter, SentCommand, run_now

ONE = Confirmation(ConfirmationId("1"), "toolbooth approve\nserver: <b>files</b>")
TWO = Confirmation(ConfirmationId("2"), "toolbooth add")


@pytest.fixture
def router() -> FakeRouter:
    return FakeRouter()


@pytest.fixture
def presenter(
    router: FakeRouter, app_theme: Theme, gui_loop: object, qtbot: QtBot
) -> ConfirmationPresenter:
    made = ConfirmationPresenter(Commands(run_now), bridge_from(router))
    made.attach(router)
    return made


def wait_for(router: FakeRouter, *waiting: Confirmation) -> None:
    router.confirmations.waiting = waiting
    router.emit(ConfirmationsChanged())


def shown(presenter: ConfirmationPresenter) -> QMessageBox:
    assert presenter.box is not None
    return presenter.box


@pytest.mark.parametrize(("pressed", "confirmed"), [("Run it", True), ("Cancel", False)])
def test_the_user_confirms_or_declines_each_command(
    pressed: str, confirmed: bool, router: FakeRouter, presenter: ConfirmationPresenter
) -> None:
    wait_for(router, ONE, TWO)
    assert shown(presenter).informativeText() == ONE.command
    press(shown(presenter), pressed)
    assert router.commands == [SentCommand("confirmations.answer", ("1", confirmed))]
    assert shown(presenter).informativeText() == TWO.command
    shown(presenter).reject()
    assert router.commands[1:] == [SentCommand("confirmations.answer", ("2", False))]


def test_a_command_that_no_longer_waits_disappears_without_an_answer(
    router: FakeRouter, presenter: ConfirmationPresenter
) -> None:
    wait_for(router, ONE)
    wait_for(router)
    assert presenter.box is None
    assert router.commands == []
