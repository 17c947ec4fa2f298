"""Prompts and resources: how clients see them and how they are routed to their server."""

from __future__ import annotations

import pytest

from router.catalog.prompts_resources import (
    exposed_prompts,
    exposed_resources,
    matches,
    qualified_uri,
    resolve_uri,
)
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject

A, B = ServerId("a"), ServerId("b")


def resource(uri: str) -> JsonObject:
    return {"uri": uri, "name": "x"}


def test_prompts_with_the_same_name_are_both_kept_with_their_servers_name() -> None:
    offers = exposed_prompts([(B, {"name": "hi", "title": "B"}), (A, {"name": "hi", "title": "A"})])
    assert list(offers) == ["a__hi", "b__hi"]
    assert offers["a__hi"].original == "hi"
    assert offers["a__hi"].wire == {"name": "a__hi", "title": "A"}


def test_a_uri_of_only_one_server_is_unchanged() -> None:
    offers = exposed_resources([(A, resource("file:///x"))], "uri")
    assert resolve_uri("file:///x", offers, {}) == (A, "file:///x")


def test_a_uri_of_two_servers_names_its_server() -> None:
    offers = exposed_resources([(A, resource("demo://1")), (B, resource("demo://1"))], "uri")
    assert list(offers) == ["toolbooth://a/demo%3A%2F%2F1", "toolbooth://b/demo%3A%2F%2F1"]
    assert resolve_uri("toolbooth://b/demo%3A%2F%2F1", offers, {}) == (B, "demo://1")


def test_a_uri_made_from_a_template_is_routed_to_its_server() -> None:
    templates = exposed_resources([(A, {"uriTemplate": "note://{id}/text"})], "uriTemplate")
    assert resolve_uri("note://7/text", {}, templates) == (A, "note://7/text")
    assert resolve_uri("note://7/picture", {}, templates) is None


def test_templates_of_two_servers_keep_their_expressions() -> None:
    assert qualified_uri(A, "note://{id}/t") == "toolbooth://a/note%3A%2F%2F{id}%2Ft"


def test_a_uri_of_two_servers_is_not_routed_to_a_thirds_template() -> None:
    offers = exposed_resources([(A, resource("demo://1")), (B, resource("demo://1"))], "uri")
    templates = exposed_resources([(ServerId("c"), {"uriTemplate": "demo://{x}"})], "uriTemplate")
    assert resolve_uri("demo://1", offers, templates) is None
    assert resolve_uri("demo://2", offers, templates) == ("c", "demo://2")


def test_a_uri_matching_templates_of_two_servers_is_unknown() -> None:
    wires = [(A, {"uriTemplate": "note://{id}/text"}), (B, {"uriTemplate": "note://{+all}"})]
    templates = exposed_resources(wires, "uriTemplate")
    assert resolve_uri("note://7/text", {}, templates) is None
    assert resolve_uri(qualified_uri(A, "note://7/text"), {}, templates) == (A, "note://7/text")


def test_a_server_cannot_offer_a_uri_that_names_another() -> None:
    stolen = qualified_uri(B, "demo://1")
    offers = exposed_resources([(A, resource(stolen)), (B, resource("demo://2"))], "uri")
    assert resolve_uri(stolen, offers, {}) == (B, "demo://1")
    assert resolve_uri(qualified_uri(A, stolen), offers, {}) == (A, stolen)


def test_our_uri_for_an_unknown_server_is_unknown() -> None:
    assert resolve_uri("toolbooth://nobody/x", {}, {}) is None
    assert resolve_uri("toolbooth://nobody", {}, {}) is None


@pytest.mark.parametrize(
    ("template", "address", "expected"),
    [
        ("a://{x}", "a://1", True),
        ("a://{x}/b/{y}", "a://1/b/2", True),
        ("a://{x}/b/{y}", "a://1/c/2", False),
        ("a://{x}b", "a://b", True),
        ("a://{x}aba", "a://ab", False),
        ("a://plain", "a://plain", True),
        ("a://plain", "a://plain2", False),
        ("urn:{x}", "urn:1", True),
        ("{+path}", "anything:at/all", False),
        ("a{+path}", "a://1", False),
    ],
)
def test_a_template_matches_uris_with_its_fixed_parts(
    template: str, address: str, expected: bool
) -> None:
    assert matches(template, address) is expected


def test_matching_is_fast_for_any_template() -> None:
    assert not matches("a:" + "{a}" * 2000 + "b", "a:" + "a" * 20_000)
