"""`toolbooth pin`: tools that clients get without a search."""

from __future__ import annotations

import pytest

from tests.router.cli.terminal import SERVER, Terminal


@pytest.fixture
def one(terminal: Terminal) -> Terminal:
    """A terminal whose workspace has a server with tools."""
    terminal("add", "One", "--", *SERVER)
    terminal("refresh")
    return terminal


def keys(terminal: Terminal) -> list[str]:
    return [tool["toolKey"] for tool in terminal.json("tools")]


def test_a_tool_is_pinned_and_unpinned_and_its_cost_is_shown(one: Terminal) -> None:
    key, other = keys(one)[:2]
    assert one("pin")[1] == "No tools are pinned.\n"
    assert [pin["toolKey"] for pin in one.json("pin", key, other, key)] == [key, other]
    _, shown, _ = one("pin")
    assert shown.splitlines()[0].startswith(key)
    assert "tokens" in shown
    assert [pin["toolKey"] for pin in one.json("unpin", key)] == [other]


def test_a_project_has_pins_of_its_own(one: Terminal) -> None:
    one("project", "new", "Site", "--server", "one")
    key = keys(one)[0]
    assert len(one.json("pin", key, "--project", "Site")) == 1
    assert one.json("pin") == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("pin", "one:nothing"), 'There is no tool "one:nothing".'),
        (("pin", "nobody:nothing"), 'There is no tool "nobody:nothing".'),
        (("unpin", "one:nothing"), '"one:nothing" is not pinned.'),
        (("pin", "nonsense"), "nonsense"),
    ],
)
def test_an_invalid_pin_is_refused(one: Terminal, words: tuple[str, ...], message: str) -> None:
    code, _, err = one(*words)
    assert code == 1
    assert message in err
    assert one.json("pin") == []
