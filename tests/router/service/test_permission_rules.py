"""Rules with arguments, against a server that converts what it is sent."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from router.config.server import ServerConfig
from router.config.workspace import PermissionRule
from router.domain.json_values import JsonObject
from router.domain.permissions import Permission
from tests.support.running_router import PERSONAL, RunningRouter

SERVER = Path(__file__).parents[2] / "servers" / "converting_server.py"
RULES: list[JsonObject] = [
    {"options.force": True},
    {"options.paths": "/etc/*"},
    {"count": 5},
    {"everything": True},
]
FORBIDDEN: list[JsonObject] = [
    {"options": {"force": True}},
    {"options": '{"force": true}'},
    {"options": {"force": 1}},
    {"options": {"force": "true"}},
    {"options": {"force": "yes"}},
    {"options": {"force": "ON"}},
    {"options": {"paths": ["/tmp", "/var/../etc/passwd"]}},
    {"options": '{"paths": ["/etc/passwd"]}'},
    {"count": 5},
    {"count": 5.0},
    {"everything": True},
]
"""Each of them reaches the tool as a forbidden value where nothing denies it."""

PERMITTED: list[JsonObject] = [
    {"options": {"force": False, "paths": ["/tmp/a"]}, "count": 6},
    {"options": {"force": None}},
    {"options": None, "everything": False},
]


async def deny(running: RunningRouter, conditions: list[JsonObject]) -> None:
    rules = [PermissionRule(permission=Permission.DENY, arguments=each) for each in conditions]
    await running.router.permissions.set_rules(PERSONAL, None, rules)


@pytest.mark.proves("META-5")
async def test_a_server_never_gets_a_value_that_it_would_convert_to_a_denied_one(
    running: RunningRouter,
) -> None:
    await running.add("change", ServerConfig(command=sys.executable, args=(str(SERVER),)))

    async def text(arguments: JsonObject) -> str:
        params: JsonObject = {"toolKey": "change:change", "arguments": arguments}
        result = await running.call("tool_execute", params)
        return result["content"][0]["text"]

    for arguments in FORBIDDEN:
        given = await text(arguments)
        marks = ("force=True", "/etc/passwd", "count=5", "everything=True")
        assert any(mark in given for mark in marks), (arguments, given)
    await deny(running, RULES)
    for arguments in FORBIDDEN:
        assert "rules don't allow" in await text(arguments), arguments
    for arguments in PERMITTED:
        assert "force=" in await text(arguments), arguments


@pytest.mark.proves("META-5")
async def test_a_rule_knows_what_a_path_means_to_a_local_server(
    running: RunningRouter, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (tmp_path / "innocent").symlink_to(secret)
    config = ServerConfig(command=sys.executable, args=(str(SERVER),), cwd=str(secret))
    await running.add("change", config)
    home = Path.home()
    denied = [f"{secret}/*", "~/private/*", f"{tmp_path}/innocent/b"]
    await deny(running, [{"options.paths": each} for each in denied])
    for path, allowed in {
        f"{tmp_path}/innocent/key": False,
        f"file://{tmp_path}/innocent/key": False,
        "key": False,
        "./key": False,
        f"{home}/private/a": False,
        "~/public/../private/a": False,
        f"{tmp_path}/other": True,
        "~/public/a": True,
    }.items():
        arguments: JsonObject = {"options": {"paths": [path]}}
        params: JsonObject = {"toolKey": "change:change", "arguments": arguments}
        result = await running.call("tool_execute", params)
        assert ("force=" in result["content"][0]["text"]) is allowed, path
