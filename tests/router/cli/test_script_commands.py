"""`toolbooth script`: save, show, run, dry run, remove."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.router.cli.terminal import SERVER, Terminal

ECHO = """---Say it back.
---@param text string What.
result(test.echo{text = arguments.text}:await().text)
"""


def test_a_script_is_saved_listed_run_and_removed(terminal: Terminal, tmp_path: Path) -> None:
    terminal("add", "Test", "--", *SERVER)
    terminal("refresh")
    file = tmp_path / "echo.lua"
    file.write_text(ECHO)
    assert terminal("script", "list")[1].startswith("No scripts yet.")
    assert terminal.json("script", "add", "say", str(file))["description"] == "Say it back."
    assert terminal("script", "list")[1].split() == ["say", "(text)", "Say", "it", "back."]
    assert terminal("script", "show", "say")[1] == ECHO
    assert terminal("script", "run", "say", '{"text": "hello"}')[1] == "hello\n"
    code, out, _ = terminal("script", "run", "say", '{"text": "hello"}', "--dry")
    assert (code, out.splitlines()[0]) == (0, 'would call test:echo {"text":"hello"}')
    assert terminal("script", "add", "say", str(file))[0] == 1
    assert terminal("script", "add", "say", str(file), "--replace")[0] == 0
    assert terminal("script", "remove", "say")[0] == 0
    assert terminal.json("script", "list") == []


def test_a_failing_script_prints_its_error_and_sets_the_exit_code(
    terminal: Terminal, tmp_path: Path
) -> None:
    file = tmp_path / "broken.lua"
    file.write_text("error('no')")
    terminal("script", "add", "broken", str(file))
    code, out, _ = terminal("script", "run", "broken")
    assert code == 1
    assert "at line 1: no" in out
    assert "There is no script" in terminal("script", "run", "nobody")[2]
    assert "can't be read" in terminal("script", "add", "x", str(tmp_path / "missing"))[2]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("local a = 1\nlocal b = = 2\n", "Line 2 is not Lua: unexpected symbol near '='."),
        (
            "--- Says it.\nif true then\n",
            "Line 3 is not Lua: 'end' expected (to close 'if' at line 2) near <eof>.",
        ),
    ],
)
def test_a_script_that_is_not_lua_is_not_saved(
    terminal: Terminal, tmp_path: Path, text: str, sentence: str
) -> None:
    file = tmp_path / "broken.lua"
    file.write_text(text)
    code, _, err = terminal("script", "add", "broken", str(file))
    assert code == 1
    assert sentence in err
    assert terminal.json("script", "list") == []


def test_saving_a_script_runs_nothing_of_it(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "endless.lua"
    file.write_text("while true do end")
    assert terminal("script", "add", "endless", str(file))[0] == 0
