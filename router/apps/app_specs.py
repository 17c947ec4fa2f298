"""The applications in `resources/apps.toml`: their configuration files, the key of their servers,
and the format of our entry."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter

import resources
from router.apps.config_document import Format
from router.apps.locations import AppLocations
from router.domain.json_values import JsonObject

ENTRY = "toolbooth"
"""The name of our entry in every file."""


@dataclass(frozen=True, slots=True)
class EntryTarget:
    """What our entry refers to; `bridge` is the command for applications without HTTP."""

    url: str
    token: str
    bridge: tuple[str, ...]


class AppSpec(BaseModel, frozen=True, extra="forbid"):
    """One application; the file describes the fields."""

    id: str
    name: str
    files: tuple[str, ...]
    windows_files: tuple[str, ...] | None = None
    keys: tuple[str, ...] = ("mcpServers",)
    format: Format = Format.JSON
    command: str = ""
    by_bridge: bool = False
    entry: JsonObject | None = None

    def paths(self, at: AppLocations) -> Sequence[Path]:
        files = self.windows_files if at.on_windows and self.windows_files else self.files
        return [path for file in files for path in _expanded(file, at)]

    def entry_for(self, target: EntryTarget) -> JsonObject:
        if self.by_bridge:
            return {"command": target.bridge[0], "args": list(target.bridge[1:])}
        return _filled(self.entry, target)


def _expanded(file: str, at: AppLocations) -> Iterator[Path]:
    """One path for each folder that matches, if the name of one ends in `*`."""
    location, _, rest = file.partition("/")
    folder: Path = getattr(at, location)
    start, star, end = rest.partition("*/")
    if star:
        yield from (match / end for match in sorted(folder.glob(f"{start}*")))
    else:
        yield folder / rest


def _filled(value: Any, target: EntryTarget) -> Any:
    if isinstance(value, str):
        return value.format(url=target.url, token=target.token)
    if isinstance(value, dict):
        return {key: _filled(each, target) for key, each in cast(JsonObject, value).items()}
    return value


APPS = TypeAdapter(tuple[AppSpec, ...]).validate_python(
    tomllib.loads(resources.read_text("apps.toml"))["app"]
)
CONNECTABLE = tuple(spec for spec in APPS if spec.entry is not None or spec.by_bridge)
