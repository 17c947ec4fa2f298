"""What has changed between two forms of a tool, word by word, for a person to judge."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from functools import lru_cache

from router.domain.json_values import JsonObject, as_object
from router.domain.tool_lists import DiffPart, WordChange

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MOST_WORDS = 800
"""Beyond this a comparison word by word takes too long, and too long to read."""


def readable(form: JsonObject) -> str:
    """A tool's definition as text: its words first, then what it takes and says of itself."""
    lines = [str(form[key]) for key in ("title", "description") if form.get(key)]
    for key in ("inputSchema", "outputSchema"):
        if form.get(key):
            lines += _schema_lines(key, as_object(form[key]))
    if form.get("annotations"):
        lines.append(f"annotations: {_json(form['annotations'])}")
    return "\n".join(lines)


def _schema_lines(key: str, schema: JsonObject) -> list[str]:
    """A line for each property, then what else there is; all of it, as it stands there."""
    properties = as_object(schema.get("properties"))
    rest = {name: value for name, value in schema.items() if name != "properties"}
    lines = [f"    {_json(name)[1:-1]}: {_json(value)}" for name, value in properties.items()]
    return [f"{key}: {_json(rest)}", *lines]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


@lru_cache(maxsize=512)
def word_diff(old: str, new: str) -> tuple[DiffPart, ...]:
    """The two texts as runs of words that stayed, went or came."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    head = _shared(before, after)
    tail = _shared(before[head:][::-1], after[head:][::-1])
    parts = [DiffPart(WordChange.SAME, "".join(before[:head]))]
    parts += _middle(before[head : len(before) - tail], after[head : len(after) - tail])
    parts.append(DiffPart(WordChange.SAME, "".join(before[len(before) - tail :])))
    return tuple(part for part in parts if part.text)


def _shared(first: list[str], second: list[str]) -> int:
    """How many words two lists have in common at their beginning."""
    pairs = zip(first, second, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _middle(before: list[str], after: list[str]) -> list[DiffPart]:
    if max(len(before), len(after)) > _MOST_WORDS:
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
