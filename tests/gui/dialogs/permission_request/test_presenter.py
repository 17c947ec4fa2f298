"""Permission requests: shown one at a time, and what the user's answers do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from gui.dialogs.permission_request.presenter import PermissionPresenter
from gui.link.commands import Commands
from router.api.events import PermissionRequested
from router.domain.errors import NotFound
from router.domain.ids import ServerId, ServerRef
from router.domain.permissions import Answer, PermissionKind, PermissionRequest, PermissionRequestId
from tests.gui.driver import PERSONAL, bridge_from, double_click, press, texts
from tests.support.fakes import FakeRouter, SentCommand, run_now


def permission_request(number: int) -> PermissionRequest:
    return PermissionRequest(
        id=PermissionRequestId(str(number)),
        client="Claude Code",
        ref=ServerRef(PERSONAL, ServerId("github")),
        server_name="GitHub",
        project=None,
        kind=PermissionKind.TOOL,
        name=f"tool_{number}",
        arguments='{"a": 1}',
        until=datetime.now(UTC) + timedelta(minutes=1),
    )


@pytest.fixture
def router() -> FakeRouter:
    return FakeRouter()


@pytest.fixture
def presenter(router: FakeRouter, gui_loop: object, qtbot: QtBot) -> PermissionPresenter:
    commands = Commands(show_error=lambda _owner, _error: None)
    commands.attach(run_now)
    presenter = PermissionPresenter(commands, bridge_from(router))
    qtbot.addWidget(presenter.prompt)
    presenter.attach(router)
    return presenter


def put(router: FakeRouter, *requests: PermissionRequest) -> None:
    router.permissions.pending_requests = requests
    for ask in requests:
        router.emit(PermissionRequested(ask))


@pytest.mark.proves("META-5")
def test_a_request_shows_client_tool_and_arguments(
    presenter: PermissionPresenter, router: FakeRouter
) -> None:
    assert not presenter.prompt.isVisible()
    put(router, permission_request(1), permission_request(2))
    assert presenter.prompt.isVisible()
    assert not presenter.prompt.isModal()
    shown = texts(presenter.prompt)
    assert "Claude Code wants to run tool_1" in shown
    assert "Server: GitHub" in shown
    assert "1 more" in shown
    arguments = presenter.prompt.findChild(QPlainTextEdit)
    assert isinstance(arguments, QPlainTextEdit)
    assert arguments.toPlainText() == '{"a": 1}'


@pytest.mark.parametrize("kind", PermissionKind)
def test_a_request_of_any_kind_names_its_client(
    presenter: PermissionPresenter, router: FakeRouter, kind: PermissionKind
) -> None:
    put(router, replace(permission_request(1), kind=kind))
    assert "Claude Code wants to" in texts(presenter.prompt)


@pytest.mark.proves("META-5")
@pytest.mark.parametrize(
    ("button", "answer"),
    [
        ("Allow once", Answer.ONCE),
        ("This session", Answer.SESSION),
        ("For an hour", Answer.HOUR),
        ("Always allow", Answer.ALWAYS),
        ("Deny", Answer.DENY),
    ],
)
def test_each_answer_reaches_the_router_and_the_next_request_is_shown(
    presenter: PermissionPresenter, router: FakeRouter, button: str, answer: Answer
) -> None:
    put(router, permission_request(1), permission_request(2))
    press(presenter.prompt, button)
    assert router.commands == [
        SentCommand("permissions.answer", (PermissionRequestId("1"), answer))
    ]
    assert "Claude Code wants to run tool_2" in texts(presenter.prompt)
    press(presenter.prompt, button)
    assert not presenter.prompt.isVisible()


def test_a_double_click_answers_only_one_request(
    presenter: PermissionPresenter, router: FakeRouter
) -> None:
    put(router, permission_request(1), permission_request(2))
    double_click(presenter.prompt, "Allow once")
    assert router.commands == [
        SentCommand("permissions.answer", (PermissionRequestId("1"), Answer.ONCE))
    ]
    assert "Claude Code wants to run tool_2" in texts(presenter.prompt)


def test_closing_the_dialog_denies_and_enter_does_nothing(
    presenter: PermissionPresenter, router: FakeRouter
) -> None:
    put(router, permission_request(1))
    QTest.keyClick(presenter.prompt, Qt.Key.Key_Return)
    assert router.commands == []
    presenter.prompt.close()
    assert router.commands == [
        SentCommand("permissions.answer", (PermissionRequestId("1"), Answer.DENY))
    ]


def test_a_late_answer_is_ignored(presenter: PermissionPresenter, router: FakeRouter) -> None:
    put(router, permission_request(1))
    router.failures["permissions.answer"] = NotFound("This permission request is no longer open.")
    router.permissions.pending_requests = ()
    press(presenter.prompt, "Allow once")
    assert not presenter.prompt.isVisible()
