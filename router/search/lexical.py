"""BM25F on an inverted index: blocks of postings, weighed for the catalogue they are part of.

Each field's frequencies are weighed and measured against the field's usual length before they are
summed, so that a word in a short name counts for more than the same word in a long description.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from router.search.postings import DEFAULT, Numbers, Postings, Weights
from router.search.segments import Floats, Ints, Vocabulary


@dataclass(slots=True)
class Found:
    """What an index has for the tokens of a query."""

    scores: Floats
    """Of each document."""
    tokens: Sequence[int]
    """The most telling first."""
    documents: Numbers
    """Which document each row is about that was found, those of one token after those of another;
    beyond the last document are the rows about names."""
    sizes: Sequence[int]
    """How many rows each token has."""

    def having(self, documents: Sequence[int]) -> list[list[int]]:
        """Which of the tokens each of some documents has, the most telling first."""
        result: dict[int, list[int]] = {document: [] for document in documents}
        wanted = bytearray(2 * len(self.scores))
        for document in documents:
            wanted[document] = True
        rows = np.frombuffer(wanted, dtype=np.bool_)[self.documents].nonzero()[0]
        found: list[int] = self.documents[rows].tolist()
        ends = list(accumulate(self.sizes))
        for row, document in zip(rows.tolist(), found, strict=True):
            result[document].append(self.tokens[bisect_right(ends, row)])
        return list(result.values())


class LexicalIndex:
    """Scores all documents of some blocks of postings against query tokens."""

    def __init__(
        self, blocks: Sequence[Postings], vocabulary: Vocabulary, weights: Weights = DEFAULT
    ) -> None:
        """With the weights that the blocks were made with."""
        self.count = sum(each.count for each in blocks)
        self.best_gain = (weights.k1 + 1) * (1 + weights.name)
        self._numbers = vocabulary.numbers
        frequency = np.zeros(len(vocabulary.numbers), dtype=np.int64)
        for each in blocks:
            frequency[: len(each.frequencies)] += each.frequencies
        idfs: Floats = np.log1p((self.count - frequency + 0.5) / (frequency + 0.5))
        usual = _usual_lengths(blocks)
        ends = accumulate(each.count for each in blocks)
        self._blocks = [
            (each, _documents(each, end, self.count), _gains(each, idfs, usual, weights))
            for each, end in zip(blocks, ends, strict=True)
        ]
        # What is asked for one by one is kept in lists: getting one number of an array is slow.
        self._known: list[bool] = (frequency > 0).tolist()
        self._idfs: list[float] = idfs.tolist()

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

    def find(self, weighed: Mapping[int, float]) -> Found:
        """For tokens, each with its own weight up to 1."""
        telling = sorted(weighed.items(), key=lambda each: -self._idfs[each[0]] * each[1])
        found: list[Ints] = []
        gained: list[Floats] = []
        sizes: list[int] = []
        for token, weight in telling:
            size = 0
            for block, documents, gains in self._blocks:
                rows = block.rows(token)
                here = documents[rows]
                found.append(here)
                gained.append(gains[rows] if weight == 1.0 else weight * gains[rows])
                size += len(here)
            sizes.append(size)
        if not found:
            return Found(np.zeros(self.count), (), np.empty(0, dtype=np.intp), ())
        rows = np.concatenate(found, dtype=np.intp)
        summed = np.bincount(rows, np.concatenate(gained), 2 * self.count)
        scores, named = np.asarray(summed, dtype=np.float64).reshape(2, -1)
        named += 1
        scores *= named
        return Found(scores, [token for token, _ in telling], rows, sizes)


def _documents(block: Postings, end: int, count: int) -> Ints:
    """Which document of all `count` each row of a block is about, the last of the block being just
    before `end`; those of names have `count` added."""
    documents = block.documents + np.int32(end - block.count)
    documents[block.named[0]] += count - block.count
    return documents


def _usual_lengths(blocks: Sequence[Postings]) -> Floats:
    count = max(1, sum(each.count for each in blocks))
    total = sum((each.lengths.sum(axis=0) for each in blocks), start=np.zeros(1))
    return np.maximum(total / count, 1e-9)


def _gains(block: Postings, idfs: Floats, usual: Floats, weights: Weights) -> Floats:
    """What each row of a block gains its document: in words by BM25F; in names the token's part of
    all that the name says, telling words counting more. In as few passes as can be, since all rows
    are weighed anew whenever a server comes or goes."""
    b, best = np.array(weights.b), weights.k1 + 1
    norms = (weights.k1 * np.maximum(1 - b + b * block.lengths / usual, 1e-9)).ravel()
    gains = norms.take(block.places)
    gains += block.times
    np.divide(block.times, gains, out=gains)
    further = block.further
    frequency = block.times[further.rows] / norms[block.places[further.rows]]
    # A row may be there twice, for a third field: adding by index would count it once.
    np.add.at(frequency, further.each, further.times / norms[further.places])
    gains[further.rows] = frequency / (frequency + 1)
    rows, tokens, documents = block.named
    whole = np.bincount(documents, idfs[tokens], block.count)
    gains[rows] = weights.name / best / whole[documents]
    gains *= (best * idfs[: len(block.frequencies)]).repeat(np.diff(block.starts))
    return gains
