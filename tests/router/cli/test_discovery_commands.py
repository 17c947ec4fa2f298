"""The commands about discovery: receipts, and what a server may access meanwhile."""

from __future__ import annotations

import pytest

from router.discovery.sandbox.self_test import supported_sandbox
from tests.router.cli.terminal import SERVER, Terminal


def test_the_receipt_shows_the_protections_and_what_the_server_tried(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    code, _, err = terminal("receipt", "test")
    assert code == 1
    assert "toolbooth refresh test" in err
    terminal("refresh")
    receipt = terminal.json("receipt", "test")
    words = receipt["protection"]["words"]
    assert receipt["protection"]["level"] == supported_sandbox().profile.level
    assert words in terminal("receipt", "test")[1]
    assert terminal.json("list")[0]["protection"]["words"] == words


def test_discovery_access_of_a_server_can_be_set(terminal: Terminal) -> None:
    terminal("add", "Test", "--", *SERVER)
    assert terminal.json("list")[0]["discoveryAccess"] == "isolated"
    assert terminal.json("approve", "test", "--network")["discoveryAccess"] == "network"
    assert terminal.json("list")[0]["discoveryAccess"] == "network"
    assert terminal.json("approve", "test", "--isolated")["discoveryAccess"] == "isolated"
    assert terminal("approve", "test", "--network", "--unconfined")[0] == 2


@pytest.mark.proves("U-1")
def test_a_variable_that_can_load_code_is_reported(terminal: Terminal) -> None:
    options = ("--env", "NODE_OPTIONS=--require x", "--env", "MODE=a", "--", "server")
    added = terminal.json("add", "Files", *options)
    assert added["warnings"] == [
        "NODE_OPTIONS: controls which programs are loaded. Make sure you want this."
    ]
