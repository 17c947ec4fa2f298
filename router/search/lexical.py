"""BM25F on an inverted index: one array of postings, put together from segments.

Each field's frequencies are weighed and measured against the field's usual length before they are
summed, so that a word in a short name counts for more than the same word in a long description.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from router.search.segments import Floats, Ints, Segment, Vocabulary

K1 = 1.2


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
        frequency = np.zeros(size, dtype=np.int64)
        for each in segments:
            frequency[each.distinct] += each.frequencies
        starts = np.concatenate(([0], np.cumsum(frequency)))
        idf: Floats = np.log1p((self.count - frequency + 0.5) / (frequency + 0.5))
        self._documents, self._gains = _merged(segments, starts, weights)
        # What is asked for one by one is kept in lists: getting one number of an array is slow.
        self._starts: list[int] = starts.tolist()
        self._known: list[bool] = (frequency > 0).tolist()
        self._idfs: list[float] = idf.tolist()
        self.best_gain = weights.k1 + 1
        name_starts, self._name_documents = _names(segments, size)
        self._name_starts: list[int] = name_starts.tolist()
        self._name_shares = self._shares(np.repeat(idf, np.diff(name_starts)))

    def _shares(self, idfs: Floats) -> Floats:
        """What each token is of the name it stands in, given how telling it is."""
        sums = np.bincount(self._name_documents, idfs, minlength=self.count)
        return idfs / np.maximum(sums, 1e-9)[self._name_documents]

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

    def documents(self, number: int) -> Ints:
        """The documents that have a token, in order."""
        return self._documents[self._starts[number] : self._starts[number + 1]]

    def scores(self, weighed: Mapping[int, float]) -> Floats:
        """The score of each document for tokens, each with its own weight."""
        telling = {number: weight * self._idfs[number] for number, weight in weighed.items()}
        return self._summed(telling, self._starts, self._documents, self._gains)

    def name_coverage(self, weighed: Mapping[int, float]) -> Floats:
        """How much of each tool's name is asked for, in 0..1, telling words counting more."""
        covered = self._summed(weighed, self._name_starts, self._name_documents, self._name_shares)
        return np.minimum(covered, 1.0, out=covered)

    def _summed(
        self, weighed: Mapping[int, float], starts: Sequence[int], documents: Ints, gains: Floats
    ) -> Floats:
        """What each document gains from the tokens it has, each with its own weight."""
        places = [(slice(starts[each], starts[each + 1]), by) for each, by in weighed.items()]
        found = np.concatenate([documents[:0], *(documents[place] for place, _ in places)])
        if not len(found):
            return np.zeros(self.count)
        gained = [by * gains[place] for place, by in places]
        summed = np.bincount(found, np.concatenate(gained), minlength=self.count)
        return np.asarray(summed, dtype=np.float64)


def _merged(
    segments: Sequence[Segment], starts: NDArray[np.int64], weights: Weights
) -> tuple[Ints, Floats]:
    """The postings of all segments, sorted by token, then by document: their documents, and what
    each gains its document, but for the token's idf.

    Each segment is sorted already: its postings of a token go, in one piece, after those of the
    segments before it. That needs no sorting at all. Segment by segment, since arrays that fit a
    processor's cache take a fraction of the time.
    """
    size = int(starts[-1])
    documents: Ints = np.empty(size, dtype=np.int32)
    gains: Floats = np.empty(size, dtype=np.float64)
    filled, offset = starts[:-1].copy(), 0
    usual = _usual_lengths(segments)
    for each in segments:
        places = filled[each.tokens] + each.runs
        filled[each.distinct] += each.frequencies
        documents[places] = each.documents + np.int32(offset)
        gains[places] = _gains(each, usual, weights)
        offset += len(each.tools)
    return documents, gains


def _usual_lengths(segments: Sequence[Segment]) -> Floats:
    count = max(1, sum(len(each.tools) for each in segments))
    total = sum((each.lengths.sum(axis=0) for each in segments), start=np.zeros(1))
    return np.maximum(total / count, 1e-9)


def _gains(segment: Segment, usual: Floats, weights: Weights) -> Floats:
    b = np.array(weights.b)
    norms = np.maximum(1 - b + b * segment.lengths / usual, 1e-9)
    each_time: Floats = (np.array(weights.weight) / norms).ravel()
    frequency = segment.times * each_time[segment.places]
    posting, places, times = segment.again
    # A posting may be there twice, for a third field: adding by index would count it once.
    np.add.at(frequency, posting, times * each_time[places])
    return frequency * (weights.k1 + 1) / (frequency + weights.k1)


def _names(segments: Sequence[Segment], size: int) -> tuple[NDArray[np.int64], Ints]:
    """The postings of those tokens that stand in a tool's own name: where each token's begin, and
    their documents."""
    if not segments:
        return np.zeros(size + 1, dtype=np.int64), np.empty(0, dtype=np.int32)
    offsets = np.cumsum([0, *(len(each.tools) for each in segments[:-1])], dtype=np.int32)
    tokens = np.concatenate([each.tokens[each.named] for each in segments])
    named = [each.documents[each.named] for each in segments]
    documents = np.concatenate([own + at for own, at in zip(named, offsets, strict=True)])
    starts = np.concatenate(([0], np.cumsum(np.bincount(tokens, minlength=size))))
    return starts, documents[np.argsort(tokens, kind="stable")]
