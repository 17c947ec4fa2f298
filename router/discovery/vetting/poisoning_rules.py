"""The poisoning rules in `resources/poisoning/`, read and compiled on first use.

The README there explains the format. `MalformedRules` names the file and the entry at fault.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, TypeVar

_RULE_FILES = ("english.toml", "other_languages.toml")
_COMBINATION_FILE = "co_occurrence.toml"
_FRAGMENT = re.compile(r"\(\?&(\w+)\)")
_RULE = {"name": str, "weight": float, "patterns": list}
_COMBINATION = {"name": str, "weight": float, "concepts": list}
_NONE: Mapping[str, Any] = {}
_Table: TypeAlias = Mapping[str, Any]
_T = TypeVar("_T")


class MalformedRules(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    weight: float
    pattern: re.Pattern[str]
    words: frozenset[str] | None
    """The pattern matches no ASCII text without one of these words. None: it may match any text."""

    def matches(self, text: str, words: frozenset[str]) -> Iterable[re.Match[str]]:
        """The matches in `text`, whose words are `words`. Comparing them is much cheaper than a
        search and excludes most rules for most texts."""
        possible = self.words is None or not self.words.isdisjoint(words)
        return self.pattern.finditer(text) if possible or not text.isascii() else ()


@dataclass(frozen=True, slots=True, eq=False)
class Concept:
    pattern: re.Pattern[str]
    stems: frozenset[str]
    """The pattern matches no text without a word that begins so. Empty: it may match any text."""


@dataclass(frozen=True, slots=True)
class Combination:
    name: str
    weight: float
    concepts: tuple[Concept, ...]
    """All of them must occur."""
    parameters_only: bool
    """Whether it applies only to text about a parameter."""
    unless: Concept | None
    """A concept that makes a sentence harmless."""


@cache
def rules() -> tuple[Rule, ...]:
    return tuple(rule for file in _RULE_FILES for rule in parse_rules(file, _read(file)))


@cache
def combinations() -> tuple[Combination, ...]:
    return tuple(parse_combinations(_COMBINATION_FILE, _read(_COMBINATION_FILE)))


def parse_rules(file: str, text: str) -> list[Rule]:
    content = _parse(file, text)
    fragments = content.pop("fragments", {})
    parsed = [_rule(where, entry, fragments) for where, entry in _entries(file, content, "rules")]
    _check(file, content, {"rules": list})
    return parsed


def parse_combinations(file: str, text: str) -> list[Combination]:
    content = _parse(file, text)
    concepts = {
        name: _concept(f"{file}, concept '{name}'", table)
        for name, table in content.pop("concepts", {}).items()
    }
    parsed = [
        _combination(where, entry, concepts)
        for where, entry in _entries(file, content, "combinations")
    ]
    _check(file, content, {"combinations": list})
    return parsed


def _parse(file: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MalformedRules(f"{file}: {error}") from None


def _entries(file: str, content: _Table, key: str) -> Iterator[tuple[str, _Table]]:
    """Each entry of a file, with the text that locates it."""
    for number, entry in enumerate(content.get(key, ()), 1):
        yield f"{file}, {key} {number} '{entry.get('name')}'", entry


def _rule(where: str, entry: _Table, fragments: Mapping[str, str]) -> Rule:
    _check(where, entry, _RULE, {"words": str, "case_sensitive": bool})
    flags = 0 if entry.get("case_sensitive") else re.IGNORECASE
    pattern = _compiled(where, entry, flags, fragments)
    words = frozenset(entry["words"].split()) if "words" in entry else None
    return Rule(entry["name"], entry["weight"], pattern, words)


def _concept(where: str, entry: _Table) -> Concept:
    _check(where, entry, {"patterns": list}, {"stems": str})
    return Concept(_compiled(where, entry), frozenset(entry.get("stems", "").split()))


def _combination(where: str, entry: _Table, concepts: Mapping[str, Concept]) -> Combination:
    _check(where, entry, _COMBINATION, {"parameters_only": bool, "unless": str})
    return Combination(
        name=entry["name"],
        weight=entry["weight"],
        concepts=tuple(_find(where, name, concepts) for name in entry["concepts"]),
        parameters_only=entry.get("parameters_only", False),
        unless=_find(where, entry["unless"], concepts) if "unless" in entry else None,
    )


def _check(
    where: str, table: _Table, required: Mapping[str, type], optional: Mapping[str, type] = _NONE
) -> None:
    """Refuse a table with a missing or unknown key, or a value of another type."""
    for key in (*required, *table):
        if key not in table:
            raise MalformedRules(f"{where}: {key} is missing")
        if (kind := required.get(key) or optional.get(key)) is None:
            raise MalformedRules(f"{where}: unknown key {key}")
        if not isinstance(table[key], kind):
            raise MalformedRules(f"{where}: {key} must be of type {kind.__name__}")


def _find(where: str, name: str, known: Mapping[str, _T]) -> _T:
    if name not in known:
        raise MalformedRules(f"{where}: '{name}' is not defined")
    return known[name]


def _compiled(
    where: str, entry: _Table, flags: int = re.IGNORECASE, fragments: Mapping[str, str] = _NONE
) -> re.Pattern[str]:
    """One expression of all patterns of an entry: the first that matches at a position wins."""
    patterns: list[object] = entry["patterns"]
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise MalformedRules(f"{where}: each of patterns must be of type str")
    joined = "|".join(map(_one_line, map(str, patterns)))
    whole = _FRAGMENT.sub(lambda match: _one_line(_find(where, match[1], fragments)), joined)
    try:
        return re.compile(whole, flags)
    except re.error as error:
        raise MalformedRules(f"{where}: {error}") from None


def _one_line(pattern: str) -> str:
    return "".join(line.strip() for line in pattern.split("\n"))


def _read(file: str) -> str:
    import resources

    return resources.read_text("poisoning", file)
