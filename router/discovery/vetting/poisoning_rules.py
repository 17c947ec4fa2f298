"""The poisoning rules in `resources/poisoning/`, read and compiled on first use.

The README there explains the format. `MalformedRules` names the file and the entry at fault.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast

_RULE_FILES = ("english.toml", "other_languages.toml")
_COMBINATION_FILE = "co_occurrence.toml"
_FRAGMENT = re.compile(r"\(\?&(\w+)\)")
_T = TypeVar("_T")
_ARRAY = cast("type[list[Any]]", list)
_TABLE = cast("type[dict[str, Any]]", dict)


class MalformedRules(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    weight: float
    pattern: re.Pattern[str]
    words: frozenset[str] | None
    """The pattern matches no ASCII text without one of these words. None: it may match any text."""

    def search(self, text: str, words: frozenset[str]) -> re.Match[str] | None:
        """The first match in `text`, whose words are `words`. Comparing them is much cheaper than
        a search and excludes most rules for most texts."""
        possible = self.words is None or not self.words.isdisjoint(words)
        return self.pattern.search(text) if possible or not text.isascii() else None


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
    fragments = content.named("fragments", str)
    parsed = [_rule(entry, fragments) for entry in content.entries("rules")]
    content.end()
    return parsed


def parse_combinations(file: str, text: str) -> list[Combination]:
    content = _parse(file, text)
    tables = content.named("concepts", _TABLE)
    concepts = {
        name: _concept(_Entry(f"{file}, concept '{name}'", table)) for name, table in tables.items()
    }
    parsed = [_combination(entry, concepts) for entry in content.entries("combinations")]
    content.end()
    return parsed


class _Entry:
    """A table in a file. Each key is taken once; `end` refuses the keys that are left."""

    def __init__(self, where: str, content: dict[str, Any]) -> None:
        self.where = where
        self._content = content

    def take(self, key: str, kind: type[_T], default: _T | None = None) -> _T:
        return self._checked(key, self._content.pop(key, default), kind)

    def strings(self, key: str) -> list[str]:
        return [self._checked(f"each of {key}", item, str) for item in self.take(key, _ARRAY)]

    def named(self, key: str, kind: type[_T]) -> dict[str, _T]:
        items = self.take(key, _TABLE, {}).items()
        return {name: self._checked(f"{key}.{name}", item, kind) for name, item in items}

    def entries(self, key: str) -> Iterator[_Entry]:
        for number, item in enumerate(self.take(key, _ARRAY), 1):
            content = self._checked(f"each of {key}", item, _TABLE)
            yield _Entry(f"{self.where}, {key} {number} '{content.get('name')}'", content)

    def find(self, name: str, known: Mapping[str, _T]) -> _T:
        if name not in known:
            raise MalformedRules(f"{self.where}: '{name}' is not defined")
        return known[name]

    def end(self) -> None:
        if self._content:
            raise MalformedRules(f"{self.where}: unknown key {', '.join(self._content)}")

    def __contains__(self, key: str) -> bool:
        return key in self._content

    def _checked(self, name: str, value: Any, kind: type[_T]) -> _T:
        if not isinstance(value, kind):
            problem = "is missing" if value is None else f"must be of type {kind.__name__}"
            raise MalformedRules(f"{self.where}: {name} {problem}")
        return value


def _parse(file: str, text: str) -> _Entry:
    try:
        return _Entry(file, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise MalformedRules(f"{file}: {error}") from None


def _rule(entry: _Entry, fragments: Mapping[str, str]) -> Rule:
    flags = 0 if entry.take("case_sensitive", bool, False) else re.IGNORECASE
    rule = Rule(
        name=entry.take("name", str),
        weight=entry.take("weight", float),
        pattern=_compiled(entry, flags, fragments),
        words=frozenset(entry.take("words", str).split()) if "words" in entry else None,
    )
    entry.end()
    return rule


def _concept(entry: _Entry) -> Concept:
    concept = Concept(
        pattern=_compiled(entry, re.IGNORECASE, {}),
        stems=frozenset(entry.take("stems", str, "").split()),
    )
    entry.end()
    return concept


def _combination(entry: _Entry, concepts: Mapping[str, Concept]) -> Combination:
    combination = Combination(
        name=entry.take("name", str),
        weight=entry.take("weight", float),
        concepts=tuple(entry.find(name, concepts) for name in entry.strings("concepts")),
        parameters_only=entry.take("parameters_only", bool, False),
        unless=entry.find(entry.take("unless", str), concepts) if "unless" in entry else None,
    )
    entry.end()
    return combination


def _compiled(entry: _Entry, flags: int, fragments: Mapping[str, str]) -> re.Pattern[str]:
    """One expression of all patterns of an entry: the first that matches at a position wins."""
    joined = "|".join(map(_one_line, entry.strings("patterns")))
    whole = _FRAGMENT.sub(lambda match: _one_line(entry.find(match[1], fragments)), joined)
    try:
        return re.compile(whole, flags)
    except re.error as error:
        raise MalformedRules(f"{entry.where}: {error}") from None


def _one_line(pattern: str) -> str:
    return "".join(line.strip() for line in pattern.split("\n"))


def _read(file: str) -> str:
    import resources

    return resources.read_text("poisoning", file)
