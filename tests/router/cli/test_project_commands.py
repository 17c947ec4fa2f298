"""`toolbooth project`: create, change, rename and remove."""

from __future__ import annotations

import pytest

from tests.router.cli.terminal import SERVER, Terminal


@pytest.fixture
def site(terminal: Terminal) -> Terminal:
    """A terminal whose workspace has two servers and a project with one of them."""
    for name in ("One", "Two"):
        terminal("add", name, "--", *SERVER)
    terminal("project", "new", "Site", "--server", "one")
    return terminal


def test_a_project_gets_other_servers_and_keeps_its_options(site: Terminal) -> None:
    site("project", "set", "Site", "--optimization", "off")
    changed = site.json("project", "set", "Site", "--server", "Two", "--server", "scripts")
    assert (changed["servers"], changed["optimization"]) == (["two", "scripts"], None)
    assert site.json("project", "set", "site", "--all-servers")["servers"] is None


def test_a_project_can_offer_search_beside_progressive_discovery(site: Terminal) -> None:
    changed = site.json("project", "set", "Site", "--exposure", "progressive")
    assert changed["offerSearch"] is False
    changed = site.json("project", "set", "Site", "--offer-search", "on")
    assert (changed["offerSearch"], changed["exposure"]) == (True, "progressive")
    assert "progressive + search" in site("project", "list")[1]
    changed = site.json("project", "set", "Site", "--optimization", "bm25")
    assert changed["offerSearch"] is True
    assert site.json("project", "set", "Site", "--offer-search", "off")["offerSearch"] is False
    assert site.json("project", "set", "-", "--offer-search", "on")["offerSearch"] is True


def test_a_project_is_renamed_and_removed(site: Terminal) -> None:
    renamed = site.json("project", "rename", "Site", "Web site")
    assert (renamed["id"], renamed["name"], renamed["servers"]) == ("site", "Web site", ["one"])
    assert site("project", "remove", "Web site")[1] == "Removed Web site.\n"
    assert [each["id"] for each in site.json("project", "list")] == [None]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("set", "Site"), 2, "Specify what to change."),
        (("set", "-", "--server", "one"), 1, "have all servers of the workspace"),
        (("set", "Site", "--server", "three"), 1, 'no server "three"'),
        (("rename", "Site", "other"), 1, 'already a project "other"'),
        (("rename", "-", "All"), 1, "Specify a project."),
        (("remove", "nobody"), 1, 'no project "nobody"'),
    ],
)
def test_invalid_changes_of_a_project_are_refused(
    site: Terminal, words: tuple[str, ...], code: int, sentence: str
) -> None:
    site("project", "new", "Other")
    ended, _, err = site("project", *words)
    assert (ended, sentence in err) == (code, True)
