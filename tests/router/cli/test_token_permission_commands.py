"""`toolbooth token` and `toolbooth permission`."""

from __future__ import annotations

import csv
import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.router.cli.terminal import SERVER, Terminal


def test_a_token_is_shown_once_and_can_be_revoked(terminal: Terminal, tmp_path: Path) -> None:
    made = terminal.json("token", "new", "Editor")
    assert made["token"].startswith("tbt_")
    assert made["token"] not in (tmp_path / "tokens.json").read_text()
    [listed] = terminal.json("token", "list")
    assert "token" not in listed
    assert terminal("token", "revoke", listed["id"])[0] == 0
    assert terminal.json("token", "list") == []


def test_a_token_can_be_limited_to_servers_and_expire(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    made = terminal.json("token", "new", "Editor", "--server", "Test", "--expires", "30d")
    assert (made["workspace"], made["servers"]) == ("personal", ["test"])
    lifetime = datetime.fromisoformat(made["expiresAt"]) - datetime.fromisoformat(made["createdAt"])
    assert timedelta(days=29.9) < lifetime <= timedelta(days=30)
    _, out, _ = terminal("token", "list")
    assert "personal  -  test  never used" in out


@pytest.mark.proves("META-5")
def test_rules_are_added_listed_and_removed(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    terminal("permission", "rule", "ask", "--server", "test", "--destructive")
    words = ("deny", "--argument", "path=/etc/*", "--argument", "force=true", "--place", "1")
    rules = terminal.json("permission", "rule", *words)["rules"]
    assert rules == [
        {"permission": "deny", "arguments": {"path": "/etc/*", "force": True}},
        {"permission": "ask", "server": "test", "destructive": True},
    ]
    assert "rule 2  ask   server" in terminal("permission", "list")[1]
    left = terminal.json("permission", "rule", "--remove", "1")["rules"]
    assert left == rules[1:]
    assert terminal("permission", "rule", "--remove", "7")[0] == 1
    assert terminal("permission", "rule")[0] == 2
    assert terminal.json("permission", "asks") == []
    assert terminal("permission", "answer", "gone", "once")[0] == 1


@pytest.mark.proves("META-5")
def test_a_call_that_needs_permission_says_so_where_nobody_can_be_asked(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    terminal("refresh")
    assert terminal("permission", "set", "test:echo", "ask")[0] == 0
    code, _, err = terminal("call", "test:echo")
    assert code == 1
    assert "nobody is there" in err


@pytest.mark.proves("META-9")
def test_activity_is_shown_filtered_and_exported(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    terminal("refresh")
    terminal("call", "test:echo", '{"a": 1}')
    terminal("call", "test:fail", '{"error": {"code": 1, "message": "=no"}}')
    [failed, done] = terminal.json("activity")["entries"]
    assert (failed["outcome"], done["outcome"], done["server"]) == ("error", "ok", "test")
    assert done["detail"] is None
    assert done["inputTokens"] > 0
    assert terminal.json("activity", "--errors")["entries"] == [failed]
    assert "test:echo" in terminal("activity", "--since", "1h", "--client", "Toolbooth")[1]
    lines = terminal("activity", "--export", "jsonl")[1].splitlines()
    assert [json.loads(line) for line in lines] == [failed, done]
    head, first, second = csv.reader(terminal("activity", "--export", "csv")[1].splitlines())
    assert dict(zip(head, second, strict=True))["tool"] == "echo"
    assert dict(zip(head, second, strict=True))["message"] == ""
    assert dict(zip(head, first, strict=True))["message"] == "'=no"
    assert terminal("savings")[0] == 0
