"""Server ids, tool keys, exposed names and Lua identifiers."""

from __future__ import annotations

import re

import pytest

from router.domain.errors import InvalidInput
from router.domain.ids import ServerId, ToolKey
from router.domain.names import (
    LUA_GLOBALS,
    assign_server_ids,
    exposed_names,
    lua_identifier,
    lua_identifiers,
    parse_exposed,
    parse_tool_key,
)


def key(server: str, tool: str) -> ToolKey:
    return ToolKey(ServerId(server), tool)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("GitHub", "github"), ("My Files (work)", "my_files_work"), ("a__b", "a_b"), ("x:y", "x_y")],
)
def test_a_server_id_is_the_name_in_snake_case(name: str, expected: str) -> None:
    assert assign_server_ids([name]) == {name: expected}


def test_the_first_of_two_similar_names_keeps_its_id() -> None:
    ids = assign_server_ids(["my-server", "My Server"])
    assert ids["my-server"] == "my_server"
    assert ids["My Server"].startswith("my_server_")


@pytest.mark.parametrize("name", ["toolbooth", "scripts", "日本語", "***"])
def test_reserved_and_wordless_names_still_get_a_usable_id(name: str) -> None:
    server = assign_server_ids([name])[name]
    assert re.fullmatch(r"[a-z][a-z0-9_]*", server)
    assert server not in ("toolbooth", "scripts")
    assert "__" not in server


def test_a_tool_key_is_split_at_the_first_colon() -> None:
    assert parse_tool_key("files:read:all") == key("files", "read:all")


@pytest.mark.parametrize("text", ["", "files", ":tool", "files:"])
def test_an_invalid_tool_key_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_tool_key(text)


@pytest.mark.proves("REG-3")
def test_an_exposed_name_is_split_at_the_first_double_underscore() -> None:
    assert parse_exposed("files__read__all") == ("files", "read__all")


@pytest.mark.proves("REG-3")
@pytest.mark.parametrize("name", ["__tool", "server__", "plain", ""])
def test_half_an_exposed_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        parse_exposed(name)


@pytest.mark.proves("REG-3")
def test_exposed_names_fit_64_characters_and_stay_distinct() -> None:
    keys = [key("server", f"{'x' * 80}{number}") for number in range(5)]
    names = exposed_names(keys)
    assert len(names) == 5
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
    assert set(names.values()) == set(keys)


@pytest.mark.proves("REG-4")
def test_a_servers_tool_never_takes_the_name_of_a_meta_tool() -> None:
    ours = ["tool_discovery", "tool_execute"]
    keys = [key("s", name) for name in ours]
    assert list(exposed_names(keys, prefixed=False)) == [f"s__{name}" for name in ours]
    assert not {"toolbooth", "scripts"} & set(assign_server_ids(["toolbooth", "scripts"]).values())


@pytest.mark.proves("REG-4")
def test_tools_with_the_same_name_on_two_servers_are_both_kept() -> None:
    keys = [key("one", "read"), key("two", "read")]
    assert exposed_names(keys) == {"one__read": keys[0], "two__read": keys[1]}


@pytest.mark.proves("REG-3")
def test_a_collision_never_shadows_and_is_resolved_deterministically() -> None:
    keys = [key("s", "read.file"), key("s", "read/file"), key("s", "other")]
    names = exposed_names(keys)
    assert set(names.values()) == set(keys)
    assert names == exposed_names(reversed(keys))


@pytest.mark.proves("REG-5")
def test_exposed_names_come_in_order_of_name() -> None:
    names = exposed_names([key("b", "x"), key("a", "z"), key("a", "y")])
    assert list(names) == ["a__y", "a__z", "b__x"]


@pytest.mark.proves("PROG-8")
@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("data-server", "data_server"),
        ("my.api", "my_api"),
        ("123numbers", "_123numbers"),
        ("while", "_while"),
        ("read_file", "read_file"),
        ("日本", "__"),
        ("", "_"),
    ],
)
def test_names_become_lua_identifiers(name: str, identifier: str) -> None:
    assert lua_identifier(name) == identifier


@pytest.mark.proves("PROG-8")
def test_a_server_never_shadows_a_lua_global() -> None:
    assert lua_identifier("table", LUA_GLOBALS) == "_table"
    assert lua_identifier("table") == "table"


@pytest.mark.proves("PROG-8")
def test_names_with_the_same_identifier_are_disambiguated_deterministically() -> None:
    names = ["a.b", "a-b", "a_b", "c.d", "e f", "e.f"]
    found = lua_identifiers(names)
    assert found == lua_identifiers(reversed(names))
    assert set(found.values()) == set(names)
    assert found["a_b"] == "a_b"
    assert found["c_d"] == "c.d"
    assert "e_f" not in found
    fewer = lua_identifiers(["a.b", "a_b"])
    assert [i for i, name in found.items() if name == "a.b"] == [
        i for i, name in fewer.items() if name == "a.b"
    ]


@pytest.mark.proves("PROG-8")
def test_a_name_imitating_anothers_identifier_does_not_take_it() -> None:
    taken = next(i for i, name in lua_identifiers(["a.b", "a_b"]).items() if name == "a.b")
    found = lua_identifiers(["a.b", "a_b", taken])
    assert found[taken] == taken
    assert sorted(found.values()) == sorted(["a.b", "a_b", taken])
