"""Checking a call's arguments before it is forwarded."""

from __future__ import annotations

import pytest

from router.domain.json_values import JsonObject
from router.gateway.tools.arguments import problems

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "depth": {"type": "integer"},
        "ratio": {"type": "number"},
        "mode": {"enum": ["fast", "slow"]},
        "flag": {"type": "boolean"},
        "tags": {"type": ["array", "null"]},
        "anything": {"anyOf": [{"type": "string"}, {"type": "object"}]},
        "pattern": {"type": "string", "pattern": "^(a+)+$"},
    },
    "required": ["path"],
}


def test_only_names_can_be_required() -> None:
    assert problems({"required": [["a"], {}, 1, None]}, {}) == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "/tmp"},
        {"path": "/tmp", "depth": 2, "ratio": 1, "mode": "slow", "flag": False, "tags": None},
        {"path": "", "depth": 2.0, "anything": 7, "unknown": 1},
        {"path": "", "pattern": "a" * 40 + "b"},
    ],
)
def test_valid_arguments_have_no_problems(arguments: JsonObject) -> None:
    assert problems(SCHEMA, arguments) == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, '"path" is required.'),
        ({"path": 3}, '"path" must be of type string.'),
        ({"path": "", "depth": "2"}, '"depth" must be of type integer.'),
        ({"path": "", "depth": 2.5}, '"depth" must be of type integer.'),
        ({"path": "", "depth": True}, '"depth" must be of type integer.'),
        ({"path": "", "mode": "medium"}, '"mode" must be one of: fast, slow.'),
        ({"path": "", "tags": "x"}, '"tags" must be of type array or null.'),
    ],
)
def test_each_wrong_argument_is_named(arguments: JsonObject, problem: str) -> None:
    assert problems(SCHEMA, arguments) == [problem]


def test_unknown_arguments_are_named_where_the_schema_forbids_them() -> None:
    closed = {**SCHEMA, "additionalProperties": False}
    assert problems(closed, {"path": "", "pth": 1}) == ['"pth" is not a parameter.']


@pytest.mark.parametrize("schema", [{}, {"properties": 3}, {"required": "x", "properties": None}])
def test_a_malformed_schema_rejects_nothing(schema: JsonObject) -> None:
    assert problems(schema, {"a": 1}) == []
