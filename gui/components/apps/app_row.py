"""The row of an app: its text, badge and action. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import assert_never

from gui.text.marks import Tone
from gui.text.tr import tr
from router.api.apps import App, AppState, FoundServer
from router.domain.clients import TokenSummary


class AppAction(StrEnum):
    PREVIEW = "preview"
    DISCONNECT = "disconnect"
    MANUAL_SETUP = "manual_setup"


@dataclass(frozen=True, slots=True)
class AppRow:
    detail: str
    badge: str
    tone: Tone
    action: AppAction
    action_text: str


def app_row(app: App, home: Path) -> AppRow:
    path, manual = short_path(app.path, home), (AppAction.MANUAL_SETUP, tr("Set up manually"))
    match app.state:
        case AppState.ABSENT:
            return AppRow(tr("Not found on this computer"), "", Tone.NEUTRAL, *manual)
        case AppState.UNREADABLE:
            return AppRow(app.reason, tr("Can’t read file"), Tone.ERR, *manual)
        case AppState.CONNECTED if app.outdated:
            update = (AppAction.PREVIEW, tr("Update…"))
            return AppRow(path, tr("Outdated URL"), Tone.WARN, *update)
        case AppState.CONNECTED:
            disconnect = (AppAction.DISCONNECT, tr("Disconnect"))
            return AppRow(path, tr("Connected"), Tone.OK, *disconnect)
        case AppState.FOUND:
            return AppRow(path, *_hint(app), AppAction.PREVIEW, tr("Preview"))
        case _:
            assert_never(app.state)


def _hint(app: App) -> tuple[str, Tone]:
    if app.by_bridge:
        return tr("Uses the built-in bridge"), Tone.ACCENT
    if app.has_comments:
        return tr("Keeps comments"), Tone.NEUTRAL
    return "", Tone.NEUTRAL


def short_path(path: Path, home: Path) -> str:
    """`path` with `~` for the home directory."""
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def in_order(apps: tuple[App, ...]) -> tuple[App, ...]:
    """Installed apps first; each group in its given order."""
    rank = {
        AppState.CONNECTED: 0,
        AppState.FOUND: 0,
        AppState.UNREADABLE: 1,
        AppState.ABSENT: 2,
    }
    return tuple(sorted(apps, key=lambda app: rank[app.state]))


def found_sentence(servers: tuple[FoundServer, ...]) -> str:
    """“We found 6 servers in Claude Desktop and Cursor on this computer.”"""
    sources = list(dict.fromkeys(server.source for server in servers))
    if len(sources) > 3:
        sources = [*sources[:2], tr("%n other apps", "", len(sources) - 2)]
    named = sources[0]
    if len(sources) > 1:
        first = tr(", ").join(sources[:-1])
        named = tr("{first} and {last}").format(first=first, last=sources[-1])
    text = tr("We found %n servers in {apps} on this computer.", "", len(servers))
    return text.format(apps=named)


def connected_count(apps: Iterable[App], tokens: Iterable[TokenSummary]) -> int:
    """Apps with our entry in their file, and those set up manually that have called."""
    listed = [app for app in apps if app.state is AppState.CONNECTED]
    of_apps = {app.token for app in listed}
    manual = (t for t in tokens if t.last_used_at is not None and t.id not in of_apps)
    return len(listed) + sum(1 for _ in manual)
