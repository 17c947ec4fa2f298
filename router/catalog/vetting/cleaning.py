"""Making a definition fit to be shown: texts cleaned, schemas bounded, and an account of it all."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, cast

from router.catalog.vetting import texts
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.tool_lists import CutKind, Finding, FindingKind, ListLimits

MAX_DEPTH = 200
_MAX_FINDINGS = 20
_MAX_ICON_CHARACTERS = 16 * 1024
_COMPOSING = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "then", "else"})
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_NAMED_SCHEMAS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)
_OF_VALUES = frozenset({"enum", "const", "default", "examples", "required", "dependentRequired"})
"""Keywords whose content is data, not schemas."""


class Account:
    """What was cut and what was found while a definition was cleaned."""

    def __init__(self) -> None:
        self.cuts: Counter[CutKind] = Counter()
        self.findings: list[Finding] = []
        self.texts: list[tuple[str, str]] = []
        """Every text that was shown, cleaned, with its place: what the search for traps reads."""

    def find(self, kind: FindingKind, rule: str, where: str, words: str) -> None:
        finding = Finding(kind, rule, where, words)
        if len(self.findings) < _MAX_FINDINGS and finding not in self.findings:
            self.findings.append(finding)


class Cleaner:
    def __init__(self, limits: ListLimits) -> None:
        self._limits = limits
        self.account = Account()

    def text(self, text: str, where: str, limit: int, over: CutKind) -> str:
        """`text` cleaned and cut to `limit`. All of it is searched, also what is not shown."""
        shown = self._seen(text, where)
        if len(shown) > limit:
            self.account.cuts[over] += 1
        return texts.shortened(shown, limit)

    def description(self, text: str, where: str) -> str:
        limit = self._limits.description_characters
        return self.text(text, where, limit, CutKind.LONG_DESCRIPTION)

    def value(self, value: Any, where: str, depth: int = 0) -> Any:
        """Any JSON value with its texts cleaned; what lies too deep is left out."""
        if isinstance(value, str):
            return self._seen(value, where)
        if depth >= MAX_DEPTH:
            return None
        if isinstance(value, list):
            items = cast("list[object]", value)
            return [self.value(item, where, depth + 1) for item in items]
        if isinstance(value, dict):
            members = cast(JsonObject, value)
            return {
                self._key(key, where): self.value(member, f"{where}.{key}", depth + 1)
                for key, member in members.items()
            }
        return value

    def schema(self, schema: JsonObject, where: str) -> JsonObject:
        """A schema within its limits, or a placeholder that says why there is none."""
        try:
            size = len(
                json.dumps(schema, ensure_ascii=False, separators=(",", ":")).encode(
                    "utf-8", "surrogatepass"
                )
            )
        except RecursionError:
            return self._placeholder(CutKind.DEEP_SCHEMA, "Schema too deep to show safely")
        if size > self._limits.schema_bytes:
            kib = f"{-(-size // 1024)} KB"
            return self._placeholder(
                CutKind.LARGE_SCHEMA, f"Schema too large to cache safely ({kib})"
            )
        if _depth_over(schema, MAX_DEPTH):
            return self._placeholder(CutKind.DEEP_SCHEMA, "Schema too deep to show safely")
        return self._schema(schema, where)

    def icons(self, icons: list[Any]) -> list[Any]:
        kept = [icon for icon in icons if _is_usable_icon(as_object(icon))]
        if len(kept) < len(icons):
            self.account.cuts[CutKind.ICON] += len(icons) - len(kept)
        return [self.value(icon, "icons") for icon in kept]

    def _placeholder(self, kind: CutKind, sentence: str) -> JsonObject:
        self.account.cuts[kind] += 1
        return {"type": "object", "description": sentence}

    def _schema(self, schema: JsonObject, where: str) -> JsonObject:
        return {
            self._key(keyword, where): self._keyword(keyword, value, where)
            for keyword, value in schema.items()
            if self._keeps(keyword, value)
        }

    def _keeps(self, keyword: str, value: object) -> bool:
        if not self._limits.composed_schemas and keyword in _COMPOSING:
            self.account.cuts[CutKind.SCHEMA_KEYWORD] += 1
            return False
        if keyword in _REFERENCES and not (isinstance(value, str) and value.startswith("#")):
            self.account.cuts[CutKind.OUTSIDE_REFERENCE] += 1
            return False
        return True

    def _keyword(self, keyword: str, value: Any, where: str) -> Any:
        if keyword in ("description", "title", "$comment") and isinstance(value, str):
            limit = self._limits.schema_description_characters
            place = f"{where}.{keyword}"
            return self.text(value, place, limit, CutKind.LONG_SCHEMA_DESCRIPTION)
        if keyword in _OF_VALUES:
            return self.value(value, f"{where}.{keyword}")
        if keyword in _NAMED_SCHEMAS and isinstance(value, dict):
            members = cast(JsonObject, value)
            return {
                self._key(name, where): self._subschema(each, f"{where}.{name}")
                for name, each in members.items()
            }
        return self._subschema(value, where)

    def _subschema(self, value: Any, where: str) -> Any:
        if isinstance(value, dict):
            return self._schema(cast(JsonObject, value), where)
        if isinstance(value, list):
            return [self._subschema(each, where) for each in cast("list[object]", value)]
        return self._seen(value, where) if isinstance(value, str) else value

    def _key(self, key: str, where: str) -> str:
        return key if texts.is_plain(key) else self._seen(key, f"{where} (name)")

    def _seen(self, text: str, where: str) -> str:
        """`text` without what is hidden in it, noted for the search that follows."""
        cleaned = texts.clean(text)
        if cleaned.hidden:
            self.account.cuts[CutKind.HIDDEN_TEXT] += 1
            for hidden in cleaned.hidden:
                self.account.find(FindingKind.HIDDEN_TEXT, hidden.rule, where, hidden.words)
        if cleaned.markup:
            self.account.cuts[CutKind.MARKUP] += 1
            self.account.texts += [(where, comment) for comment in texts.comments(text)]
        self.account.texts.append((where, cleaned.text))
        return cleaned.text


def _depth_over(value: object, limit: int) -> bool:
    """Whether `value` is nested deeper than `limit`, found without recursion."""
    level: list[object] = [value]
    for _ in range(limit):
        level = [
            inner
            for outer in level
            for inner in (
                cast(JsonObject, outer).values() if isinstance(outer, dict) else as_array(outer)
            )
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _is_usable_icon(icon: JsonObject) -> bool:
    source = icon.get("src")
    if not isinstance(source, str) or len(source) > _MAX_ICON_CHARACTERS:
        return False
    return source.startswith(("https://", "data:image/"))
