"""The JSON files that only we write.

A file that can't be used (unreadable, malformed, or of a newer version) is never overwritten:
readers go on without what it recorded, and writers get an `UnusableFile`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from pydantic import ValidationError

from router.config.base import first_problem
from router.domain.errors import ToolboothError, sentence
from router.domain.json_values import JsonObject

log = logging.getLogger(__name__)

T = TypeVar("T")

FORMAT_VERSION = 1


class UnusableFile(ToolboothError):
    """A file of ours that can't be used, and is therefore not written either."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            sentence("Can't use {path}: {reason}.", path=path, reason=reason),
            sentence("It was left as it is. Repair it, or move it away to start without it."),
        )


def load_json_file(
    path: Path,
    decode: Callable[[JsonObject], T],
    *,
    missing: T,
    version: int | None = FORMAT_VERSION,
    version_key: str = "formatVersion",
    max_bytes: int | None = None,
) -> T:
    """What `decode` makes of the file, without its version, which is at most `version` (None: it
    has none); `missing` if there is no file. Raises `UnusableFile`."""
    try:
        if max_bytes is not None and path.stat().st_size > max_bytes:
            raise ValueError(sentence("it is too large"))
        file = _object(json.loads(path.read_bytes()))
        if version is not None:
            _check_version(file.pop(version_key, None), version)
        return decode(file)
    except FileNotFoundError:
        return missing
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise UnusableFile(path, _reason(error)) from error


def read_json_file(
    path: Path,
    decode: Callable[[JsonObject], T],
    *,
    missing: T,
    version: int = FORMAT_VERSION,
    version_key: str = "formatVersion",
    max_bytes: int | None = None,
) -> T | None:
    """As `load_json_file`, but None with a warning for a file that can't be used."""
    try:
        return load_json_file(
            path,
            decode,
            missing=missing,
            version=version,
            version_key=version_key,
            max_bytes=max_bytes,
        )
    except UnusableFile as error:
        log.warning("%s", error.message)
        return None


def unreadable(error: OSError) -> str:
    """Why a file can't be used: it can't be read."""
    return sentence("it can't be read ({reason})", reason=error.strerror or error)


def _object(value: object) -> JsonObject:
    if not isinstance(value, dict):
        raise TypeError(sentence("it is not a JSON object"))
    return cast(JsonObject, value)


def _check_version(found: object, known: int) -> None:
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise ValueError(sentence("its format version is missing"))
    if found > known:
        raise ValueError(sentence("it was written by a newer version of Toolbooth"))


def _reason(error: Exception) -> str:
    match error:
        case OSError():
            return unreadable(error)
        case json.JSONDecodeError():
            return sentence(
                "it is not valid JSON (line {line}: {reason})", line=error.lineno, reason=error.msg
            )
        case UnicodeDecodeError():
            return sentence("it is not UTF-8 text")
        case ValidationError():
            return first_problem(error)
        case KeyError():
            return sentence("{key} is missing", key=error)
        case RecursionError():
            return sentence("it is nested too deeply")
        case _:
            return error.args[0] if error.args else str(error)
