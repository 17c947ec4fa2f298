"""Notifications: only what a person must act on, one until they have looked, with a button."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.desktop_bus import BusFailed
from gui.needs.noticing import Notice, Noticing, Want, wants
from gui.notices import DesktopNotices, Notices
from router.api.events import AttentionNeeded, ServerStatusChanged
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ToolKey, WorkspaceId
from router.domain.servers import ServerState
from router.domain.tool_lists import Approval
from router.domain.tools import PendingTool
from router.domain.workspaces import WorkspaceSummary
from tests.desktop.bus import bus_daemon, connection
from tests.desktop.notification_area import NotificationArea
from tests.fakes import FakeRouter, fake_status
from tests.support.timeouts import WAIT_MS, WAIT_S

PERSONAL = WorkspaceId("personal")
SLACK = fake_status("Slack", state=ServerState.NEEDS_SIGN_IN)
GITHUB = fake_status("GitHub")
EXITED = Failure(FailureKind.EXITED, "code 1")


def a_want(name: str) -> Want:
    return Want(name, name, Notice(f"{name} needs you", "Do it."))


@pytest.fixture
def router() -> FakeRouter:
    router = FakeRouter()
    router.state.workspaces = (WorkspaceSummary(PERSONAL, "Personal", 2, active=True),)
    router.state.servers[PERSONAL] = (SLACK, GITHUB)
    return router


def test_one_thing_is_told_once() -> None:
    noticing = Noticing()
    assert noticing.due([a_want("A")], looking=False) == Notice("A needs you", "Do it.")
    assert noticing.due([a_want("A")], looking=False) is None


def test_nothing_more_is_told_until_the_person_has_looked() -> None:
    noticing = Noticing()
    noticing.due([a_want("A")], looking=False)
    several = [a_want(name) for name in "ABCDE"]
    assert noticing.due(several, looking=False) is None
    noticing.looked()
    assert noticing.due(several, looking=False) == Notice("5 things need you", "A, B, C…")


def test_who_sees_it_happen_is_not_told() -> None:
    noticing = Noticing()
    assert noticing.due([a_want("A")], looking=True) is None
    assert noticing.due([a_want("A")], looking=False) is None


def test_what_comes_back_is_told_again() -> None:
    noticing = Noticing()
    noticing.due([a_want("A")], looking=False)
    noticing.looked()
    assert noticing.due([], looking=False) is None
    assert noticing.due([a_want("A")], looking=False) is not None


@pytest.mark.proves("DISC-12")
def test_sign_ins_approvals_and_repeated_failures_are_what_a_person_must_act_on(
    router: FakeRouter,
) -> None:
    router.state.pending = tuple(
        PendingTool(ToolKey(GITHUB.id, name), Approval.PENDING, "", "Do it", (), ())
        for name in ("fork", "merge")
    )
    found = wants(router, {GITHUB.ref: EXITED})
    assert [want.notice.title for want in found] == [
        "Slack needs you to sign in",
        "2 tools of GitHub are held back",
        "GitHub keeps failing",
    ]
    assert found[2].notice.text == (
        "Stopped by itself (code 1). Check its command, arguments and environment."
    )


def test_where_the_desktop_has_no_notifications_it_is_told_beside_the_icon(
    router: FakeRouter, gui_loop: object, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
    router.state.servers[PERSONAL] = (GITHUB,)
    hints: list[str] = []

    def hint(title: str, _: str) -> None:
        hints.append(title)

    notices = Notices(hint, lambda: False)
    notices.attach(router)
    notices.on_events([AttentionNeeded(GITHUB.ref, EXITED)])
    qtbot.waitUntil(lambda: hints == ["GitHub keeps failing"], timeout=WAIT_MS)
    notices.on_events([ServerStatusChanged(GITHUB)])
    notices.close()


@pytest.fixture
async def area(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[NotificationArea]:
    with bus_daemon(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        async with connection(address) as bus:
            area = NotificationArea(bus, "actions", "body-markup")
            await area.begin()
            yield area


async def test_a_notification_has_a_button_that_leads_to_it(area: NotificationArea) -> None:
    acted = asyncio.Event()
    desktop = DesktopNotices(acted.set, lambda: None)
    await desktop.show(Notice("Slack needs you", "a <b> c"), "Show")
    shown = await area.next()
    assert (shown.title, shown.text) == ("Slack needs you", "a &lt;b&gt; c")
    assert shown.actions == ["default", "Show", "show", "Show"]
    await area.act(shown, "show")
    await asyncio.wait_for(acted.wait(), WAIT_S)
    desktop.withdraw()
    await desktop.gone()
    assert await area.withdrawn() == shown.number


async def test_who_dismisses_a_notification_has_looked(area: NotificationArea) -> None:
    dismissed = asyncio.Event()
    desktop = DesktopNotices(lambda: None, dismissed.set)
    await desktop.show(Notice("Slack needs you", ""), "Show")
    await area.dismiss(await area.next())
    await asyncio.wait_for(dismissed.wait(), WAIT_S)


async def test_a_bus_without_notifications_is_said_to_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bus_daemon(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        desktop = DesktopNotices(lambda: None, lambda: None)
        with pytest.raises(BusFailed):
            await desktop.show(Notice("Slack needs you", ""), "Show")
