"""One entry of ours in another application's file, whatever it is written in: JSON, TOML or YAML.

Text in, text out. Everything but the entry stays byte for byte; `edited` checks that itself, and
refuses rather than damage a file it does not understand.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from router.apps import jsonc, toml_edit, yaml_edit
from router.apps.yaml_edit import OTHERWISE
from router.domain.errors import ConfigError
from router.domain.json_values import JsonObject, as_object

_BOM = "\ufeff"


class Format(StrEnum):
    JSON = "json"
    TOML = "toml"
    YAML = "yaml"


def read(kind: Format, path: Path, text: str) -> JsonObject:
    """What `text` says. Raises `ConfigError` with the line of what is malformed."""
    text = text.removeprefix(_BOM)
    match kind:
        case Format.JSON:
            return jsonc.parse(path, text).value
        case Format.TOML:
            return toml_edit.parse(path, text)
        case Format.YAML:
            return yaml_edit.parse(path, text)


def edited(
    kind: Format, path: Path, text: str, keys: Sequence[str], entry: JsonObject | None
) -> str:
    """`text` with `entry` at `keys`, or without what is there if `entry` is None."""
    before = read(kind, path, text)
    mark = _BOM if text.startswith(_BOM) else ""
    new = mark + _edited(kind, path, text.removeprefix(_BOM), keys, entry)
    try:
        after = read(kind, path, new)
    except ConfigError:
        raise ConfigError(path, None, OTHERWISE) from None
    # Only our entry differs, and it says what it should.
    if entries_at(after, keys) != entry or _without(before, keys) != _without(after, keys):
        raise ConfigError(path, None, OTHERWISE)
    return new


def entries_at(content: JsonObject, keys: Sequence[str]) -> Any:
    """What stands at `keys`, or None."""
    found: Any = content
    for key in keys:
        found = as_object(found).get(key)
    return found


def has_comments(kind: Format, text: str) -> bool:
    if kind is Format.JSON:
        return jsonc.has_comments(text)
    return re.search(r"(^|\s)#", text) is not None


def _edited(
    kind: Format, path: Path, text: str, keys: Sequence[str], entry: JsonObject | None
) -> str:
    match kind:
        case Format.JSON if entry is None:
            return jsonc.without_member(path, text, keys)
        case Format.JSON:
            return jsonc.with_member(path, text, keys, cast(JsonObject, entry))
        case Format.TOML if entry is None:
            return toml_edit.without_table(text, keys)
        case Format.TOML:
            return toml_edit.with_table(text, keys, cast(JsonObject, entry))
        case Format.YAML:
            group, name = keys
            return yaml_edit.edited(path, text, group, name, entry)


def _without(content: JsonObject, keys: Sequence[str]) -> JsonObject:
    """`content` less what stands at `keys`, and less the objects left empty by that."""
    rest = copy.deepcopy(content)
    levels = [rest]
    for key in keys[:-1]:
        levels.append(as_object(levels[-1].get(key)))
    levels[-1].pop(keys[-1], None)
    for depth in range(len(keys) - 2, -1, -1):
        if not levels[depth].get(keys[depth]):
            levels[depth].pop(keys[depth], None)
    return rest
