"""BM25F on an inverted index: one array of postings, put together from segments.

Each field's frequencies are weighed and measured against the field's usual length before they are
summed, so that a word in a short name counts for more than the same word in a long description.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from router.search.documents import Field
from router.search.segments import Floats, Ints, Segment, Vocabulary

K1 = 1.2


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each field counts, and how much its length matters (0 not at all, 1 fully)."""

    weight: tuple[float, ...] = (3.0, 1.5, 2.0, 1.0, 1.0)
    b: tuple[float, ...] = (0.3, 0.3, 0.3, 0.6, 0.6)
    k1: float = K1


class LexicalIndex:
    """Scores all documents of some segments against query tokens."""

    def __init__(
        self, segments: Sequence[Segment], vocabulary: Vocabulary, weights: Weights | None = None
    ) -> None:
        self._numbers = vocabulary.numbers
        weights = weights or Weights()
        self.count = sum(len(each.tools) for each in segments)
        size = len(vocabulary.numbers)
        tokens, documents = _joined(segments)
        self._frequency: Ints = np.bincount(tokens, minlength=size).astype(np.int32)
        self._starts = np.concatenate(([0], np.cumsum(self._frequency)))
        order = _by_token(tokens, segments, self._starts)
        self._documents = np.empty_like(documents)
        self._documents[order] = documents
        self._gains = np.empty(len(documents), dtype=np.float64)
        self._gains[order] = _gains(segments, documents, weights)
        self._idf: Floats = np.log1p((self.count - self._frequency + 0.5) / (self._frequency + 0.5))
        self._known: list[bool] = (self._frequency > 0).tolist()
        self._idfs: list[float] = self._idf.tolist()
        self.best_gain = weights.k1 + 1
        self._name_starts, self._name_documents = self._names(segments, order)
        self._name_sums = self._summed_idf()

    def _names(
        self, segments: Sequence[Segment], order: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], Ints]:
        """The postings of those tokens that stand in a tool's own name."""
        named = np.empty(len(order), dtype=np.bool_)
        if segments:
            named[order] = np.concatenate([each.counts[:, Field.NAME] > 0 for each in segments])
        starts = np.concatenate(([0], np.cumsum(named)))[self._starts]
        return starts, self._documents[named]

    def _summed_idf(self) -> Floats:
        sums: Floats = np.zeros(self.count)
        weights = np.repeat(self._idf, np.diff(self._name_starts))
        np.add.at(sums, self._name_documents, weights)
        return np.maximum(sums, 1e-9)

    def number(self, token: str) -> int | None:
        """The token's number if any document has it."""
        number = self._numbers.get(token)
        if number is None or number >= len(self._known) or not self._known[number]:
            return None
        return number

    def idf(self, number: int | None) -> float:
        """How telling a token is; never negative, so that tiny catalogues rank too. A token that
        no document has tells most."""
        if number is None:
            return math.log1p(2 * self.count + 1.0)
        return self._idfs[number]

    def postings(self, number: int) -> tuple[Ints, Floats]:
        """The documents that have a token, and what it gains them."""
        part = slice(self._starts[number], self._starts[number + 1])
        return self._documents[part], self._gains[part]

    def name_coverage(self, weighed: Iterable[tuple[int, float]]) -> Floats:
        """How much of each tool's name is asked for, in 0..1, telling words counting more."""
        covered: Floats = np.zeros(self.count)
        for number, weight in weighed:
            named = self._name_documents[self._name_starts[number] : self._name_starts[number + 1]]
            covered[named] += weight * self._idfs[number]
        return np.minimum(covered / self._name_sums, 1.0)

    def scores(self, weighed: Iterable[tuple[int, float]]) -> Floats:
        """The score of each document for tokens, each with its own weight."""
        scores: Floats = np.zeros(self.count)
        for number, weight in weighed:
            documents, gains = self.postings(number)
            scores[documents] += gains * (weight * self._idfs[number])
        return scores


def _joined(segments: Sequence[Segment]) -> tuple[Ints, Ints]:
    """Tokens and documents of all postings, documents counted through."""
    if not segments:
        empty: Ints = np.empty(0, dtype=np.int32)
        return empty, empty
    offsets = np.cumsum([0, *(len(each.tools) for each in segments[:-1])], dtype=np.int32)
    documents = [each.documents + at for each, at in zip(segments, offsets, strict=True)]
    return np.concatenate([each.tokens for each in segments]), np.concatenate(documents)


def _by_token(
    tokens: Ints, segments: Sequence[Segment], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The place of each posting when they are sorted by token, then by document.

    Each segment is sorted already: its postings of a token go, in one piece, after those of the
    segments before it. That needs no sorting at all.
    """
    places = np.empty(len(tokens), dtype=np.int64)
    filled = starts[:-1].copy()
    at = 0
    for each in segments:
        own = each.tokens
        if not len(own):
            continue
        first = np.flatnonzero(np.concatenate(([True], own[1:] != own[:-1])))
        sizes = np.diff(np.concatenate((first, [len(own)])))
        inside = np.arange(len(own)) - np.repeat(first, sizes)
        places[at : at + len(own)] = filled[own] + inside
        filled[own[first]] += sizes
        at += len(own)
    return places


def _gains(segments: Sequence[Segment], documents: Ints, weights: Weights) -> Floats:
    """What each posting gains its document, but for the token's idf."""
    if not segments:
        return np.empty(0)
    lengths = np.concatenate([each.lengths for each in segments]).astype(np.float64)
    counts = np.concatenate([each.counts for each in segments])
    usual = np.maximum(lengths.mean(axis=0), 1e-9)
    frequency = np.zeros(len(counts))
    for field, (weight, b) in enumerate(zip(weights.weight, weights.b, strict=True)):
        norms = 1 - b + b * lengths[:, field] / usual[field]
        frequency += weight * counts[:, field] / np.maximum(norms[documents], 1e-9)
    return frequency * (weights.k1 + 1) / (frequency + weights.k1)
