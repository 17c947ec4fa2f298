"""Migrations of our files to the current version: pure functions from JSON to JSON.

Version 0 is a file without `schemaVersion`: for a workspace, what people paste from other clients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from router.config.settings import SCHEMA_VERSION
from router.config.workspace import WorkspaceConfig
from router.domain.errors import InvalidInput, sentence
from router.domain.json_values import JsonObject

VERSION_KEY = "schemaVersion"
_WORKSPACE_KEYS = frozenset(
    field.alias or name for name, field in WorkspaceConfig.model_fields.items()
)


@dataclass(frozen=True, slots=True)
class Migrated:
    """The file in the current version, and warnings about what the migration dropped."""

    value: JsonObject
    warnings: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    """The name in the file of each top-level key that was renamed."""


def migrate_settings(raw: JsonObject) -> Migrated:
    """Version 0 has the keys of version 1."""
    _version(raw)
    return Migrated({**raw, VERSION_KEY: SCHEMA_VERSION})


def migrate_workspace(raw: JsonObject, default_name: str) -> Migrated:
    """`default_name` is for a pasted file, which has none."""
    return _workspace_from_paste(raw, default_name) if _version(raw) == 0 else Migrated(raw)


def _version(raw: JsonObject) -> int:
    version: object = raw.get(VERSION_KEY, 0)
    if not isinstance(version, int) or isinstance(version, bool) or version < 0:
        raise InvalidInput(sentence('"{key}" must be a whole number', key=VERSION_KEY))
    if version > SCHEMA_VERSION:
        raise InvalidInput(
            sentence(
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
    value: JsonObject = {
        "name": default_name,
        **kept,
        "mcpServers": pasted.get(found or "", {}),
        VERSION_KEY: SCHEMA_VERSION,
    }
    dropped = sorted(pasted.keys() - _WORKSPACE_KEYS - {found})
    warnings = tuple(f'"{key}" is not used by Toolbooth and is ignored' for key in dropped)
    return Migrated(value, warnings, {"mcpServers": found or ""})
