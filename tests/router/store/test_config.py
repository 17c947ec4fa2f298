"""Settings and workspaces on disk: edits are noticed, mistakes refused, nobody's change lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import router
from router.errors import ConfigError, Conflict, InvalidInput, NotFound, ToolboothError
from router.model import Optimization, WorkspaceId
from router.settings import ServerConfig, Settings, WorkspaceConfig
from router.store.config import (
    Accepted,
    ConfigStore,
    Rejected,
    SettingsChanged,
    WorkspaceChanged,
    WorkspaceGone,
)

ROOT = Path(router.__file__).parents[1]
PERSONAL = WorkspaceId("personal")
WORK = WorkspaceId("work")
TIME = ServerConfig(command="uvx", args=("mcp-server-time",))


@pytest.fixture
def store(tmp_path: Path) -> ConfigStore:
    store = ConfigStore(tmp_path)
    assert store.load() == []
    return store


def file_of(tmp_path: Path, workspace: WorkspaceId = PERSONAL) -> Path:
    return tmp_path / "workspaces" / workspace / "workspace.json"


def edit(path: Path, text: str) -> None:
    """As an editor does that writes in place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def with_server(name: str) -> str:
    return json.dumps({"mcpServers": {name: {"command": "uvx"}}})


class TestLoading:
    def test_the_first_start_makes_settings_and_a_personal_workspace(self, tmp_path: Path) -> None:
        store = ConfigStore(tmp_path)
        assert store.load() == []
        assert store.settings == Settings()
        assert store.workspaces == {PERSONAL: WorkspaceConfig(name="Personal")}
        assert json.loads((tmp_path / "settings.json").read_text())["port"] == 3717
        assert json.loads(file_of(tmp_path).read_text())["mcpServers"] == {}

    def test_what_was_saved_is_there_after_a_restart(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        settings = Settings(port=4000, active_workspace=WORK)
        config = WorkspaceConfig(name="Work", optimization=None, mcp_servers={"Time": TIME})
        store.update_settings(lambda _: settings)
        store.create_workspace(WORK, config)
        again = ConfigStore(tmp_path)
        assert again.load() == []
        assert again.settings == settings
        assert again.workspaces == {PERSONAL: WorkspaceConfig(name="Personal"), WORK: config}

    @pytest.mark.proves("REG-5")
    def test_workspaces_come_in_order_of_their_ids(self, store: ConfigStore) -> None:
        for name in ("zoo", "art"):
            store.create_workspace(WorkspaceId(name), WorkspaceConfig(name=name))
        assert list(store.workspaces) == ["art", "personal", "zoo"]

    def test_no_personal_workspace_is_made_beside_another(self, tmp_path: Path) -> None:
        edit(file_of(tmp_path, WORK), with_server("time"))
        store = ConfigStore(tmp_path)
        store.load()
        assert list(store.workspaces) == [WORK]

    def test_a_malformed_file_is_reported_and_the_rest_still_loads(self, tmp_path: Path) -> None:
        edit(tmp_path / "settings.json", '{\n  "schemaVersion": 1,\n  "port": "many"\n}')
        edit(file_of(tmp_path), '{\n  "mcpServers": {\n}')
        edit(file_of(tmp_path, WORK), with_server("time"))
        store = ConfigStore(tmp_path)
        reported = {
            change.path.name: change for change in store.load() if isinstance(change, Rejected)
        }
        assert reported["settings.json"].line == 3
        assert reported["workspace.json"].path == file_of(tmp_path)
        assert set(store.rejected) == set(reported.values())
        assert store.settings == Settings()
        assert store.workspaces[PERSONAL] == WorkspaceConfig(name="Personal")
        assert list(store.workspaces[WORK].mcp_servers) == ["time"]

    def test_a_file_written_by_a_newer_version_is_refused_and_kept(self, tmp_path: Path) -> None:
        newer = '{\n  "name": "Work",\n  "schemaVersion": 2,\n  "miracles": true\n}'
        edit(file_of(tmp_path), newer)
        store = ConfigStore(tmp_path)
        [rejected] = store.load()
        assert isinstance(rejected, Rejected)
        assert rejected.line == 3
        assert "newer Toolbooth" in rejected.reason
        with pytest.raises(ConfigError):
            store.update_workspace(PERSONAL, lambda _: WorkspaceConfig(name="Mine"))
        assert file_of(tmp_path).read_text() == newer

    def test_a_file_in_place_of_the_workspaces_is_a_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "workspaces").write_text("")
        with pytest.raises(ToolboothError, match="workspaces"):
            ConfigStore(tmp_path).load()

    def test_a_folder_whose_name_is_no_id_is_ignored(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        edit(file_of(tmp_path, WorkspaceId("My Work")), with_server("time"))
        store = ConfigStore(tmp_path)
        store.load()
        store.poll()
        assert list(store.workspaces) == [PERSONAL]
        assert caplog.text.count("My Work") == 1

    def test_leftovers_of_killed_writers_are_swept(self, tmp_path: Path) -> None:
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait(timeout=10)
        leftover = tmp_path / f".settings.json.{ended.pid}-0123abcd.tmp"
        leftover.touch()
        ConfigStore(tmp_path).load()
        assert not leftover.exists()

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
    def test_everything_made_is_private(self, tmp_path: Path) -> None:
        data_dir = tmp_path / "data"
        ConfigStore(data_dir).load()
        for path in (data_dir, *data_dir.rglob("*")):
            assert path.stat().st_mode & 0o077 == 0, path


class TestPolling:
    def test_nothing_happened_is_no_news(self, store: ConfigStore) -> None:
        assert store.poll() == []

    def test_our_own_writes_are_no_news(self, store: ConfigStore) -> None:
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

    def test_a_file_saved_without_a_change_is_no_news(
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

    def test_a_workspace_whose_folder_is_removed_is_gone(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        store.create_workspace(WORK, WorkspaceConfig(name="Work"))
        shutil.rmtree(file_of(tmp_path, WORK).parent)
        assert store.poll() == [WorkspaceGone(WORK)]
        assert list(store.workspaces) == [PERSONAL]
        assert store.poll() == []

    def test_a_file_an_editor_moves_away_for_a_moment_is_not_gone(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        path = file_of(tmp_path)
        path.rename(path.with_name("workspace.json~"))
        assert store.poll() == []
        edit(path, with_server("time"))
        assert store.poll() == [WorkspaceChanged(PERSONAL)]
        path.unlink()
        assert store.poll() == []
        assert store.poll() == [WorkspaceGone(PERSONAL)]

    def test_a_missing_file_that_a_save_brings_back_is_not_gone(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        file_of(tmp_path).unlink()
        assert store.poll() == []
        store.update_workspace(PERSONAL, lambda _: WorkspaceConfig(name="Mine"))
        assert store.poll() == []
        assert ConfigStore(tmp_path).load() == []
        assert store.workspaces[PERSONAL].name == "Mine"

    def test_removed_settings_stay_as_they_were(self, store: ConfigStore, tmp_path: Path) -> None:
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
        assert store.poll() == [Rejected(path, 3, reason)]
        assert store.poll() == []
        assert store.rejected == (Rejected(path, 3, reason),)
        assert store.workspaces[PERSONAL].mcp_servers["time"].command == "uvx"

    def test_the_line_is_right_in_a_file_pasted_from_vs_code(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        edit(
            file_of(tmp_path), '{\n  "servers": {\n    "time": {\n      "command": 7\n    }\n  }\n}'
        )
        [rejected] = store.poll()
        assert isinstance(rejected, Rejected)
        assert rejected.line == 4

    def test_a_mended_file_is_accepted(self, store: ConfigStore, tmp_path: Path) -> None:
        path = file_of(tmp_path)
        good = path.read_text()
        edit(path, "{")
        store.poll()
        edit(path, good)
        assert store.poll() == [Accepted(path)]
        edit(path, "{")
        store.poll()
        edit(path, with_server("time"))
        assert store.poll() == [Accepted(path), WorkspaceChanged(PERSONAL)]
        assert store.rejected == ()

    def test_workspaces_that_can_not_be_looked_at_are_left_as_they_were(
        self, store: ConfigStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "workspaces").rename(tmp_path / "aside")
        (tmp_path / "workspaces").write_text("")
        [rejected] = store.poll()
        assert isinstance(rejected, Rejected)
        assert store.poll() == []
        assert PERSONAL in store.workspaces
        assert [r.message for r in caplog.records if "Ignoring" in r.message] == [
            f"Ignoring {tmp_path / 'workspaces'}: it can't be read: Not a directory"
        ]
        (tmp_path / "workspaces").unlink()
        (tmp_path / "aside").rename(tmp_path / "workspaces")
        assert store.poll() == [Accepted(file_of(tmp_path))]

    def test_a_file_that_can_not_be_read_is_rejected_once(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        path = tmp_path / "settings.json"
        path.unlink()
        path.mkdir()
        [rejected] = store.poll()
        assert isinstance(rejected, Rejected)
        assert "can't be read" in rejected.reason
        assert store.poll() == []


class TestSaving:
    def test_a_malformed_file_is_never_overwritten(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        path = file_of(tmp_path)
        edit(path, "{ half")
        with pytest.raises(ConfigError) as caught:
            store.update_workspace(PERSONAL, lambda _: WorkspaceConfig(name="Mine"))
        assert (caught.value.path, caught.value.line) == (path, 1)
        with pytest.raises(ConfigError):
            store.update_workspace(PERSONAL, lambda config: config)
        assert path.read_text() == "{ half"
        assert store.workspaces[PERSONAL].name == "Personal"
        [rejected] = store.poll()
        assert isinstance(rejected, Rejected)

    def test_an_edit_not_yet_noticed_survives_an_update(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        edit(file_of(tmp_path), with_server("time"))
        updated = store.update_workspace(
            PERSONAL, lambda config: config.model_copy(update={"optimization": None})
        )
        assert updated == store.workspaces[PERSONAL]
        assert (updated.optimization, list(updated.mcp_servers)) == (None, ["time"])
        assert json.loads(file_of(tmp_path).read_text())["optimization"] is None
        assert store.poll() == [WorkspaceChanged(PERSONAL)]

    def test_settings_are_updated_from_what_the_file_says(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        edit(tmp_path / "settings.json", '{"port": 4000}')
        updated = store.update_settings(lambda s: s.model_copy(update={"theme": "dark"}))
        assert (updated.port, updated.theme) == (4000, "dark")

    def test_a_change_that_fails_changes_nothing(self, store: ConfigStore, tmp_path: Path) -> None:
        before = file_of(tmp_path).read_text()

        def fail(_: WorkspaceConfig) -> WorkspaceConfig:
            raise Conflict("There is such a server already.")

        with pytest.raises(Conflict):
            store.update_workspace(PERSONAL, fail)
        assert file_of(tmp_path).read_text() == before

    def test_what_we_do_not_know_in_a_server_is_kept(
        self, store: ConfigStore, tmp_path: Path
    ) -> None:
        entry = {"command": "uvx", "autoApprove": ["now"], "type": "stdio"}
        edit(file_of(tmp_path), json.dumps({"mcpServers": {"Time": entry}}))
        store.update_workspace(
            PERSONAL, lambda c: c.model_copy(update={"optimization": Optimization.BM25})
        )
        assert json.loads(file_of(tmp_path).read_text())["mcpServers"]["Time"] == entry

    def test_a_full_disk_is_a_sentence(
        self, store: ConfigStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(ToolboothError, match="can't be written: No space left"):
            store.update_settings(lambda _: Settings(port=4000))
        assert store.settings.port == 3717

    def test_an_unknown_workspace_can_not_be_saved(self, store: ConfigStore) -> None:
        with pytest.raises(NotFound, match='no workspace "work"'):
            store.update_workspace(WORK, lambda _: WorkspaceConfig(name="Work"))

    def test_a_workspace_is_created_once(self, store: ConfigStore, tmp_path: Path) -> None:
        with pytest.raises(Conflict, match="exists already"):
            store.create_workspace(PERSONAL, WorkspaceConfig(name="Personal"))
        edit(file_of(tmp_path, WORK), "{ made by someone else")
        with pytest.raises(Conflict, match="exists already"):
            store.create_workspace(WORK, WorkspaceConfig(name="Work"))

    @pytest.mark.parametrize("name", ["", "..", "a/b", "Work", "x" * 65, "a b", "work\n"])
    def test_an_id_must_be_a_harmless_folder_name(self, store: ConfigStore, name: str) -> None:
        with pytest.raises(InvalidInput, match="can't be the id"):
            store.create_workspace(WorkspaceId(name), WorkspaceConfig(name="Work"))


ADD_SERVERS = """
import sys
from pathlib import Path
from router.model import WorkspaceId
from router.settings import ServerConfig
from router.store.config import ConfigStore

store = ConfigStore(Path(sys.argv[1]))
store.load()
for number in range(50):
    entry = {f"{sys.argv[2]}-{number}": ServerConfig(command="uvx")}
    store.update_workspace(
        WorkspaceId("personal"),
        lambda c: c.model_copy(update={"mcp_servers": {**c.mcp_servers, **entry}}),
    )
"""


def test_two_processes_updating_one_workspace_lose_nothing(tmp_path: Path) -> None:
    """They also start at the same time in an empty directory."""
    writers = [
        subprocess.Popen([sys.executable, "-c", ADD_SERVERS, str(tmp_path), name], cwd=ROOT)
        for name in ("left", "right")
    ]
    assert [writer.wait(timeout=50) for writer in writers] == [0, 0]
    store = ConfigStore(tmp_path)
    assert store.load() == []
    expected = {f"{name}-{number}" for name in ("left", "right") for number in range(50)}
    assert set(store.workspaces[PERSONAL].mcp_servers) == expected
