"""The files people edit: `settings.json` and `workspaces/<id>/workspace.json`.

`ConfigStore` holds their last good values, writes them, and by `poll` tells what someone else
changed on disk. Two processes may use one data directory at the same time.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from router.config.settings import Settings
from router.config.workspace import WorkspaceConfig
from router.domain.errors import (
    ConfigError,
    Conflict,
    InvalidInput,
    NoWorkspace,
    ToolboothError,
    said,
)
from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject
from router.store import json_text
from router.store.document import Document, Seen
from router.store.files import explained, private_folder, sweep
from router.store.migrations import VERSION_KEY, Migrated, migrate_settings, migrate_workspace

log = logging.getLogger(__name__)

FIRST_WORKSPACE = WorkspaceId("personal")
_WORKSPACE_ID = re.compile(r"[a-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """Someone else changed the settings."""


@dataclass(frozen=True, slots=True)
class WorkspaceChanged:
    """A workspace is new on disk, or someone else changed it."""

    id: WorkspaceId


@dataclass(frozen=True, slots=True)
class WorkspaceGone:
    id: WorkspaceId


@dataclass(frozen=True, slots=True)
class Rejected:
    """A file can't be used; the last good state stays."""

    path: Path
    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """A file that had been rejected is good again, or gone."""

    path: Path


Change: TypeAlias = SettingsChanged | WorkspaceChanged | WorkspaceGone | Rejected | Accepted


class ConfigStore:
    """A workspace whose file is malformed from the start is there but empty, and can't be saved."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._settings = Document(
            data_dir / "settings.json", Settings(), read=_read_settings, write=Settings.to_json
        )
        # Replaced, never changed in place: other threads read it.
        self._workspaces: dict[WorkspaceId, Document[WorkspaceConfig]] = {}
        self._missing_once: set[WorkspaceId] = set()
        self._ignored: set[Path] = set()

    @property
    def settings(self) -> Settings:
        return self._settings.value

    @property
    def workspaces(self) -> Mapping[WorkspaceId, WorkspaceConfig]:
        """All workspaces, by id."""
        return {workspace: document.value for workspace, document in self._workspaces.items()}

    @property
    def rejected(self) -> tuple[Rejected, ...]:
        """The files that can't be used as they are now."""
        documents = (self._settings, *self._workspaces.values())
        return tuple(_rejected(d.path, d.rejection) for d in documents if d.rejection is not None)

    def workspace_folder(self, workspace: WorkspaceId) -> Path:
        return self._workspaces_folder / workspace

    @property
    def _workspaces_folder(self) -> Path:
        return self._data_dir / "workspaces"

    def load(self) -> list[Change]:
        """Read everything at start, making what must be there. Returns only the rejections."""
        sweep(self._data_dir)
        self._settings.create()
        changes = self.poll()
        if not self._workspaces:
            with suppress(Conflict):  # Another process was faster: then there is one to read.
                self.create_workspace(FIRST_WORKSPACE, WorkspaceConfig(name="Personal"))
            changes += self.poll()
        if not self._workspaces:
            raise ToolboothError(
                said(
                    "The workspaces in {folder} can't be read.",
                    folder=self._workspaces_folder,
                ),
                "It must be a folder that you can read and write.",
            )
        for workspace in self._workspaces:
            sweep(self.workspace_folder(workspace))
        return [change for change in changes if isinstance(change, Rejected)]

    def update_settings(self, change: Callable[[Settings], Settings]) -> Settings:
        return self._settings.update(change)

    def update_workspace(
        self, workspace: WorkspaceId, change: Callable[[WorkspaceConfig], WorkspaceConfig]
    ) -> WorkspaceConfig:
        """Apply `change` to what the file says now. An edit by someone else that this finds is in
        the returned value, and the next `poll` reports it."""
        return self._document(workspace).update(change)

    def create_workspace(self, workspace: WorkspaceId, config: WorkspaceConfig) -> None:
        if not _WORKSPACE_ID.fullmatch(workspace):
            raise InvalidInput(
                said('"{workspace}" is not a valid workspace ID.', workspace=workspace),
                "Use up to 64 lowercase letters, digits, - and _.",
            )
        document = self._new_document(workspace, config)
        if not document.create():
            raise Conflict(
                said('The workspace "{workspace}" already exists.', workspace=workspace),
                "Choose another name.",
            )
        self._keep({**self._workspaces, workspace: document})

    def put_aside(self, workspace: WorkspaceId) -> None:
        """Move the folder of `workspace` away, over what was put aside of that id before."""
        aside = self._aside(workspace)
        self._document(workspace)
        with explained(aside):
            shutil.rmtree(aside, ignore_errors=True)
            private_folder(aside.parent)
            self.workspace_folder(workspace).rename(aside)
        self._keep({k: d for k, d in self._workspaces.items() if k != workspace})

    def bring_back(self, workspace: WorkspaceId) -> None:
        """Undo `put_aside`."""
        folder, aside = self.workspace_folder(workspace), self._aside(workspace)
        possible = [each for each in self._put_aside() if each not in self._workspaces]
        if (folder / "workspace.json").exists() or workspace not in possible:
            others = (
                said("These can be restored: {names}.", names=", ".join(possible))
                if possible
                else ""
            )
            raise Conflict(
                said('The workspace "{workspace}" can\'t be restored.', workspace=workspace),
                others,
            )
        with explained(folder):
            shutil.rmtree(folder, ignore_errors=True)  # What its servers wrote when they ended.
            aside.rename(folder)
        document = self._new_document(workspace, WorkspaceConfig(name=workspace))
        document.refresh()
        self._keep({**self._workspaces, workspace: document})

    def _aside(self, workspace: WorkspaceId) -> Path:
        return self._data_dir / "removed" / workspace

    def _put_aside(self) -> list[WorkspaceId]:
        kept = (self._data_dir / "removed").glob("*/workspace.json")
        return sorted(WorkspaceId(file.parent.name) for file in kept)

    def poll(self) -> list[Change]:
        """What someone else changed on disk since the last time."""
        seen = self._settings.refresh()
        changes = _verdicts(self._settings, seen)
        if Seen.CHANGED in seen:
            changes.append(SettingsChanged())
        new = self._new_on_disk()
        self._keep({**self._workspaces, **new})
        for workspace, document in self._workspaces.items():
            changes += self._look_at(workspace, document, is_new=workspace in new)
        return changes

    def _look_at(
        self, workspace: WorkspaceId, document: Document[WorkspaceConfig], *, is_new: bool
    ) -> list[Change]:
        seen = document.refresh()
        changes = _verdicts(document, seen)
        if Seen.MISSING in seen and self._is_gone(workspace):
            self._keep({k: v for k, v in self._workspaces.items() if k != workspace})
            changes.append(WorkspaceGone(workspace))
        elif Seen.MISSING not in seen:
            self._missing_once.discard(workspace)
            if is_new or Seen.CHANGED in seen:
                changes.append(WorkspaceChanged(workspace))
        return changes

    def _is_gone(self, workspace: WorkspaceId) -> bool:
        """Editors replace a file by moving it away first: only its folder's end, or a second look,
        tells that it is gone."""
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
        for folder in self._folders_on_disk():
            if _WORKSPACE_ID.fullmatch(folder.name):
                yield WorkspaceId(folder.name)
            else:
                self._ignore(folder, "a workspace's folder has a name like my-work")

    def _folders_on_disk(self) -> list[Path]:
        """The folders of workspaces, as far as we may look."""
        try:
            return [folder for folder in self._workspaces_folder.iterdir() if self._is_one(folder)]
        except FileNotFoundError:
            return []
        except OSError as error:
            self._ignore(self._workspaces_folder, f"it can't be read: {error.strerror}")
            return []

    def _is_one(self, folder: Path) -> bool:
        try:
            return (folder / "workspace.json").is_file()
        except OSError as error:
            self._ignore(folder, f"it can't be read: {error.strerror}")
            return False

    def _ignore(self, folder: Path, reason: str) -> None:
        """Warn once: the next look comes in a second."""
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

    def _keep(self, workspaces: Mapping[WorkspaceId, Document[WorkspaceConfig]]) -> None:
        self._workspaces = dict(sorted(workspaces.items()))


def _verdicts(document: Document[Settings] | Document[WorkspaceConfig], seen: Seen) -> list[Change]:
    changes: list[Change] = []
    if document.rejection is not None and Seen.REJECTED in seen:
        changes.append(_rejected(document.path, document.rejection))
    elif document.rejection is None and Seen.ACCEPTED in seen:
        changes.append(Accepted(document.path))
    return changes


def _rejected(path: Path, error: ConfigError) -> Rejected:
    return Rejected(path, error.line, error.reason)


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
