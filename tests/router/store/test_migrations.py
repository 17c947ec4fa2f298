"""Every older format of a file is migrated to the newest; a newer one is refused."""

from __future__ import annotations

import pytest

from router.config.settings import SCHEMA_VERSION, Settings
from router.config.workspace import WorkspaceConfig
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject
from router.store.migrations import migrate_settings, migrate_workspace

TIME = {"command": "uvx", "args": ["mcp-server-time"]}


@pytest.mark.parametrize("key", ["mcpServers", "servers"])
def test_servers_pasted_from_another_client_become_a_workspace(key: str) -> None:
    migrated = migrate_workspace({key: {"time": TIME}}, "Work")
    config = WorkspaceConfig.model_validate(migrated.value)
    assert (config.name, config.schema_version) == ("Work", SCHEMA_VERSION)
    assert config.mcp_servers["time"].args == ("mcp-server-time",)
    assert migrated.warnings == ()


def test_other_keys_of_a_pasted_file_are_dropped_with_a_warning() -> None:
    pasted: JsonObject = {"mcpServers": {}, "inputs": [], "globalShortcut": "Ctrl+Space"}
    migrated = migrate_workspace(pasted, "Work")
    assert migrated.value.keys() == {"mcpServers", "name", "schemaVersion"}
    assert migrated.warnings == (
        '"globalShortcut" is not used by Toolbooth and is ignored',
        '"inputs" is not used by Toolbooth and is ignored',
    )


def test_our_own_keys_in_a_pasted_file_are_kept() -> None:
    pasted: JsonObject = {"name": "Mine", "optimization": None, "mcpServers": {}}
    value = migrate_workspace(pasted, "Work").value
    assert (value["name"], value["optimization"]) == ("Mine", None)


def test_an_empty_object_is_an_empty_workspace() -> None:
    migrated = migrate_workspace({}, "Work")
    assert WorkspaceConfig.model_validate(migrated.value) == WorkspaceConfig(name="Work")


def test_a_file_without_servers_is_refused_and_kept() -> None:
    with pytest.raises(InvalidInput, match='"mcpServers" is missing'):
        migrate_workspace({"mcpservers": {"time": TIME}}, "Work")


def test_a_file_of_the_newest_version_is_unchanged() -> None:
    value = WorkspaceConfig(name="Work").to_json()
    assert migrate_workspace(value, "Other").value == value
    assert migrate_settings(Settings().to_json()).value == Settings().to_json()


def test_settings_without_a_version_are_the_first_version() -> None:
    assert migrate_settings({"port": 4000}).value == {"port": 4000, "schemaVersion": 1}


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        (99, r"newer version of Toolbooth \(format version 99"),
        ("1", "must be a whole number"),
        (True, "must be a whole number"),
        (-1, "must be a whole number"),
    ],
)
def test_an_unknown_version_is_refused(version: object, sentence: str) -> None:
    raw: JsonObject = {"schemaVersion": version, "name": "Work"}
    with pytest.raises(InvalidInput, match=sentence):
        migrate_workspace(raw, "Work")
    with pytest.raises(InvalidInput, match=sentence):
        migrate_settings(raw)
