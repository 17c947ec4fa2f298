"""The difference between two versions of a definition, word by word, for people to review."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from functools import lru_cache

from router.domain.json_values import JsonObject, as_object
from router.domain.tool_lists import DiffPart, WordChange

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MAX_WORDS = 800
"""A longer comparison takes too long to compute and to read."""


def readable(definition: JsonObject) -> str:
    """A tool definition as text: title and description, then schemas and annotations."""
    lines = [str(definition[key]) for key in ("title", "description") if definition.get(key)]
    for key in ("inputSchema", "outputSchema"):
        if definition.get(key):
            lines += _schema_lines(key, as_object(definition[key]))
    if definition.get("annotations"):
        lines.append(f"annotations: {_json(definition['annotations'])}")
    return "\n".join(lines)


def readable_item(definition: JsonObject) -> str:
    """A prompt, a resource or a server's instructions as text, field by field."""
    return "\n".join(
        f"{key}: {value if isinstance(value, str) else _json(value)}"
        for key, value in sorted(definition.items())
    )


def _schema_lines(key: str, schema: JsonObject) -> list[str]:
    """The schema in one line without its properties, then one line for each property."""
    properties = as_object(schema.get("properties"))
    rest = {name: value for name, value in schema.items() if name != "properties"}
    lines = [f"    {_json(name)[1:-1]}: {_json(value)}" for name, value in properties.items()]
    return [f"{key}: {_json(rest)}", *lines]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


@lru_cache(maxsize=512)
def word_diff(old: str, new: str) -> tuple[DiffPart, ...]:
    """Both texts as runs of words that are unchanged, removed or added."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    head = _common_prefix(before, after)
    tail = _common_prefix(before[head:][::-1], after[head:][::-1])
    parts = [DiffPart(WordChange.SAME, "".join(before[:head]))]
    parts += _middle(before[head : len(before) - tail], after[head : len(after) - tail])
    parts.append(DiffPart(WordChange.SAME, "".join(before[len(before) - tail :])))
    return tuple(part for part in parts if part.text)


def _common_prefix(first: list[str], second: list[str]) -> int:
    """How many words two lists have in common at the start."""
    pairs = zip(first, second, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _middle(before: list[str], after: list[str]) -> list[DiffPart]:
    if max(len(before), len(after)) > _MAX_WORDS:
        return _replaced(before, after)
    parts: list[DiffPart] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for change, i1, i2, j1, j2 in matcher.get_opcodes():
        if change == "equal":
            parts.append(DiffPart(WordChange.SAME, "".join(before[i1:i2])))
        else:
            parts += _replaced(before[i1:i2], after[j1:j2])
    return parts


def _replaced(before: list[str], after: list[str]) -> list[DiffPart]:
    return [
        DiffPart(WordChange.REMOVED, "".join(before)),
        DiffPart(WordChange.ADDED, "".join(after)),
    ]
