"""The BM25 index: BM25F over an inverted index of tool definitions.

Each field's term frequencies are weighted and normalized by the field's average length before they
are summed, so a word in a short name counts for more than the same word in a long description.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from router.search.index.arrays import Float64Array, Int32Array, Int64Array
from router.search.index.postings import DEFAULT_PARAMETERS, BM25FParameters, Postings
from router.search.index.segments import Vocabulary


@dataclass(slots=True)
class BM25Matches:
    """What the index has for the tokens of a query."""

    scores: Float64Array
    """Of every document."""
    tokens: Sequence[int]
    """By their contribution, largest first."""
    documents: Int64Array
    """The document of each matching row, token by token; rows of names have the number of all
    documents added."""
    row_counts: Sequence[int]
    """How many rows each token has."""

    def tokens_in(self, documents: Sequence[int]) -> list[list[int]]:
        """Which of the tokens each of some documents has, in the order of `tokens`."""
        result: dict[int, list[int]] = {document: [] for document in documents}
        wanted = bytearray(2 * len(self.scores))
        for document in documents:
            wanted[document] = True
        rows = np.frombuffer(wanted, dtype=np.bool_)[self.documents].nonzero()[0]
        found: list[int] = self.documents[rows].tolist()
        ends = list(accumulate(self.row_counts))
        for row, document in zip(rows.tolist(), found, strict=True):
            result[document].append(self.tokens[bisect_right(ends, row)])
        return list(result.values())


class BM25Index:
    """Scores all documents of some blocks of postings for the tokens of a query."""

    def __init__(
        self,
        blocks: Sequence[Postings],
        vocabulary: Vocabulary,
        parameters: BM25FParameters = DEFAULT_PARAMETERS,
    ) -> None:
        """With the parameters that the blocks were built with."""
        self.count = sum(each.count for each in blocks)
        self.max_gain = (parameters.k1 + 1) * (1 + parameters.name_bonus)
        """The most that a token can add to a score, as a multiple of its IDF."""
        self._ids = vocabulary.ids
        frequency = np.zeros(len(vocabulary.ids), dtype=np.int64)
        for each in blocks:
            frequency[: len(each.document_frequencies)] += each.document_frequencies
        idfs: Float64Array = np.log1p((self.count - frequency + 0.5) / (frequency + 0.5))
        averages = _average_lengths(blocks)
        ends = accumulate(each.count for each in blocks)
        self._blocks = [
            (each, _documents(each, end, self.count), _gains(each, idfs, averages, parameters))
            for each, end in zip(blocks, ends, strict=True)
        ]
        # Read one at a time, and reading one element of an array is slow: lists.
        self._known: list[bool] = (frequency > 0).tolist()
        self._idfs: list[float] = idfs.tolist()

    def token_id(self, token: str) -> int | None:
        """The token's id if any document has the token."""
        number = self._ids.get(token)
        if number is None or number >= len(self._known) or not self._known[number]:
            return None
        return number

    def idf(self, token: int | None) -> float:
        """Inverse document frequency; never negative, so that tiny catalogs rank too. None is a
        token that no document has: the maximum."""
        if token is None:
            return math.log1p(2 * self.count + 1.0)
        return self._idfs[token]

    def match(self, weights: Mapping[int, float]) -> BM25Matches:
        """Scores for tokens, each with a weight of at most 1."""
        by_contribution = sorted(weights.items(), key=lambda each: -self._idfs[each[0]] * each[1])
        found: list[Int32Array] = []
        gained: list[Float64Array] = []
        row_counts: list[int] = []
        for token, weight in by_contribution:
            count = 0
            for block, documents, gains in self._blocks:
                rows = block.rows(token)
                here = documents[rows]
                found.append(here)
                gained.append(gains[rows] if weight == 1.0 else weight * gains[rows])
                count += len(here)
            row_counts.append(count)
        if not found:
            return BM25Matches(np.zeros(self.count), (), np.empty(0, dtype=np.intp), ())
        rows = np.concatenate(found, dtype=np.intp)
        summed = np.bincount(rows, np.concatenate(gained), 2 * self.count)
        scores, name_shares = np.asarray(summed, dtype=np.float64).reshape(2, -1)
        name_shares += 1
        scores *= name_shares
        return BM25Matches(scores, [token for token, _ in by_contribution], rows, row_counts)


def _documents(block: Postings, end: int, count: int) -> Int32Array:
    """The document of each row of a block among all `count`; the block's documents are those just
    before `end`. Rows of names have `count` added."""
    documents = block.documents + np.int32(end - block.count)
    documents[block.names.rows] += count - block.count
    return documents


def _average_lengths(blocks: Sequence[Postings]) -> Float64Array:
    count = max(1, sum(each.count for each in blocks))
    total = sum((each.lengths.sum(axis=0) for each in blocks), start=np.zeros(1))
    return np.maximum(total / count, 1e-9)


def _gains(
    block: Postings, idfs: Float64Array, averages: Float64Array, parameters: BM25FParameters
) -> Float64Array:
    """What each row of a block adds to its document: BM25F; for rows of names the token's share of
    the name's IDF, times the bonus. In as few passes as possible, since all rows are computed again
    whenever a server is added or removed."""
    b, saturation = np.array(parameters.b), parameters.k1 + 1
    norms = (parameters.k1 * np.maximum(1 - b + b * block.lengths / averages, 1e-9)).ravel()
    gains = norms.take(block.fields)
    gains += block.frequencies
    np.divide(block.frequencies, gains, out=gains)
    repeated = block.repeated
    frequency = block.frequencies[repeated.rows] / norms[block.fields[repeated.rows]]
    # A row occurs twice if a token is in three fields: indexed addition would count it once.
    np.add.at(frequency, repeated.owners, repeated.frequencies / norms[repeated.fields])
    gains[repeated.rows] = frequency / (frequency + 1)
    names = block.names
    whole = np.bincount(names.documents, idfs[names.tokens], block.count)
    gains[names.rows] = parameters.name_bonus / saturation / whole[names.documents]
    idf_per_token = saturation * idfs[: len(block.document_frequencies)]
    gains *= idf_per_token.repeat(np.diff(block.starts))
    return gains
