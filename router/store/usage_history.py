"""The usage history of searches on disk: one `learned.json` per workspace, a part per project.

The file is small and written whole, off the event loop. Ranking works without it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from router.domain.ids import ProjectId
from router.domain.json_values import JsonObject
from router.domain.search import AbandonedSearch, ToolUse, UsageHistory
from router.store.files import atomic_write, translate_os_errors
from router.store.json_file import FORMAT_VERSION, load_json_file

FILE_NAME = "learned.json"
_VERSION_KEY = "schemaVersion"
_MAX_BYTES = 4 << 20
_NO_PROJECT = "-"
_PROJECTS = TypeAdapter(dict[str, JsonObject])
_USES = TypeAdapter(tuple[ToolUse, ...])
_ABANDONED = TypeAdapter(tuple[AbandonedSearch, ...])


def load_usage_history(folder: Path) -> dict[ProjectId | None, UsageHistory]:
    """Raises `UnusableFile`."""
    return load_json_file(
        folder / FILE_NAME, _decode, missing={}, version_key=_VERSION_KEY, max_bytes=_MAX_BYTES
    )


def write_usage_history(folder: Path, histories: Mapping[ProjectId | None, UsageHistory]) -> None:
    """Raises `ToolboothError`."""
    path = folder / FILE_NAME
    parts = {project or _NO_PROJECT: _serialize(each) for project, each in histories.items()}
    content = {_VERSION_KEY: FORMAT_VERSION, "projects": parts}
    text = json.dumps(content, ensure_ascii=False, indent=1, default=datetime.isoformat)
    load_usage_history(folder)
    with translate_os_errors(path):
        atomic_write(path, text.encode())


def _decode(file: JsonObject) -> dict[ProjectId | None, UsageHistory]:
    return {
        None if key == _NO_PROJECT else ProjectId(key): _parse(part)
        for key, part in _PROJECTS.validate_python(file["projects"]).items()
    }


def _parse(part: JsonObject) -> UsageHistory:
    uses = _USES.validate_python(part.get("lessons", ()))
    abandoned = _ABANDONED.validate_python(part["misses"])
    if any(each.at.tzinfo is None for each in (*uses, *abandoned)):
        raise ValueError("a time without a zone")
    return UsageHistory(uses, abandoned)


def _serialize(history: UsageHistory) -> JsonObject:
    uses = [{**asdict(use), "count": round(use.count, 3)} for use in history.uses]
    return {"lessons": uses, "misses": [asdict(search) for search in history.abandoned]}
