"""BM25F on an inverted index: one array of postings, put together from segments.

Each field's frequencies are weighed and measured against the field's usual length before they are
summed, so that a word in a short name counts for more than the same word in a long description.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from router.search.segments import Floats, Ints, Segment, Vocabulary

K1 = 1.2
_Chosen: TypeAlias = slice | NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each field counts, and how much its length matters (0 not at all, 1 fully)."""

    weight: tuple[float, ...] = (3.0, 1.5, 2.0, 1.0, 1.0)
    b: tuple[float, ...] = (0.3, 0.3, 0.3, 0.6, 0.0)
    """A long description says the same in more words; more parameters are more that a tool can do,
    so that their number takes nothing from any of them."""
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
        tokens, documents = _joined([(each, slice(None)) for each in segments])
        self._frequency: Ints = np.bincount(tokens, minlength=size).astype(np.int32)
        starts = np.concatenate(([0], np.cumsum(self._frequency)))
        order = _by_token(segments, starts)
        self._documents = np.empty_like(documents)
        self._documents[order] = documents
        self._gains = np.empty(len(documents), dtype=np.float64)
        self._gains[order] = _gains(segments, weights)
        self._idf: Floats = np.log1p((self.count - self._frequency + 0.5) / (self._frequency + 0.5))
        # What is asked for one by one is kept in lists: getting one number of an array is slow.
        self._starts: list[int] = starts.tolist()
        self._known: list[bool] = (self._frequency > 0).tolist()
        self._idfs: list[float] = self._idf.tolist()
        self.best_gain = weights.k1 + 1
        name_starts, self._name_documents = _names(segments, size)
        self._name_starts: list[int] = name_starts.tolist()
        self._name_sums = self._summed_idf(name_starts)

    def _summed_idf(self, name_starts: NDArray[np.int64]) -> Floats:
        weights = np.repeat(self._idf, np.diff(name_starts))
        sums = np.bincount(self._name_documents, weights, minlength=self.count)
        return np.maximum(sums, 1e-9, dtype=np.float64)

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
        begin, end = self._starts[number], self._starts[number + 1]
        return self._documents[begin:end], self._gains[begin:end]

    def scores(self, weighed: Mapping[int, float]) -> Floats:
        """The score of each document for tokens, each with its own weight."""
        found = [self.postings(number) for number in weighed]
        documents = [documents for documents, _ in found]
        return self._summed(weighed, documents, [gains for _, gains in found])

    def name_coverage(self, weighed: Mapping[int, float]) -> Floats:
        """How much of each tool's name is asked for, in 0..1, telling words counting more."""
        starts, documents = self._name_starts, self._name_documents
        found = [documents[starts[number] : starts[number + 1]] for number in weighed]
        covered = self._summed(weighed, found)
        covered /= self._name_sums
        return np.minimum(covered, 1.0, out=covered)

    def _summed(
        self,
        weighed: Mapping[int, float],
        found: Sequence[Ints],
        gains: Sequence[Floats] | None = None,
    ) -> Floats:
        """What each document has of the tokens that found it: their weights, telling ones counting
        more, times `gains` if there are any."""
        sizes = [len(documents) for documents in found]
        if not sum(sizes):
            return np.zeros(self.count)
        each = np.repeat([weight * self._idfs[number] for number, weight in weighed.items()], sizes)
        if gains is not None:
            each *= np.concatenate(gains)
        summed = np.bincount(np.concatenate(found), each, minlength=self.count)
        return np.asarray(summed, dtype=np.float64)


def _joined(parts: Sequence[tuple[Segment, _Chosen]]) -> tuple[Ints, Ints]:
    """Tokens and documents of the chosen postings, documents counted through."""
    if not parts:
        empty: Ints = np.empty(0, dtype=np.int32)
        return empty, empty
    offsets = np.cumsum([0, *(len(each.tools) for each, _ in parts[:-1])], dtype=np.int32)
    tokens = [each.tokens[chosen] for each, chosen in parts]
    documents = [
        each.documents[chosen] + at for (each, chosen), at in zip(parts, offsets, strict=True)
    ]
    return np.concatenate(tokens), np.concatenate(documents)


def _by_token(segments: Sequence[Segment], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each posting when they are sorted by token, then by document.

    Each segment is sorted already: its postings of a token go, in one piece, after those of the
    segments before it. That needs no sorting at all.
    """
    filled = starts.copy()
    places: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    for each in segments:
        own = filled[each.tokens] + each.runs
        filled[each.tokens] = own + 1  # of several the last stays: that of the run's end
        places.append(own)
    return np.concatenate(places)


def _names(segments: Sequence[Segment], size: int) -> tuple[NDArray[np.int64], Ints]:
    """The postings of those tokens that stand in a tool's own name: where each token's begin, and
    their documents."""
    tokens, documents = _joined([(each, each.named) for each in segments])
    starts = np.concatenate(([0], np.cumsum(np.bincount(tokens, minlength=size))))
    return starts, documents[np.argsort(tokens, kind="stable")]


def _gains(segments: Sequence[Segment], weights: Weights) -> Floats:
    """What each posting gains its document, but for the token's idf."""
    if not segments:
        return np.empty(0)
    lengths = np.concatenate([each.lengths for each in segments])
    usual = np.maximum(lengths.mean(axis=0), 1e-9)
    b = np.array(weights.b)
    norms = np.maximum(1 - b + b * lengths / usual, 1e-9)
    each_time = (np.array(weights.weight) / norms).ravel()
    parts = np.split(each_time, np.cumsum([each.lengths.size for each in segments[:-1]]))
    frequency = np.concatenate(list(map(_frequencies, segments, parts)))
    return frequency * (weights.k1 + 1) / (frequency + weights.k1)


def _frequencies(segment: Segment, each_time: Floats) -> Floats:
    """The weighed frequency of each posting, given what once in each place counts."""
    frequencies = segment.times * each_time[segment.places]
    posting, places, times = segment.again
    # A posting may be there twice, for a third field: adding by index would count it once.
    np.add.at(frequencies, posting, times * each_time[places])
    return frequencies
