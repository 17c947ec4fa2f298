"""Finds combinations of concepts: words that are harmless apart, but not in one sentence or in two
consecutive ones, whatever their wording and order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from router.discovery.vetting.poisoning_rules import Combination, Concept, combinations

_SENTENCE = re.compile(r"(?!\s)[^.!?。！？\n]+(?:[.!?]+(?=\S)[^.!?。！？\n]*)*")
_WORD = re.compile(r"[a-z0-9]+|~")
_STEM_CHARACTERS = 4
_MAX_CHARACTERS = 600
"""How much of a long sentence is searched."""


def find_combinations(text: str, *, parameter: bool) -> Iterator[tuple[Combination, int, int]]:
    """Each combination that occurs in `text`, with the start and end of the first sentence or pair
    of sentences it occurs in."""
    stems = frozenset(word[:_STEM_CHARACTERS] for word in _WORD.findall(text.lower()))
    searched: dict[Concept, bool] = {}
    possible = [
        combination
        for combination in combinations()
        if (parameter or not combination.parameters_only)
        and all(_occurs(concept, text, stems, searched) for concept in combination.concepts)
    ]
    if not possible:
        return
    sentences = [match.span() for match in _SENTENCE.finditer(text)]
    sentences += [(first[0], second[1]) for first, second in pairwise(sentences)]
    for combination in possible:
        for start, full_end in sentences:
            end = min(full_end, start + _MAX_CHARACTERS)
            if _matches(combination, text, start, end):
                yield combination, start, end
                break


def _occurs(
    concept: Concept, text: str, stems: frozenset[str], searched: dict[Concept, bool]
) -> bool:
    """Whether `concept` is anywhere in `text`: searched for once, and only if a stem is there."""
    if concept not in searched:
        possible = not concept.stems or not concept.stems.isdisjoint(stems)
        searched[concept] = possible and concept.pattern.search(text) is not None
    return searched[concept]


def _matches(combination: Combination, text: str, start: int, end: int) -> bool:
    unless = combination.unless
    if unless is not None and unless.pattern.search(text, start, end):
        return False
    return all(concept.pattern.search(text, start, end) for concept in combination.concepts)
