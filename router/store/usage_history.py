"""The usage history of searches on disk: one `learned.json` per workspace, a part per project.

The file is small and written whole, off the event loop. Ranking works without it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from router.domain.ids import ProjectId
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.search import AbandonedSearch, ToolUse, UsageHistory
from router.store.files import atomic_write
from router.store.json_file import FORMAT_VERSION, read_json_file

log = logging.getLogger(__name__)

FILE_NAME = "learned.json"
_VERSION_KEY = "schemaVersion"
_MAX_BYTES = 4 << 20
_NO_PROJECT = "-"


def read_usage_history(folder: Path) -> dict[ProjectId | None, UsageHistory]:
    found = read_json_file(
        folder / FILE_NAME, _decode, missing={}, version_key=_VERSION_KEY, max_bytes=_MAX_BYTES
    )
    return found or {}


def write_usage_history(folder: Path, histories: Mapping[ProjectId | None, UsageHistory]) -> None:
    """Never raises: a history that can't be written is lost, and nothing else."""
    parts = {project or _NO_PROJECT: _serialize(each) for project, each in histories.items()}
    content = {_VERSION_KEY: FORMAT_VERSION, "projects": parts}
    try:
        atomic_write(folder / FILE_NAME, json.dumps(content, ensure_ascii=False, indent=1).encode())
    except OSError as error:
        log.warning("%s can't be written: %s", folder / FILE_NAME, error)


def _decode(file: JsonObject) -> dict[ProjectId | None, UsageHistory]:
    projects = as_object(file.get("projects"))
    return {
        None if key == _NO_PROJECT else ProjectId(key): _parse(as_object(part))
        for key, part in projects.items()
    }


def _parse(part: JsonObject) -> UsageHistory:
    uses = (
        ToolUse(_words(each), str(each["tool"]), float(each["count"]), _time(each))
        for each in map(as_object, as_array(part.get("lessons")))
    )
    abandoned = (
        AbandonedSearch(_words(each), _time(each))
        for each in map(as_object, as_array(part["misses"]))
    )
    return UsageHistory(tuple(uses), tuple(abandoned))


def _words(each: JsonObject) -> tuple[str, ...]:
    return tuple(str(word) for word in as_array(each["words"]))


def _time(each: JsonObject) -> datetime:
    at = datetime.fromisoformat(str(each["at"]))
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at


def _serialize(history: UsageHistory) -> JsonObject:
    return {
        "lessons": [
            {
                "words": list(use.words),
                "tool": use.tool,
                "count": round(use.count, 3),
                "at": use.at.isoformat(),
            }
            for use in history.uses
        ],
        "misses": [
            {"words": list(search.words), "at": search.at.isoformat()}
            for search in history.abandoned
        ],
    }
