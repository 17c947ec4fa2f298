"""BM25F on an inverted index: blocks of postings, weighed for the catalogue they are part of.

Each field's frequencies are weighed and measured against the field's usual length before they are
summed, so that a word in a short name counts for more than the same word in a long description.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from router.search.postings import DEFAULT, Numbers, Postings, Weights
from router.search.segments import Floats, Vocabulary

_BITS: Floats = np.array([2.0**bit for bit in range(52)])


@dataclass(slots=True)
class FoundRows:
    """What one block has for the tokens of a query."""

    documents: Numbers
    """Which document each row is about, those of one token after those of another."""
    sizes: Sequence[int]
    """How many rows each token has."""
    count: int
    """How many documents the block has."""


@dataclass(slots=True)
class Found:
    """What an index has for the tokens of a query."""

    scores: Floats
    """Of each document."""
    tokens: Sequence[int]
    """The most telling first."""
    blocks: Sequence[FoundRows]

    def having(self, documents: Sequence[int]) -> list[int]:
        """Which of the tokens each of some documents has: a bit for each, the lowest for the first.
        No bits for tokens after the 52 most telling ones, which sums of bits have no room for."""
        result = dict.fromkeys(documents, 0)
        start = 0
        for block in self.blocks:
            here = [each for each in documents if start <= each < start + block.count]
            if here:
                sizes = block.sizes[: len(_BITS)]
                bits = _BITS[: len(sizes)].repeat(sizes)
                has = np.bincount(block.documents[: len(bits)], bits, block.count)
                result.update({each: int(has[each - start]) for each in here})
            start += block.count
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
        self._blocks = [(each, _gains(each, idfs, usual, weights)) for each in blocks]
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
        found = [_found(block, gains, telling) for block, gains in self._blocks]
        scores = found[0][0] if len(found) == 1 else np.concatenate([each for each, _ in found])
        return Found(scores, [token for token, _ in telling], [rows for _, rows in found])


def _found(
    block: Postings, gains: Floats, weighed: Sequence[tuple[int, float]]
) -> tuple[Floats, FoundRows]:
    """The score of each document of a block, and the rows that it comes from."""
    places = [block.rows(token) for token, _ in weighed]
    if not places:
        return np.zeros(block.count), FoundRows(np.zeros(0, np.intp), (), block.count)
    found = [block.documents[place] for place in places]
    gained = [
        gains[place] if weight == 1.0 else weight * gains[place]
        for place, (_, weight) in zip(places, weighed, strict=True)
    ]
    documents = np.concatenate(found, dtype=np.intp)
    summed = np.bincount(documents, np.concatenate(gained), 2 * block.count)
    scores, named = np.asarray(summed, dtype=np.float64).reshape(2, -1)
    named += 1
    scores *= named
    return scores, FoundRows(documents, [len(each) for each in found], block.count)


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
