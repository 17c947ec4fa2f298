"""Which configuration a tool list belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from router.api.events import DiscoveryProgressed
from router.config.server import ServerConfig
from router.domain.servers import DiscoveryStep
from tests.support.running_router import RunningRouter, save, stdio_config

COMMAND = ServerConfig(command="serve", args=("--all",), env={"A": "1"}, cwd="/srv")
ADDRESS = ServerConfig(url="https://tools.example/mcp", headers={"X-Team": "one"})


@pytest.mark.proves("DISC-9")
@pytest.mark.parametrize(
    ("config", "change"),
    [
        (COMMAND, {"command": "other"}),
        (COMMAND, {"args": ("--all", "--beta")}),
        (COMMAND, {"args": ()}),
        (COMMAND, {"env": {"A": "2"}}),
        (COMMAND, {"env": {"A": "1", "B": ""}}),
        (COMMAND, {"env": {"A": "${keyring:a}"}}),
        (COMMAND, {"cwd": "/other"}),
        (ADDRESS, {"url": "https://tools.example/other"}),
        (ADDRESS, {"headers": {"X-Team": "two"}}),
    ],
)
def test_everything_that_affects_the_list_changes_the_hash(
    config: ServerConfig, change: dict[str, Any]
) -> None:
    assert len(bytes.fromhex(config.config_hash)) == 32
    assert config.model_copy(update=change).config_hash != config.config_hash


@pytest.mark.proves("DISC-9")
@pytest.mark.parametrize(
    "change", [{"disabled": True}, {"env": {"A": "1"}}, {"max_concurrent_calls": 3}]
)
def test_everything_else_leaves_the_hash_unchanged(change: dict[str, Any]) -> None:
    assert COMMAND.model_copy(update=change).config_hash == COMMAND.config_hash


@pytest.mark.proves("DISC-9")
def test_the_order_in_which_variables_are_written_does_not_matter() -> None:
    some, same = {"A": "1", "B": "2"}, {"B": "2", "A": "1"}
    hashes = {COMMAND.model_copy(update={"env": env}).config_hash for env in (some, same)}
    assert len(hashes) == 1


@pytest.mark.proves("DISC-9")
async def test_another_secret_under_the_same_name_has_the_same_hash(
    running: RunningRouter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = stdio_config(env={"API_TOKEN": "${env:SERVICE_TOKEN}"})
    monkeypatch.setenv("SERVICE_TOKEN", "first-value-4711")
    await running.add("Test", config)
    cached = json.loads(entry(tmp_path).read_text())
    monkeypatch.setenv("SERVICE_TOKEN", "second-value-0815")
    assert cached["configHash"] == config.config_hash
    assert "first-value-4711" not in entry(tmp_path).read_text()


@pytest.mark.proves("DISC-9", "DISC-10")
async def test_a_value_changed_in_the_file_starts_a_discovery(
    running: RunningRouter, tmp_path: Path
) -> None:
    await running.add("Test", stdio_config(env={"LOG_LEVEL": "one"}))
    before = json.loads(entry(tmp_path).read_text())["configHash"]
    running.trace.clear()
    file = tmp_path / "workspaces" / "personal" / "workspace.json"
    save(file, file.read_text().replace('"LOG_LEVEL": "one"', '"LOG_LEVEL": "two"'))
    await running.trace.until(DiscoveryProgressed, lambda e: e.step is DiscoveryStep.COMPLETE)
    after = json.loads(entry(tmp_path).read_text())["configHash"]
    assert after == stdio_config(env={"LOG_LEVEL": "two"}).config_hash != before


def entry(data_dir: Path) -> Path:
    return data_dir / "workspaces" / "personal" / "cache" / "test.json"
