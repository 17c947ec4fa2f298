"""`toolbooth workspace`: create, rename, remove and restore."""

from __future__ import annotations

import pytest

from tests.router.cli.terminal import SERVER, Terminal


def names(terminal: Terminal) -> dict[str, str]:
    return {each["id"]: each["name"] for each in terminal.json("workspace", "list")}


def test_a_workspace_is_renamed_and_keeps_its_id(terminal: Terminal) -> None:
    terminal("workspace", "new", "Work")
    assert terminal.json("workspace", "rename", "Work", "Day job")["name"] == "Day job"
    assert names(terminal) == {"personal": "Personal", "work": "Day job"}


def test_a_restored_workspace_has_its_servers(terminal: Terminal) -> None:
    terminal("workspace", "new", "Work")
    terminal("add", "Test", "--workspace", "Work", "--", *SERVER)
    code, out, _ = terminal("workspace", "remove", "Work")
    assert (code, names(terminal)) == (0, {"personal": "Personal"})
    assert out == "Removed Work. Restore it with: toolbooth workspace restore work\n"
    assert terminal.json("workspace", "restore", "work")["servers"] == 1
    assert terminal.json("list", "--workspace", "Work")[0]["id"] == "test"


@pytest.mark.parametrize("name", ["Work", "../workspaces/work", ""])
def test_only_a_removed_workspace_can_be_restored(terminal: Terminal, name: str) -> None:
    terminal("workspace", "new", "Work")
    terminal("workspace", "remove", "Work")
    code, _, err = terminal("workspace", "restore", name)
    assert code == 1
    assert "These can be restored: work." in err


def test_the_last_workspace_stays(terminal: Terminal) -> None:
    code, _, err = terminal("workspace", "remove", "Personal")
    assert code == 1
    assert "Create another one first." in err


def test_no_two_workspaces_have_the_same_name(terminal: Terminal) -> None:
    terminal("workspace", "new", "Work")
    code, _, err = terminal("workspace", "new", "work")
    assert (code, 'There is already a workspace "Work".' in err) == (1, True)
    assert terminal("workspace", "rename", "Personal", "WORK")[0] == 1
    assert terminal("workspace", "rename", "Work", "WORK")[0] == 0


def test_an_id_takes_precedence_over_a_name(terminal: Terminal) -> None:
    terminal("workspace", "new", "Work")
    terminal("workspace", "rename", "Work", "Play")
    terminal("workspace", "rename", "Personal", "work")
    assert terminal.json("workspace", "use", "work")["name"] == "Play"
