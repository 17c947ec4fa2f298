"""The dialogs and the tray menu with sample data, for `screenshots.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget

from gui.apps.dialogs import PlanDialog
from gui.commands import Commands
from gui.onboarding.choices import import_choices
from gui.onboarding.dialog import GuideDialog, Step
from gui.server.dialog import ServerDialog
from gui.server.draft import ServerDraft
from gui.settings.dialog import PageName, SettingsDialog
from gui.tray.menu import TrayMenu
from gui.tray.view import tray_view
from router.clients import (
    ClientApp,
    ClientId,
    ClientState,
    ConnectionPlan,
    DiffLine,
    Findings,
    FoundServer,
    Prompt,
)
from router.settings import ServerConfig
from tests.fakes import FakeRouter, run_now

COMMAND = ServerConfig(
    command="npx",
    args=("-y", "@modelcontextprotocol/server-filesystem", "/home/me/notes"),
    env={"API_TOKEN": "not a real one"},
)
ADDRESS = ServerConfig(
    url="https://mcp.linear.app/mcp", headers={"Authorization": "Bearer not a real one"}
)


def dialog_screens(router: FakeRouter) -> Iterator[tuple[str, QWidget]]:
    router.apps.apps = demo_apps()
    for page in PageName:
        settings = SettingsDialog(router, Commands(run_now), None)
        settings.open_at(page)
        yield f"settings-{page}", settled(settings)
    for name, config in (("command", COMMAND), ("url", ADDRESS)):
        dialog = ServerDialog(router, Commands(run_now), router.active_workspace())
        dialog.form.set_draft(ServerDraft.of("filesystem" if config.command else "linear", config))
        dialog.open()
        yield f"server-{name}", settled(dialog)
    menu = TrayMenu()
    menu.show_view(tray_view(router))
    menu.popup(menu.pos())
    yield "tray", settled(menu)


def guide_screens(router: FakeRouter) -> Iterator[tuple[str, QWidget]]:
    """The guide of the first run, a preview, and the empty state that names what was found."""
    router.apps.apps = demo_apps()
    router.apps.findings = Findings(demo_found())
    choices = import_choices(demo_found(), ())
    for step in Step:
        dialog = GuideDialog(router, Commands(run_now), choices, tuple(Step), None)
        while dialog.current_step() is not step:
            dialog.skip_step()
        dialog.open()
        yield f"guide-{step}", settled(dialog)
    plan = ConnectionPlan(
        ClientId("cursor"), "Cursor", Path.home() / ".cursor/mcp.json", False, DEMO_DIFF, ""
    )
    preview = PlanDialog(plan, None)
    preview.open()
    yield "preview", settled(preview)


def demo_apps() -> tuple[ClientApp, ...]:
    found, home = ClientState.FOUND, Path.home()
    return (
        ClientApp(ClientId("claude-code"), "Claude Code", home / ".claude.json", found),
        ClientApp(ClientId("cursor"), "Cursor", home / ".cursor/mcp.json", ClientState.CONNECTED),
        ClientApp(
            ClientId("claude-desktop"),
            "Claude Desktop",
            home / ".config/Claude/claude_desktop_config.json",
            found,
            by_bridge=True,
        ),
        ClientApp(ClientId("vscode"), "VS Code", home / ".config/Code/User/mcp.json", found),
        ClientApp(
            ClientId("zed"), "Zed", home / ".config/zed/settings.json", found, has_comments=True
        ),
        ClientApp(ClientId("codex"), "Codex", home / ".codex/config.toml", ClientState.ABSENT),
    )


def demo_found() -> tuple[FoundServer, ...]:
    cursor, desktop = Path.home() / ".cursor/mcp.json", Path.home() / ".config/Claude"
    notes = ServerConfig(command="npx", args=("-y", "server-filesystem", "/home/me/notes"))
    search = ServerConfig(command="npx", args=("-y", "server-perplexity"))
    key = Prompt("key", "Perplexity API key", secret=True)
    return (
        FoundServer("filesystem", "Claude Desktop", desktop, notes),
        FoundServer("git", "Claude Desktop", desktop, ServerConfig(command="uvx mcp-server-git")),
        FoundServer("perplexity", "Claude Desktop", desktop, search, (key,)),
        FoundServer("linear", "Cursor", cursor, ServerConfig(url="https://mcp.linear.app/mcp")),
        FoundServer("notes", "Cursor", cursor, notes),
        FoundServer("sentry", "Cursor", cursor, ServerConfig(url="https://mcp.sentry.dev/mcp")),
    )


DEMO_DIFF = tuple(
    DiffLine(text[0], text[1:])
    for text in (
        " {",
        '   "mcpServers": {',
        '     "linear": {',
        '       "url": "https://mcp.linear.app/mcp"',
        "-    }",
        "+    },",
        '+    "toolbooth": {',
        '+      "url": "http://127.0.0.1:3717/mcp",',
        '+      "headers": {',
        '+        "Authorization": "Bearer tbt_••••••••"',
        "+      }",
        "+    }",
        "   }",
        " }",
    )
)


def settled(widget: QWidget) -> QWidget:
    """Layouts of wrapped texts need a few rounds until they fit, and so do answers."""
    for _ in range(12):
        QApplication.processEvents()
    return widget
