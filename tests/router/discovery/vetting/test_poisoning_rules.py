"""The files with the poisoning rules: all of them load, and an error names its file and line."""

from __future__ import annotations

import re

import pytest

from router.discovery.vetting.poisoning_rules import (
    MalformedRules,
    combinations,
    parse_combinations,
    parse_rules,
    rules,
)

RULE = """
[fragments]
send = '''
  (?:send
  |post)
'''
[[rules]]
name = "sends"
weight = 0.6
words = "send post"
patterns = ['\\b(?&send)\\b', 'x{0,3}y']
"""
CONCEPTS = """
combinations = [{ name = "both", weight = 1.0, concepts = ["one", "two"] }]
[concepts.one]
patterns = ['a']
[concepts.two]
stems = "b"
patterns = ['b']
"""


def test_the_shipped_rule_files_load() -> None:
    assert {rule.name for rule in rules()} >= {"overrides instructions", "skips confirmation"}
    assert all(0 < rule.weight <= 1 for rule in (*rules(), *combinations()))
    assert all(len(combination.concepts) > 1 for combination in combinations())


def test_a_pattern_may_span_lines_and_name_a_fragment() -> None:
    [rule] = parse_rules("test.toml", RULE)
    assert rule.pattern.pattern == r"\b(?:send|post)\b|x{0,3}y"
    assert rule.pattern.flags & re.IGNORECASE
    assert rule.words == {"send", "post"}


def test_rules_without_words_search_every_text_and_with_none_only_text_beyond_ascii() -> None:
    [always] = parse_rules("test.toml", RULE.replace('words = "send post"', ""))
    [beyond] = parse_rules("test.toml", RULE.replace("send post", ""))
    assert [*always.matches("post it", frozenset())]
    assert not [*beyond.matches("post it", frozenset({"post", "it"}))]
    assert [*beyond.matches("post ü", frozenset())]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[[rules]]", "[[rules", "test.toml: Expected ']]'"),
        ("[[rules]]", "[[rule]]", "test.toml: rules is missing"),
        ("[fragments]", "[parts]", "test.toml, rules 1 'sends': 'send' is not defined"),
        ("weight", "wieght", "test.toml, rules 1 'sends': weight is missing"),
        ("0.6", '"half"', "test.toml, rules 1 'sends': weight must be of type float"),
        ("words", "word", "test.toml, rules 1 'sends': unknown key word"),
        ("'x{0,3}y'", "3", "test.toml, rules 1 'sends': each of patterns must be of type str"),
        ("x{0,3}y", "(y", "test.toml, rules 1 'sends': missing ), unterminated subpattern"),
        ("&send", "&sned", "test.toml, rules 1 'sends': 'sned' is not defined"),
    ],
)
def test_a_malformed_rule_is_named_with_its_file(old: str, new: str, problem: str) -> None:
    with pytest.raises(MalformedRules, match=re.escape(problem)):
        parse_rules("test.toml", RULE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"two"]', '"three"]', "test.toml, combinations 1 'both': 'three' is not defined"),
        ("stems", "words", "test.toml, concept 'two': unknown key words"),
        ("['b']", "['[b']", "test.toml, concept 'two': unterminated character set"),
    ],
)
def test_a_malformed_combination_is_named_with_its_file(old: str, new: str, problem: str) -> None:
    with pytest.raises(MalformedRules, match=re.escape(problem)):
        parse_combinations("test.toml", CONCEPTS.replace(old, new))
