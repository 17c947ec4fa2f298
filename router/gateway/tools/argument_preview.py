"""Arguments as a person reads them: secrets masked, long values cut."""

from __future__ import annotations

import json
from typing import Any, cast

from router.domain.json_values import JsonObject
from router.store.redaction import Redactor

_MAX_VALUE = 400
_MAX_TEXT = 8000
_MAX_ITEMS = 50
_MAX_DEPTH = 8


def shown(arguments: JsonObject, redactor: Redactor) -> str:
    """`arguments` as indented JSON of bounded length. Masked first: half a secret is one too."""
    text = json.dumps(
        _cut(redactor.json(_cut(arguments, 4 * _MAX_TEXT), by_name=True)),
        indent=2,
        ensure_ascii=False,
    )
    return _shortened(text, _MAX_TEXT)


def _cut(value: Any, longest: int = _MAX_VALUE, depth: int = 0) -> Any:
    if isinstance(value, str):
        return _shortened(value, longest)
    if isinstance(value, list | dict) and depth >= _MAX_DEPTH:
        return "…"
    if isinstance(value, list):
        items = cast(list[Any], value)
        more = [f"… and {len(items) - _MAX_ITEMS} more"] if len(items) > _MAX_ITEMS else []
        return [_cut(item, longest, depth + 1) for item in items[:_MAX_ITEMS]] + more
    if isinstance(value, dict):
        pairs = list(cast(JsonObject, value).items())
        return {key: _cut(item, longest, depth + 1) for key, item in pairs[:_MAX_ITEMS]}
    return value


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"
