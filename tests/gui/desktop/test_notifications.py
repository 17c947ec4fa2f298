"""Notifications: only what needs attention, one until the user has looked, with a button."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.desktop.dbus import DBusFailed
from gui.desktop.notification_policy import (
    AttentionItem,
    Notification,
    NotificationPolicy,
    attention_items,
)
from gui.desktop.notifications import DesktopNotification, Notifications
from router.api.events import AttentionNeeded, ServerStatusChanged
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ToolKey, WorkspaceId
from router.domain.servers import ServerState
from router.domain.tool_lists import Approval
from router.domain.tools import PendingTool
from router.domain.workspaces import WorkspaceSummary
from tests.desktop.bus import bus_daemon, connection
from tests.desktop.notification_area import NotificationArea
from tests.gui.driver import bridge_from
from tests.support.fakes import FakeRouter, fake_status
from tests.support.timeouts import WAIT_MS, WAIT_S

PERSONAL = WorkspaceId("personal")
SLACK = fake_status("Slack", state=ServerState.NEEDS_SIGN_IN)
GITHUB = fake_status("GitHub")
EXITED = Failure(FailureKind.EXITED, "code 1")


def an_item(name: str) -> AttentionItem:
    return AttentionItem(name, name, Notification(f"{name} needs you", "Do it."))


@pytest.fixture
def router() -> FakeRouter:
    router = FakeRouter()
    router.state.workspaces = (WorkspaceSummary(PERSONAL, "Personal", 2, active=True),)
    router.state.servers[PERSONAL] = (SLACK, GITHUB)
    return router


def test_each_item_is_notified_once() -> None:
    policy = NotificationPolicy()
    assert policy.due([an_item("A")], watching=False) == Notification("A needs you", "Do it.")
    assert policy.due([an_item("A")], watching=False) is None


def test_nothing_more_is_notified_until_the_user_has_looked() -> None:
    policy = NotificationPolicy()
    policy.due([an_item("A")], watching=False)
    several = [an_item(name) for name in "ABCDE"]
    assert policy.due(several, watching=False) is None
    policy.mark_seen()
    assert policy.due(several, watching=False) == Notification("5 items need attention", "A, B, C…")


def test_an_active_window_needs_no_notification() -> None:
    policy = NotificationPolicy()
    assert policy.due([an_item("A")], watching=True) is None
    assert policy.due([an_item("A")], watching=False) is None


def test_an_item_that_returns_is_notified_again() -> None:
    policy = NotificationPolicy()
    policy.due([an_item("A")], watching=False)
    policy.mark_seen()
    assert policy.due([], watching=False) is None
    assert policy.due([an_item("A")], watching=False) is not None


@pytest.mark.proves("DISC-12")
def test_sign_ins_approvals_and_repeated_failures_are_notified(
    router: FakeRouter,
) -> None:
    router.state.pending = tuple(
        PendingTool(ToolKey(GITHUB.id, name), Approval.PENDING, "", "Do it", (), ())
        for name in ("fork", "merge")
    )
    found = attention_items(router, {GITHUB.ref: EXITED})
    assert [want.notification.title for want in found] == [
        "Sign in to Slack",
        "2 items of GitHub need approval",
        "GitHub keeps failing",
    ]
    assert found[2].notification.text == (
        "Crashed (exit code 1). Check its command, arguments and environment variables."
    )


def test_without_desktop_notifications_the_tray_shows_a_message(
    router: FakeRouter, gui_loop: object, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
    router.state.servers[PERSONAL] = (GITHUB,)
    hints: list[str] = []

    def hint(title: str, _: str) -> None:
        hints.append(title)

    notices = Notifications(hint, lambda: False, bridge_from(router))
    notices.attach(router)
    router.emit(AttentionNeeded(GITHUB.ref, EXITED))
    qtbot.waitUntil(lambda: hints == ["GitHub keeps failing"], timeout=WAIT_MS)
    router.emit(ServerStatusChanged(GITHUB))
    notices.close()


@pytest.fixture
async def area(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[NotificationArea]:
    with bus_daemon(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        async with connection(address) as bus:
            area = NotificationArea(bus, "actions", "body-markup")
            await area.begin()
            yield area


async def test_a_notification_has_a_button_that_opens_the_item(area: NotificationArea) -> None:
    acted = asyncio.Event()
    desktop = DesktopNotification(acted.set, lambda: None)
    await desktop.show(Notification("Slack needs you", "a <b> c"), "Show")
    shown = await area.next()
    assert (shown.title, shown.text) == ("Slack needs you", "a &lt;b&gt; c")
    assert shown.actions == ["default", "Show", "show", "Show"]
    await area.act(shown, "show")
    await asyncio.wait_for(acted.wait(), WAIT_S)
    desktop.withdraw()
    await desktop.withdrawn()
    assert await area.withdrawn() == shown.number


async def test_dismissing_a_notification_counts_as_looking(area: NotificationArea) -> None:
    dismissed = asyncio.Event()
    desktop = DesktopNotification(lambda: None, dismissed.set)
    await desktop.show(Notification("Slack needs you", ""), "Show")
    await area.dismiss(await area.next())
    await asyncio.wait_for(dismissed.wait(), WAIT_S)


async def test_a_bus_without_a_notification_service_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bus_daemon(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        desktop = DesktopNotification(lambda: None, lambda: None)
        with pytest.raises(DBusFailed):
            await desktop.show(Notification("Slack needs you", ""), "Show")
