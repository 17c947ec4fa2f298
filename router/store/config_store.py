"""The files people edit: `settings.json` and `workspaces/<id>/workspace.json`.

`ConfigStore` has their last good values and writes them; `poll` reports what others changed on
disk. Two processes may use one data directory at the same time.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from router.api.events import ConfigAccepted, ConfigRejected
from router.config.settings import Settings
from router.config.workspace import WorkspaceConfig
from router.domain.errors import (
    ConfigError,
    Conflict,
    InvalidInput,
    NoWorkspace,
    ToolboothError,
    sentence,
)
from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject
from router.store import json_text
from router.store.deferred_writes import DeferredWrites
from router.store.document import Document, FileChange
from router.store.files import private_folder, remove_stale_files, translate_os_errors
from router.store.migrations import VERSION_KEY, Migrated, migrate_settings, migrate_workspace

log = logging.getLogger(__name__)

FIRST_WORKSPACE = WorkspaceId("personal")
_WORKSPACE_ID = re.compile(r"[a-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The settings were changed on disk."""


@dataclass(frozen=True, slots=True)
class WorkspaceChanged:
    """A workspace was added or changed on disk."""

    id: WorkspaceId


@dataclass(frozen=True, slots=True)
class WorkspaceRemoved:
    id: WorkspaceId


Change: TypeAlias = (
    SettingsChanged | WorkspaceChanged | WorkspaceRemoved | ConfigRejected | ConfigAccepted
)


class ConfigStore:
    """A workspace whose file is malformed at startup exists but is empty, and can't be saved."""

    def __init__(self, data_dir: Path, deferred_writes: DeferredWrites) -> None:
        self._data_dir = data_dir
        self._deferred_writes = deferred_writes
        self._workspaces_folder = data_dir / "workspaces"
        self._removed_folder = data_dir / "removed"
        self._settings = Document(
            data_dir / "settings.json", Settings(), read=_read_settings, write=Settings.to_json
        )
        # Replaced, never changed in place: other threads read it.
        self._workspaces: dict[WorkspaceId, Document[WorkspaceConfig]] = {}
        self._unwritten: set[WorkspaceId] = set()
        """Those made in `load` whose file could not be written yet."""
        self._missing_once: set[WorkspaceId] = set()
        self._ignored: set[Path] = set()
        self._unreadable: dict[Path, str] = {}

    @property
    def settings(self) -> Settings:
        return self._settings.value

    @property
    def workspaces(self) -> Mapping[WorkspaceId, WorkspaceConfig]:
        """All workspaces, by id."""
        return {workspace: document.value for workspace, document in self._workspaces.items()}

    @property
    def rejected(self) -> tuple[ConfigRejected, ...]:
        """The files that are invalid now."""
        documents = (self._settings, *self._workspaces.values())
        return tuple(_rejected(d.rejection) for d in documents if d.rejection is not None)

    def check(self, workspace: WorkspaceId) -> None:
        """Raises the `ConfigError` of a workspace whose file can't be used."""
        if (rejection := self._document(workspace).rejection) is not None:
            raise rejection

    def workspace_folder(self, workspace: WorkspaceId) -> Path:
        return self._workspaces_folder / workspace

    def load(self) -> list[Change]:
        """Read everything at startup, creating what is missing, at first only in memory if the disk
        is full or read-only. Returns only the rejections."""
        remove_stale_files(self._data_dir)
        self._deferred_writes.write(self._settings.path, self._settings.create)
        changes = self.poll()
        if not self._workspaces:
            self._create_first_workspace()
            changes += self.poll()
        return [change for change in changes if isinstance(change, ConfigRejected)]

    def update_settings(self, change: Callable[[Settings], Settings]) -> Settings:
        return self._settings.update(change)

    def update_workspace(
        self, workspace: WorkspaceId, change: Callable[[WorkspaceConfig], WorkspaceConfig]
    ) -> WorkspaceConfig:
        """Apply `change` to the current content of the file. If others have edited it, that is in
        the returned value, and the next `poll` reports it."""
        return self._document(workspace).update(change)

    def create_workspace(self, workspace: WorkspaceId, config: WorkspaceConfig) -> None:
        if not _WORKSPACE_ID.fullmatch(workspace):
            raise InvalidInput(
                sentence('"{workspace}" is not a valid workspace ID.', workspace=workspace),
                "Use up to 64 lowercase letters, digits, - and _.",
            )
        document = self._new_document(workspace, config)
        if not document.create():
            raise Conflict(
                sentence('The workspace "{workspace}" already exists.', workspace=workspace),
                "Choose another name.",
            )
        self._set_workspaces({**self._workspaces, workspace: document})

    def move_to_removed(self, workspace: WorkspaceId) -> None:
        """Move the folder of `workspace` to `removed/`, replacing an earlier one of that id."""
        removed = self._removed_folder / workspace
        self._document(workspace)
        with translate_os_errors(removed):
            shutil.rmtree(removed, ignore_errors=True)
            private_folder(removed.parent)
            self.workspace_folder(workspace).rename(removed)
        self._set_workspaces({k: d for k, d in self._workspaces.items() if k != workspace})

    def restore_removed(self, workspace: WorkspaceId) -> None:
        """Undo `move_to_removed`."""
        folder, removed = self.workspace_folder(workspace), self._removed_folder / workspace
        files = sorted(self._removed_folder.glob("*/workspace.json"))
        possible = [f.parent.name for f in files if f.parent.name not in self._workspaces]
        if (folder / "workspace.json").exists() or workspace not in possible:
            others = (
                sentence("These can be restored: {names}.", names=", ".join(possible))
                if possible
                else sentence("There are no removed workspaces.")
            )
            raise Conflict(
                sentence('The workspace "{workspace}" can\'t be restored.', workspace=workspace),
                others,
            )
        with translate_os_errors(folder):
            shutil.rmtree(folder, ignore_errors=True)  # What its servers wrote when they ended.
            removed.rename(folder)
        document = self._new_document(workspace, WorkspaceConfig(name=workspace))
        document.refresh()
        self._set_workspaces({**self._workspaces, workspace: document})

    def _create_first_workspace(self) -> None:
        """There is no workspace, unless it only can't be read: then a person must act."""
        for folder, reason in self._unreadable.items():
            raise ToolboothError(
                sentence("{folder} can't be read: {reason}.", folder=folder, reason=reason),
                "It must be a folder that you can read and write.",
            )
        document = self._new_document(FIRST_WORKSPACE, WorkspaceConfig(name="Personal"))
        self._set_workspaces({FIRST_WORKSPACE: document})
        self._unwritten.add(FIRST_WORKSPACE)

        def create() -> None:
            document.create()
            self._unwritten.discard(FIRST_WORKSPACE)

        self._deferred_writes.write(document.path, create)

    def poll(self) -> list[Change]:
        """What others changed on disk since the last call."""
        change = self._settings.refresh()
        changes = _validity_changes(self._settings, change)
        if FileChange.CHANGED in change:
            changes.append(SettingsChanged())
        new = self._new_on_disk()
        self._set_workspaces({**self._workspaces, **new})
        for workspace, document in self._workspaces.items():
            changes += self._poll_workspace(workspace, document, is_new=workspace in new)
        return changes

    def _poll_workspace(
        self, workspace: WorkspaceId, document: Document[WorkspaceConfig], *, is_new: bool
    ) -> list[Change]:
        if workspace in self._unwritten:
            return []
        change = document.refresh()
        changes = _validity_changes(document, change)
        if FileChange.MISSING in change and self._is_gone(workspace):
            self._set_workspaces({k: v for k, v in self._workspaces.items() if k != workspace})
            changes.append(WorkspaceRemoved(workspace))
        elif FileChange.MISSING not in change:
            self._missing_once.discard(workspace)
            if is_new or FileChange.CHANGED in change:
                changes.append(WorkspaceChanged(workspace))
        return changes

    def _is_gone(self, workspace: WorkspaceId) -> bool:
        """Editors replace a file by moving it away first, so it counts as gone only at the second
        poll without it, or if its folder is gone."""
        if workspace in self._missing_once or not self.workspace_folder(workspace).is_dir():
            self._missing_once.discard(workspace)
            return True
        self._missing_once.add(workspace)
        return False

    def _new_on_disk(self) -> dict[WorkspaceId, Document[WorkspaceConfig]]:
        return {
            workspace: self._new_document(workspace, WorkspaceConfig(name=_title(workspace)))
            for workspace in self._ids_on_disk()
            if workspace not in self._workspaces
        }

    def _ids_on_disk(self) -> Iterator[WorkspaceId]:
        """Of the folders of workspaces, as far as they can be read."""
        with self._ignore_unreadable(self._workspaces_folder):
            for folder in self._workspaces_folder.iterdir():
                with self._ignore_unreadable(folder):
                    if not (folder / "workspace.json").is_file():
                        continue
                    if _WORKSPACE_ID.fullmatch(folder.name):
                        yield WorkspaceId(folder.name)
                    else:
                        self._ignore(folder, "a workspace folder needs a name like my-work")

    @contextmanager
    def _ignore_unreadable(self, folder: Path) -> Generator[None]:
        try:
            yield
        except FileNotFoundError:
            pass
        except OSError as error:
            self._unreadable[folder] = error.strerror or str(error)
            self._ignore(folder, f"it can't be read: {error.strerror}")

    def _ignore(self, folder: Path, reason: str) -> None:
        """Warn only once: `poll` runs every second."""
        if folder not in self._ignored:
            self._ignored.add(folder)
            log.warning("Ignoring %s: %s", folder, reason)

    def _new_document(
        self, workspace: WorkspaceId, config: WorkspaceConfig
    ) -> Document[WorkspaceConfig]:
        return Document(
            self.workspace_folder(workspace) / "workspace.json",
            config,
            read=lambda path, text: _read_workspace(path, text, _title(workspace)),
            write=WorkspaceConfig.to_json,
        )

    def _document(self, workspace: WorkspaceId) -> Document[WorkspaceConfig]:
        document = self._workspaces.get(workspace)
        if document is None:
            raise NoWorkspace(workspace)
        return document

    def _set_workspaces(self, workspaces: Mapping[WorkspaceId, Document[WorkspaceConfig]]) -> None:
        self._workspaces = dict(sorted(workspaces.items()))


def _validity_changes(
    document: Document[Settings] | Document[WorkspaceConfig], change: FileChange
) -> list[Change]:
    if document.rejection is not None and FileChange.REJECTED in change:
        return [_rejected(document.rejection)]
    if document.rejection is None and FileChange.ACCEPTED in change:
        return [ConfigAccepted(document.path)]
    return []


def _rejected(error: ConfigError) -> ConfigRejected:
    return ConfigRejected(error.path, error.line, error.reason)


def _read_settings(path: Path, text: str) -> Settings:
    migrated = _migrated(path, text, migrate_settings)
    return json_text.validated(Settings, path, text, migrated.value)


def _read_workspace(path: Path, text: str, default_name: str) -> WorkspaceConfig:
    migrated = _migrated(path, text, lambda raw: migrate_workspace(raw, default_name))
    renamed = migrated.renamed
    return json_text.validated(WorkspaceConfig, path, text, migrated.value, renamed=renamed)


def _migrated(path: Path, text: str, migrate: Callable[[JsonObject], Migrated]) -> Migrated:
    try:
        migrated = migrate(json_text.parse(path, text))
    except InvalidInput as error:
        line = json_text.line_of(text, (VERSION_KEY,))
        raise ConfigError(path, line, error.message) from error
    for warning in migrated.warnings:
        log.warning("%s: %s", path, warning)
    return migrated


def _title(workspace: WorkspaceId) -> str:
    """A name to show for a file that has none: `my-work` becomes "My work"."""
    return re.sub("[-_]+", " ", workspace).strip().capitalize() or workspace
