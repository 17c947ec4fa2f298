"""Edits one entry in another application's file, in JSON, TOML or YAML.

Text in, text out. Everything but the entry stays byte for byte; `edited` verifies that, and refuses
rather than damage a file it can't edit safely.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from router.apps import jsonc, toml_edit, yaml_edit
from router.apps.line_edit import UNSAFE_EDIT
from router.domain.errors import ConfigError
from router.domain.json_values import JsonObject, as_object

_BOM = "\ufeff"


class Format(StrEnum):
    JSON = "json"
    TOML = "toml"
    YAML = "yaml"


_EDITORS = {Format.JSON: jsonc, Format.TOML: toml_edit, Format.YAML: yaml_edit}


def read(kind: Format, path: Path, text: str) -> JsonObject:
    """The content of `text`. Raises `ConfigError` with the line of an error."""
    return _EDITORS[kind].parse(path, text.removeprefix(_BOM))


def edited(
    kind: Format, path: Path, text: str, keys: Sequence[str], entry: JsonObject | None
) -> str:
    """`text` with `entry` at `keys`, or with nothing there if `entry` is None."""
    before = read(kind, path, text)
    bom = _BOM if text.startswith(_BOM) else ""
    new = bom + _EDITORS[kind].edited(path, text.removeprefix(_BOM), keys, entry)
    try:
        after = read(kind, path, new)
    except ConfigError:
        raise ConfigError(path, None, UNSAFE_EDIT) from None
    # Only our entry differs, and it has the right content.
    if value_at(after, keys) != entry or _without(before, keys) != _without(after, keys):
        raise ConfigError(path, None, UNSAFE_EDIT)
    return new


def value_at(content: JsonObject, keys: Sequence[str]) -> Any:
    """The value at `keys`, or None."""
    found: Any = content
    for key in keys:
        found = as_object(found).get(key)
    return found


def has_comments(kind: Format, text: str) -> bool:
    if kind is Format.JSON:
        return jsonc.has_comments(text)
    return re.search(r"(^|\s)#", text) is not None


def _without(content: JsonObject, keys: Sequence[str]) -> JsonObject:
    """`content` without the value at `keys`, and without objects that this leaves empty."""
    key, *inner = keys
    value = content.get(key) if inner else None
    if isinstance(value, dict):
        value = _without(cast(JsonObject, value), inner)
    others = {each: content[each] for each in content if each != key}
    return {**others, key: value} if value else others
