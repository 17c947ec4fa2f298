"""Reading of the JSON files that only we write. A malformed one is ignored with a warning: what it
recorded is asked for, discovered or collected again."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from router.domain.json_values import JsonObject, as_object

log = logging.getLogger(__name__)

T = TypeVar("T")

FORMAT_VERSION = 1


def read_json_file(
    path: Path,
    decode: Callable[[JsonObject], T],
    *,
    missing: T,
    version_key: str = "formatVersion",
    max_bytes: int | None = None,
) -> T | None:
    """What `decode` makes of the file, without its version; `missing` if there is no file, None if
    it can't be used."""
    try:
        if max_bytes is not None and path.stat().st_size > max_bytes:
            raise ValueError("it is too large")
        file = as_object(json.loads(path.read_bytes()))
        if file.pop(version_key, None) != FORMAT_VERSION:
            raise ValueError("it has another format version")
        return decode(file)
    except FileNotFoundError:
        return missing
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        log.warning("Ignoring %s: %s", path, error)
        return None
