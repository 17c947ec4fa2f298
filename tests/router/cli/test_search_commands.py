"""Search from the terminal: its usage history, and the cloud service."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from router.domain.ids import ProjectId, WorkspaceId
from router.domain.search import AbandonedSearch, ToolUse, UsageHistory
from router.store.usage_history import write_usage_history
from tests.router.cli.terminal import SERVER, Terminal

NOW = datetime(2026, 5, 1, tzinfo=UTC)
HISTORY = UsageHistory(
    (ToolUse(("bug", "report"), "github:create_issue", 2.0, NOW),),
    (AbandonedSearch(("cake",), NOW),),
)


def with_history(terminal: Terminal, project: str | None = None) -> None:
    terminal("list")
    folder = terminal.folder / "workspaces" / WorkspaceId("personal")
    write_usage_history(folder, {ProjectId(project) if project else None: HISTORY})


def test_the_usage_history_can_be_shown_and_cleared(terminal: Terminal) -> None:
    with_history(terminal)
    shown = terminal.json("learning", "show")
    assert [(each["words"], each["toolKey"]) for each in shown["lessons"]] == [
        (["bug", "report"], "github:create_issue")
    ]
    assert [each["words"] for each in shown["misses"]] == [["cake"]]
    _, text, _ = terminal("learning", "show")
    assert text.splitlines() == [
        "bug report  github:create_issue  2",
        "cake  no tool called",
    ]
    assert terminal("learning", "clear")[0] == 0
    assert terminal("learning", "show")[1] == "No usage history yet.\n"


def test_each_project_has_its_own_usage_history(terminal: Terminal) -> None:
    terminal("project", "new", "Site")
    with_history(terminal, "site")
    assert terminal.json("learning", "show")["lessons"] == []
    assert len(terminal.json("learning", "show", "--project", "site")["lessons"]) == 1
    assert terminal("learning", "show", "--project", "nobody")[0] == 1


def test_usage_history_is_switched_off_and_on(terminal: Terminal) -> None:
    terminal("learning", "off")
    assert terminal("learning", "show")[1].startswith("Learning is off.")
    assert terminal.json("learning", "show")["learning"] is False
    terminal("learning", "on")
    assert terminal.json("learning", "show")["learning"] is True


@pytest.mark.proves("META-7")
def test_a_cloud_service_is_set_and_its_failure_reported(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "s3cret")
    assert terminal("cloud", "set", "https://search.example", "--token-env", "NOT_SET")[0] == 2
    code, _, error = terminal("cloud", "set", "http://search.example")
    assert (code, "https://" in error) == (1, True)
    assert terminal("cloud", "set", "http://127.0.0.1:9")[0] == 0
    settings = json.loads((terminal.folder / "settings.json").read_text())
    assert settings["cloudSearchUrl"] == "http://127.0.0.1:9"
    terminal("add", "Odd", "--", *SERVER)
    terminal("refresh")
    terminal("project", "set", "-", "--optimization", "cloud")
    [first, *_] = terminal.json("search", "echo")
    assert "cloud search failed" in first["explanation"]
    assert "answered by hybrid" in first["explanation"]
    assert terminal("cloud", "off")[0] == 0
    terminal("project", "set", "-", "--optimization", "off")
    code, out, error = terminal("search", "echo")
    assert (code, out) == (0, "No tools found. See all of them with: toolbooth tools\n")
    assert error.startswith("toolbooth: Nothing was searched: Context Optimization is off")
