"""Toolbooth as the user sees it: a real process, its window on a screen, its icon in a tray, driven
by a screen reader and the tray menu."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from gui.tray.icon import GIVE_UP_MS
from router.domain.json_values import JsonObject
from router.runtime.tasks import spawn
from tests.desktop.appearance import DARK, LIGHT, Appearance
from tests.desktop.desktop_app import DesktopApp, desktop_app
from tests.desktop.notification_area import NotificationArea
from tests.desktop.session import ended
from tests.desktop.tray_host import MenuEntry, texts
from tests.desktop.xembed_tray import xembed_tray
from tests.servers.commands import ends_within
from tests.support.router_process import children_of, connected
from tests.support.running_router import Record, save, stdio_config
from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.timeout(300)
PASTE = "Paste a command line, a URL, an mcp.json snippet or an install link"
METATOOLS = ["tool_discovery", "tool_execute"]


@pytest.fixture
async def app(tmp_path: Path) -> AsyncGenerator[DesktopApp]:
    async with desktop_app(tmp_path) as app:
        yield app


@pytest.fixture
async def running(app: DesktopApp) -> DesktopApp:
    """With a tray from the start and the onboarding guide closed."""
    await app.tray.begin()
    await app.start()
    await app.ready()
    await app.screen.press("Skip for now")
    return app


def chosen(lines: list[MenuEntry]) -> list[str]:
    return [line.text for line in lines if line.chosen]


def ask_for_consent(app: DesktopApp, *names: str) -> None:
    """Servers without consent, as another editor writes them."""
    file = app.session.home / "data/workspaces/personal/workspace.json"
    save(file, json.dumps({"mcpServers": {name: {"command": name} for name in names}}))


def url_of(app: DesktopApp) -> str:
    return app.terminal.json("status")["listener"]["url"]


async def call_until_shutdown(
    client: Client, tool: str, arguments: JsonObject | None = None
) -> None:
    with pytest.raises(MCPError, match="Toolbooth is stopping"):
        await client.call_tool(tool, arguments or {})


async def tools_of_a_client(app: DesktopApp, token: str) -> list[str]:
    async with connected(url_of(app), token, "auto") as client:
        return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.proves("CARD-1", "CARD-2", "CARD-4", "DISC-1", "META-4")
async def test_adding_a_server_switching_workspaces_and_quitting_work_during_calls(
    running: DesktopApp, tmp_path: Path
) -> None:
    screen, tray = running.screen, running.tray
    record = Record(tmp_path)
    server = stdio_config("--hold", str(tmp_path / "hold"), "--record", str(record.path))
    os.mkfifo(tmp_path / "hold")
    await screen.press("Add server")
    await screen.write(PASTE, shlex.join([server.command or "", *server.args]))
    await screen.find("Filled in below.")
    await screen.press("Add and run")
    await screen.find_like(lambda found: "Discovering" in found.name, "discovery at work")
    working = await tray.icon()
    holding = os.open(tmp_path / "hold", os.O_RDWR)
    os.write(holding, b"go on, and on")
    await tray.until(lambda lines: lines[0].text == "Router running · 1 of 1 server ready")
    assert await tray.icon() != working

    running.terminal.json("workspace", "new", "Acme")
    await tray.until(lambda lines: "Acme" in texts(lines))
    await tray.choose("Acme")
    assert "Acme" in chosen(await tray.until(lambda lines: "Acme" in chosen(lines)))
    await screen.find("No servers in this workspace yet")
    await tray.choose("Personal")

    token = running.terminal.token()
    assert await tools_of_a_client(running, token) == METATOOLS
    await screen.press("Context Optimization", "check box")
    await tray.until(lambda lines: "Context Optimization: Off" in texts(lines))
    offered = await tools_of_a_client(running, token)
    assert "tool_execute" not in offered
    assert any(name.endswith("echo") for name in offered)
    slow = next(name for name in offered if name.endswith("slow"))
    async with connected(url_of(running), token, "legacy") as client:
        calls = [spawn(call_until_shutdown(client, slow), name="slow") for _ in range(20)]
        for _ in calls:
            await record.until("slow")
        children = children_of(running.process.pid)
        await tray.choose("Quit Toolbooth")
        await screen.press("Quit", "push button")
        assert await asyncio.to_thread(ended, running.process) == 0
        assert children
        assert [pid for pid in children if not ends_within(WAIT_S, pid)] == []
        await asyncio.gather(*calls)
    assert "Traceback" not in running.session.log.read_text()
    os.close(holding)
    record.close()


async def test_when_the_display_is_lost_everything_ends_and_clients_get_an_error(
    running: DesktopApp, tmp_path: Path
) -> None:
    """Like the end of a session whose desktop notifies no program."""
    record = Record(tmp_path)
    server = stdio_config("--record", str(record.path))
    running.terminal.json("add", "s", "--", server.command or "", *server.args)
    running.terminal.refresh()
    async with connected(url_of(running), running.terminal.token(), "legacy") as client:
        arguments: JsonObject = {"toolKey": "s:slow", "arguments": {}}
        call = spawn(call_until_shutdown(client, "tool_execute", arguments), name="slow")
        await record.until("slow")
        children = children_of(running.process.pid)
        running.session.screen.kill()
        assert await asyncio.to_thread(ended, running.process) == 0
        assert children
        assert [pid for pid in children if not ends_within(WAIT_S, pid)] == []
        await call
    assert "Traceback" not in running.session.log.read_text()
    record.close()


async def test_a_tray_that_starts_late_gets_the_icon_and_a_link_reaches_the_running_instance(
    app: DesktopApp,
) -> None:
    await app.start("--hidden")
    await app.tray.begin()
    await app.ready()
    assert "Toolbooth" in await app.tray.tooltip()
    second = app.session.start("toolbooth://add?name=notes&url=https%3A%2F%2Fnotes.example%2Fmcp")
    assert await asyncio.to_thread(ended, second) == 0
    await app.screen.find(
        "A link wants to add this server. Continue only if you trust where it came from."
    )
    await app.screen.find("URL: https://notes.example/mcp", "label")
    await app.screen.press("Cancel")
    assert app.terminal.json("list") == []

    healthy = await app.tray.icon()
    app.terminal.json("add", "broken", "--", "no-such-program")
    await app.tray.until(lambda lines: any("broken" in line.text for line in lines))
    assert await app.tray.icon() != healthy
    app.process.terminate()
    assert await asyncio.to_thread(ended, app.process) == 0


async def test_one_notification_shows_what_needs_attention_and_opens_it(app: DesktopApp) -> None:
    area = NotificationArea(app.bus, "actions")
    await area.begin()
    await app.tray.begin()
    await app.start("--hidden")
    await app.ready()
    ask_for_consent(app, "one", "two")
    shown = await area.next()
    assert shown.title == "2 items need attention"
    await area.act(shown, "default")
    await app.screen.find("Apps can’t use these until you approve them.")
    assert await area.withdrawn() == shown.number
    assert area.count == 1


async def test_an_unread_notification_is_withdrawn_at_exit(app: DesktopApp) -> None:
    area = NotificationArea(app.bus, "actions")
    await area.begin()
    await app.tray.begin()
    await app.start("--hidden")
    await app.ready()
    ask_for_consent(app, "one")
    shown = await area.next()
    app.process.terminate()
    assert await area.withdrawn() == shown.number
    assert await asyncio.to_thread(ended, app.process) == 0


async def test_an_xembed_tray_shows_the_icon(app: DesktopApp) -> None:
    with xembed_tray(app.session) as tray:
        await app.start("--hidden")
        await asyncio.to_thread(tray.wait_for_window_of, "toolbooth")


@pytest.mark.proof
async def test_without_a_tray_the_window_has_the_menu_and_a_late_tray_gets_the_icon(
    app: DesktopApp,
) -> None:
    await app.start("--hidden")
    await asyncio.sleep(GIVE_UP_MS / 1000)
    await app.screen.find("Tray icons are not available on this desktop")
    await app.screen.find("Toolbooth", "menu item")
    await app.tray.begin()
    await app.tray.item()
    assert "Toolbooth" in await app.tray.tooltip()


@pytest.mark.proof
async def test_a_change_to_dark_mode_is_followed_at_run_time(app: DesktopApp) -> None:
    appearance = Appearance(app.bus)
    await appearance.begin()
    await app.tray.begin()
    await app.start("--hidden", XDG_CURRENT_DESKTOP="GNOME")
    await app.ready()
    [headline, *_] = await app.tray.menu()
    await appearance.turn(DARK)
    [dark, *_] = await app.tray.until(lambda lines: lines[0].icon != headline.icon)
    await appearance.turn(LIGHT)
    await app.tray.until(lambda lines: lines[0].icon != dark.icon)
