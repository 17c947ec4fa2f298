"""Settings and workspaces on disk: errors are refused, and no change is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import router
from router.api.events import ConfigRejected
from router.config.settings import Settings
from router.config.workspace import WorkspaceConfig
from router.domain.errors import ConfigError, Conflict, InvalidInput, NotFound, ToolboothError
from router.domain.ids import WorkspaceId
from router.domain.workspaces import Optimization
from router.store.config_store import ConfigStore, WorkspaceChanged
from router.store.deferred_writes import DeferredWrites
from tests.router.store.config_files import PERSONAL, TIME, WORK, edit, file_of, with_server
from tests.support.timeouts import WAIT_S

ROOT = Path(router.__file__).parents[1]


class TestLoading:
    def test_the_first_start_creates_settings_and_a_personal_workspace(
        self, tmp_path: Path
    ) -> None:
        store = ConfigStore(tmp_path, DeferredWrites())
        assert store.load() == []
        assert store.settings == Settings()
        assert store.workspaces == {PERSONAL: WorkspaceConfig(name="Personal")}
        assert json.loads((tmp_path / "settings.json").read_text())["port"] == 3717
        assert json.loads(file_of(tmp_path).read_text())["mcpServers"] == {}

    def test_saved_files_survive_a_restart(self, store: ConfigStore, tmp_path: Path) -> None:
        settings = Settings(port=4000, active_workspace=WORK)
        config = WorkspaceConfig(name="Work", optimization=None, mcp_servers={"Time": TIME})
        store.update_settings(lambda _: settings)
        store.create_workspace(WORK, config)
        again = ConfigStore(tmp_path, DeferredWrites())
        assert again.load() == []
        assert again.settings == settings
        assert again.workspaces == {PERSONAL: WorkspaceConfig(name="Personal"), WORK: config}

    @pytest.mark.proves("REG-5")
    def test_workspaces_come_in_order_of_their_ids(self, store: ConfigStore) -> None:
        for name in ("zoo", "art"):
            store.create_workspace(WorkspaceId(name), WorkspaceConfig(name=name))
        assert list(store.workspaces) == ["art", "personal", "zoo"]

    def test_no_personal_workspace_is_created_beside_another(self, tmp_path: Path) -> None:
        edit(file_of(tmp_path, WORK), with_server("time"))
        store = ConfigStore(tmp_path, DeferredWrites())
        store.load()
        assert list(store.workspaces) == [WORK]

    def test_a_malformed_file_is_reported_and_the_rest_still_loads(self, tmp_path: Path) -> None:
        edit(tmp_path / "settings.json", '{\n  "schemaVersion": 1,\n  "port": "many"\n}')
        edit(file_of(tmp_path), '{\n  "mcpServers": {\n}')
        edit(file_of(tmp_path, WORK), with_server("time"))
        store = ConfigStore(tmp_path, DeferredWrites())
        reported = {
            change.path.name: change
            for change in store.load()
            if isinstance(change, ConfigRejected)
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
        store = ConfigStore(tmp_path, DeferredWrites())
        [rejected] = store.load()
        assert isinstance(rejected, ConfigRejected)
        assert rejected.line == 3
        assert "newer version of Toolbooth" in rejected.reason
        with pytest.raises(ConfigError):
            store.update_workspace(PERSONAL, lambda _: WorkspaceConfig(name="Mine"))
        assert file_of(tmp_path).read_text() == newer

    def test_a_file_in_place_of_the_workspaces_folder_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "workspaces").write_text("")
        with pytest.raises(ToolboothError, match="workspaces"):
            ConfigStore(tmp_path, DeferredWrites()).load()

    def test_a_folder_whose_name_is_no_id_is_ignored(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        edit(file_of(tmp_path, WorkspaceId("My Work")), with_server("time"))
        store = ConfigStore(tmp_path, DeferredWrites())
        store.load()
        store.poll()
        assert list(store.workspaces) == [PERSONAL]
        assert caplog.text.count("My Work") == 1

    def test_leftovers_of_killed_writers_are_swept(self, tmp_path: Path) -> None:
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait(timeout=WAIT_S)
        leftover = tmp_path / f".settings.json.{ended.pid}-0123abcd.tmp"
        leftover.touch()
        ConfigStore(tmp_path, DeferredWrites()).load()
        assert not leftover.exists()

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
    def test_all_created_files_are_private(self, tmp_path: Path) -> None:
        data_dir = tmp_path / "data"
        ConfigStore(data_dir, DeferredWrites()).load()
        for path in (data_dir, *data_dir.rglob("*")):
            assert path.stat().st_mode & 0o077 == 0, path


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
        assert isinstance(rejected, ConfigRejected)

    def test_an_unnoticed_edit_survives_an_update(self, store: ConfigStore, tmp_path: Path) -> None:
        edit(file_of(tmp_path), with_server("time"))
        updated = store.update_workspace(
            PERSONAL, lambda config: config.model_copy(update={"optimization": None})
        )
        assert updated == store.workspaces[PERSONAL]
        assert (updated.optimization, list(updated.mcp_servers)) == (None, ["time"])
        assert json.loads(file_of(tmp_path).read_text())["optimization"] is None
        assert store.poll() == [WorkspaceChanged(PERSONAL)]

    def test_settings_are_updated_from_the_file(self, store: ConfigStore, tmp_path: Path) -> None:
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

    def test_unknown_keys_of_a_server_are_kept(self, store: ConfigStore, tmp_path: Path) -> None:
        entry = {"command": "uvx", "autoApprove": ["now"], "type": "stdio"}
        edit(file_of(tmp_path), json.dumps({"mcpServers": {"Time": entry}}))
        store.update_workspace(
            PERSONAL, lambda c: c.model_copy(update={"optimization": Optimization.BM25})
        )
        assert json.loads(file_of(tmp_path).read_text())["mcpServers"]["Time"] == entry

    def test_a_full_disk_is_reported(
        self, store: ConfigStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(ToolboothError, match=r"Can't write .*: No space left"):
            store.update_settings(lambda _: Settings(port=4000))
        assert store.settings.port == 3717

    def test_an_unknown_workspace_cannot_be_saved(self, store: ConfigStore) -> None:
        with pytest.raises(NotFound, match='no workspace "work"'):
            store.update_workspace(WORK, lambda _: WorkspaceConfig(name="Work"))

    def test_a_workspace_is_created_once(self, store: ConfigStore, tmp_path: Path) -> None:
        with pytest.raises(Conflict, match="already exists"):
            store.create_workspace(PERSONAL, WorkspaceConfig(name="Personal"))
        edit(file_of(tmp_path, WORK), "{ made by someone else")
        with pytest.raises(Conflict, match="already exists"):
            store.create_workspace(WORK, WorkspaceConfig(name="Work"))

    @pytest.mark.parametrize("name", ["", "..", "a/b", "Work", "x" * 65, "a b", "work\n"])
    def test_an_id_must_be_a_safe_folder_name(self, store: ConfigStore, name: str) -> None:
        with pytest.raises(InvalidInput, match="is not a valid workspace ID"):
            store.create_workspace(WorkspaceId(name), WorkspaceConfig(name="Work"))


ADD_SERVERS = """
import sys
from pathlib import Path
from router.domain.ids import WorkspaceId
from router.config.server import ServerConfig
from router.store.config_store import ConfigStore
from router.store.deferred_writes import DeferredWrites

store = ConfigStore(Path(sys.argv[1]), DeferredWrites())
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
    assert [writer.wait(timeout=WAIT_S) for writer in writers] == [0, 0]
    store = ConfigStore(tmp_path, DeferredWrites())
    assert store.load() == []
    expected = {f"{name}-{number}" for name in ("left", "right") for number in range(50)}
    assert set(store.workspaces[PERSONAL].mcp_servers) == expected
