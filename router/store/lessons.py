"""What searches have taught, on disk: one file per workspace, a part for each project.

`learned.json` is small and written whole, off the loop, when something was learned. A file that
can't be read is as good as none: it is only experience.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from router.domain.ids import ProjectId
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.search import Learned, Lesson, Miss
from router.store.files import atomic_write

log = logging.getLogger(__name__)

FILE_NAME = "learned.json"
SCHEMA_VERSION = 1
MAX_BYTES = 4 << 20
_UNASSIGNED = "-"


def read_lessons(folder: Path) -> dict[ProjectId | None, Learned]:
    path = folder / FILE_NAME
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ValueError("it is too long")
        content = as_object(json.loads(path.read_text(encoding="utf-8")))
        if content.get("schemaVersion") != SCHEMA_VERSION:
            raise ValueError("it is of another version")
        projects = as_object(content.get("projects"))
        return {_project(key): _learned(as_object(part)) for key, part in projects.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        log.warning("%s is left aside: %s", path, error)
        return {}


def write_lessons(folder: Path, learned: Mapping[ProjectId | None, Learned]) -> None:
    """Never raises: a lesson that can't be kept is lost, and nothing else."""
    parts = {project or _UNASSIGNED: _part(each) for project, each in learned.items()}
    content = {"schemaVersion": SCHEMA_VERSION, "projects": parts}
    try:
        atomic_write(folder / FILE_NAME, json.dumps(content, ensure_ascii=False, indent=1).encode())
    except OSError as error:
        log.warning("%s can't be written: %s", folder / FILE_NAME, error)


def _project(key: str) -> ProjectId | None:
    return None if key == _UNASSIGNED else ProjectId(key)


def _learned(part: JsonObject) -> Learned:
    lessons = (
        Lesson(_words(each), str(each["tool"]), float(each["count"]), _time(each))
        for each in map(as_object, as_array(part.get("lessons")))
    )
    misses = (Miss(_words(each), _time(each)) for each in map(as_object, as_array(part["misses"])))
    return Learned(tuple(lessons), tuple(misses))


def _words(each: JsonObject) -> tuple[str, ...]:
    return tuple(str(word) for word in as_array(each["words"]))


def _time(each: JsonObject) -> datetime:
    at = datetime.fromisoformat(str(each["at"]))
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at


def _part(learned: Learned) -> JsonObject:
    return {
        "lessons": [
            {
                "words": list(lesson.words),
                "tool": lesson.tool,
                "count": round(lesson.count, 3),
                "at": lesson.at.isoformat(),
            }
            for lesson in learned.lessons
        ],
        "misses": [
            {"words": list(miss.words), "at": miss.at.isoformat()} for miss in learned.misses
        ],
    }
