"""Makes a tool definition safe to show: texts cleaned, schemas bounded, each change recorded."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, cast

from router.discovery.vetting import hidden_text
from router.domain.json_values import JsonObject, as_object, is_deeper
from router.domain.tool_lists import CutKind, Finding, FindingKind, ListLimits

MAX_DEPTH = 200
_MAX_FINDINGS = 20
_MAX_ICON_CHARACTERS = 16 * 1024
_COMPOSITION_KEYWORDS = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "then", "else"})
_REFERENCE_KEYWORDS = ("$ref", "$dynamicRef", "$recursiveRef")
_SCHEMA_MAP_KEYWORDS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)
_VALUE_KEYWORDS = frozenset(
    {"enum", "const", "default", "examples", "required", "dependentRequired"}
)
"""Keywords whose content is data, not schemas."""


class Sanitizer:
    """Cleans the texts of one definition, and records what was cut and found in them."""

    def __init__(self, limits: ListLimits) -> None:
        self._limits = limits
        self.cuts: Counter[CutKind] = Counter()
        self.findings: list[Finding] = []
        self.texts: list[tuple[str, str]] = []
        """Every text with its location, cleaned but not cut: what is searched for poisoning."""

    def add_finding(self, kind: FindingKind, rule: str, where: str, quote: str) -> None:
        finding = Finding(kind, rule, where, quote)
        if len(self.findings) < _MAX_FINDINGS and finding not in self.findings:
            self.findings.append(finding)

    def text(self, text: str, where: str, limit: int, over: CutKind) -> str:
        """`text` cleaned and cut to `limit`. What is cut off is searched for poisoning too."""
        shown = self._cleaned(text, where)
        if len(shown) > limit:
            self.cuts[over] += 1
        return hidden_text.shortened(shown, limit)

    def description(self, text: str, where: str) -> str:
        limit = self._limits.description_characters
        return self.text(text, where, limit, CutKind.LONG_DESCRIPTION)

    def value(self, value: Any, where: str, depth: int = 0) -> Any:
        """Any JSON value with its texts cleaned, down to the maximum depth."""
        if isinstance(value, str):
            return self._cleaned(value, where)
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
        """`schema` cleaned, or a placeholder with the reason if it exceeds a limit."""
        try:
            text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        except RecursionError:
            return self._placeholder(CutKind.DEEP_SCHEMA, "Schema too deep to show safely")
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > self._limits.schema_bytes:
            reason = f"Schema too large to cache safely ({-(-size // 1024)} KB)"
            return self._placeholder(CutKind.LARGE_SCHEMA, reason)
        if is_deeper(schema, MAX_DEPTH):
            return self._placeholder(CutKind.DEEP_SCHEMA, "Schema too deep to show safely")
        return self._schema(schema, where)

    def icons(self, icons: list[Any]) -> list[Any]:
        kept = [icon for icon in icons if _is_usable_icon(as_object(icon))]
        if len(kept) < len(icons):
            self.cuts[CutKind.ICON] += len(icons) - len(kept)
        return [self.value(icon, "icons") for icon in kept]

    def _placeholder(self, kind: CutKind, reason: str) -> JsonObject:
        self.cuts[kind] += 1
        return {"type": "object", "description": reason}

    def _schema(self, schema: JsonObject, where: str) -> JsonObject:
        return {
            self._key(keyword, where): self._keyword(keyword, value, where)
            for keyword, value in schema.items()
            if self._keeps(keyword, value)
        }

    def _keeps(self, keyword: str, value: object) -> bool:
        if not self._limits.composed_schemas and keyword in _COMPOSITION_KEYWORDS:
            self.cuts[CutKind.SCHEMA_KEYWORD] += 1
            return False
        if keyword in _REFERENCE_KEYWORDS and not (
            isinstance(value, str) and value.startswith("#")
        ):
            self.cuts[CutKind.OUTSIDE_REFERENCE] += 1
            return False
        return True

    def _keyword(self, keyword: str, value: Any, where: str) -> Any:
        if keyword in ("description", "title", "$comment") and isinstance(value, str):
            limit = self._limits.schema_description_characters
            location = f"{where}.{keyword}"
            return self.text(value, location, limit, CutKind.LONG_SCHEMA_DESCRIPTION)
        if keyword in _VALUE_KEYWORDS:
            return self.value(value, f"{where}.{keyword}")
        if keyword in _SCHEMA_MAP_KEYWORDS and isinstance(value, dict):
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
        return self._cleaned(value, where) if isinstance(value, str) else value

    def _key(self, key: str, where: str) -> str:
        return key if hidden_text.is_plain(key) else self._cleaned(key, f"{where} (name)")

    def _cleaned(self, text: str, where: str) -> str:
        """`text` without hidden text and HTML, which are recorded."""
        cleaned = hidden_text.clean(text)
        if cleaned.hidden:
            self.cuts[CutKind.HIDDEN_TEXT] += 1
            for hidden in cleaned.hidden:
                self.add_finding(FindingKind.HIDDEN_TEXT, hidden.rule, where, hidden.quote)
        if cleaned.has_markup:
            self.cuts[CutKind.MARKUP] += 1
            self.texts += [(where, comment) for comment in hidden_text.comments(text)]
        self.texts.append((where, cleaned.text))
        return cleaned.text


def _is_usable_icon(icon: JsonObject) -> bool:
    source = icon.get("src")
    if not isinstance(source, str) or len(source) > _MAX_ICON_CHARACTERS:
        return False
    return source.startswith(("https://", "data:image/"))
