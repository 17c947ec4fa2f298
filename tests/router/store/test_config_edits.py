"""Edits of settings and workspaces by users are noticed; an error affects only its own file."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from router.api.events import ConfigAccepted, ConfigRejected
from router.config.settings import Settings
from router.config.workspace import WorkspaceConfig
from router.domain.ids import WorkspaceId
from router.store.config_store import (
    ConfigStore,
    SettingsChanged,
    WorkspaceChanged,
    WorkspaceRemoved,
)
from router.store.deferred_writes import DeferredWrites
from tests.router.store.config_files import PERSONAL, WORK, edit, file_of, with_server


class TestPolling:
    def test_without_a_change_nothing_is_reported(self, store: ConfigStore) -> None:
        assert store.poll() == []

    def test_our_own_writes_are_not_reported(self, store: ConfigStore) -> None:
        store.update_settings(lambda _: Settings(port=4000))
        store.update_workspace(PERSONAL, lambda _: WorkspaceConfig(name="Mine"))
        store.update_workspace(PERSONAL, lambda config: config)
        store.create_workspace(WORK, WorkspaceConfig(name="Work"))
        assert store.poll() == []

    def test_an_edited_workspace_is_noticed(self, store: ConfigStore, tmp_path: Path) -> None:
        edit(file_of(tmp_path), with_server("time"))
        assert store.poll() == [WorkspaceChanged(PERSONAL)]
        assert list(store.workspaces[PERSONAL].mcp_servers) == ["time"]
        assert store.poll() == []

    def test_edited_settings_are_noticed(self, store: ConfigStore, tmp_path: Path) -> None:
        edit(tmp_path / "settings.json", '{"schemaVersion": 1, "port": 4000}')
        assert store.poll() == [SettingsChanged()]
        assert store.settings.port == 4000

    def test_a_file_saved_without_a_change_is_not_reported(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        os.utime(file_of(tmp_path), (0, 0))
        assert store.poll() == []

    def test_servers_in_another_order_are_a_change(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        entry = {"command": "uvx"}
        edit(file_of(tmp_path), json.dumps({"mcpServers": {"a b": entry, "a-b": entry}}))
        store.poll()
        edit(file_of(tmp_path), json.dumps({"mcpServers": {"a-b": entry, "a b": entry}}))
        os.utime(file_of(tmp_path), (0, 0))
        assert store.poll() == [WorkspaceChanged(PERSONAL)]

    def test_a_workspace_that_appears_is_noticed(self, store: ConfigStore, tmp_path: Path) -> None:
        edit(file_of(tmp_path, WorkspaceId("my-work")), with_server("time"))
        assert store.poll() == [WorkspaceChanged(WorkspaceId("my-work"))]
        assert store.workspaces[WorkspaceId("my-work")].name == "My work"

    def test_a_workspace_whose_folder_is_removed_is_reported_as_removed(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        store.create_workspace(WORK, WorkspaceConfig(name="Work"))
        shutil.rmtree(file_of(tmp_path, WORK).parent)
        assert store.poll() == [WorkspaceRemoved(WORK)]
        assert list(store.workspaces) == [PERSONAL]
        assert store.poll() == []

    def test_a_file_an_editor_moves_away_briefly_is_not_removed(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        path = file_of(tmp_path)
        path.rename(path.with_name("workspace.json~"))
        assert store.poll() == []
        edit(path, with_server("time"))
        assert store.poll() == [WorkspaceChanged(PERSONAL)]
        path.unlink()
        assert store.poll() == []
        assert store.poll() == [WorkspaceRemoved(PERSONAL)]

    def test_a_missing_file_restored_by_a_save_is_not_removed(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        file_of(tmp_path).unlink()
        assert store.poll() == []
        store.update_workspace(PERSONAL, lambda _: WorkspaceConfig(name="Mine"))
        assert store.poll() == []
        assert ConfigStore(tmp_path, DeferredWrites()).load() == []
        assert store.workspaces[PERSONAL].name == "Mine"

    def test_removed_settings_keep_their_values(self, store: ConfigStore, tmp_path: Path) -> None:
        store.update_settings(lambda _: Settings(port=4000))
        (tmp_path / "settings.json").unlink()
        assert store.poll() == []
        assert store.settings.port == 4000

    def test_a_malformed_edit_is_refused_once_with_its_line_and_the_last_good_state_stays(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        path = file_of(tmp_path)
        edit(path, with_server("time"))
        store.poll()
        edit(path, '{\n  "mcpServers": {\n    "time": {"args": []}\n  }\n}')
        reason = 'mcpServers.time: a server needs either "command" or "url"'
        assert store.poll() == [ConfigRejected(path, 3, reason)]
        assert store.poll() == []
        assert store.rejected == (ConfigRejected(path, 3, reason),)
        assert store.workspaces[PERSONAL].mcp_servers["time"].command == "uvx"

    def test_the_line_is_right_in_a_file_pasted_from_vs_code(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        edit(
            file_of(tmp_path), '{\n  "servers": {\n    "time": {\n      "command": 7\n    }\n  }\n}'
        )
        [rejected] = store.poll()
        assert isinstance(rejected, ConfigRejected)
        assert rejected.line == 4

    def test_a_corrected_file_is_accepted(self, store: ConfigStore, tmp_path: Path) -> None:
        path = file_of(tmp_path)
        good = path.read_text()
        edit(path, "{")
        store.poll()
        edit(path, good)
        assert store.poll() == [ConfigAccepted(path)]
        edit(path, "{")
        store.poll()
        edit(path, with_server("time"))
        assert store.poll() == [ConfigAccepted(path), WorkspaceChanged(PERSONAL)]
        assert store.rejected == ()

    def test_unreadable_workspaces_keep_their_state(
        self, store: ConfigStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "workspaces").rename(tmp_path / "aside")
        (tmp_path / "workspaces").write_text("")
        [rejected] = store.poll()
        assert isinstance(rejected, ConfigRejected)
        assert store.poll() == []
        assert PERSONAL in store.workspaces
        assert [r.message for r in caplog.records if "Ignoring" in r.message] == [
            f"Ignoring {tmp_path / 'workspaces'}: it can't be read: Not a directory"
        ]
        (tmp_path / "workspaces").unlink()
        (tmp_path / "aside").rename(tmp_path / "workspaces")
        assert store.poll() == [ConfigAccepted(file_of(tmp_path))]

    def test_an_unreadable_file_is_rejected_once(self, store: ConfigStore, tmp_path: Path) -> None:
        path = tmp_path / "settings.json"
        path.unlink()
        path.mkdir()
        [rejected] = store.poll()
        assert isinstance(rejected, ConfigRejected)
        assert "can't be read" in rejected.reason
        assert store.poll() == []
