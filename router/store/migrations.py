"""Migrations of our files from older versions to the newest: pure functions from JSON to JSON.

Version 0 is a file without `schemaVersion`: for a workspace, what people paste from other clients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from router.config.settings import SCHEMA_VERSION
from router.config.workspace import WorkspaceConfig
from router.domain.errors import InvalidInput, said
from router.domain.json_values import JsonObject

VERSION_KEY = "schemaVersion"
_WORKSPACE_KEYS = frozenset(
    field.alias or name for name, field in WorkspaceConfig.model_fields.items()
)


@dataclass(frozen=True, slots=True)
class Migrated:
    """The file in its newest version, and warnings about what the migration dropped."""

    value: JsonObject
    warnings: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    """The name in the file of each top-level key that was renamed."""


Step: TypeAlias = Callable[[Migrated], Migrated]


def migrate_settings(raw: JsonObject) -> Migrated:
    return _migrate(raw, (lambda file: file,))


def migrate_workspace(raw: JsonObject, default_name: str) -> Migrated:
    """`default_name` is for a pasted file, which has none."""
    return _migrate(raw, (lambda file: _workspace_from_paste(file.value, default_name),))


def _migrate(raw: JsonObject, steps: tuple[Step, ...]) -> Migrated:
    """Apply each step from the file's version on; step `n` migrates version `n` to `n + 1`."""
    file = Migrated(raw)
    for step in steps[_version(raw) :]:
        file = step(file)
    return replace(file, value={**file.value, VERSION_KEY: SCHEMA_VERSION})


def _version(raw: JsonObject) -> int:
    version: object = raw.get(VERSION_KEY, 0)
    if not isinstance(version, int) or isinstance(version, bool) or version < 0:
        raise InvalidInput(said('"{key}" must be a whole number', key=VERSION_KEY))
    if version > SCHEMA_VERSION:
        raise InvalidInput(
            said(
                "it was written by a newer version of Toolbooth (format version {version}; this "
                "one supports up to {known})",
                version=version,
                known=SCHEMA_VERSION,
            )
        )
    return version


def _workspace_from_paste(pasted: JsonObject, default_name: str) -> Migrated:
    """Other clients keep their servers in `mcpServers`, VS Code in `servers`."""
    found = next((key for key in ("mcpServers", "servers") if key in pasted), None)
    if found is None and pasted:
        raise InvalidInput('"mcpServers" is missing')
    kept = {key: value for key, value in pasted.items() if key in _WORKSPACE_KEYS}
    value = {"name": default_name, **kept, "mcpServers": pasted.get(found or "", {})}
    dropped = sorted(pasted.keys() - _WORKSPACE_KEYS - {found})
    warnings = tuple(f'"{key}" means nothing to Toolbooth and is left out' for key in dropped)
    return Migrated(value, warnings, {"mcpServers": found or ""})
