"""Postings of a block of servers, sorted by token, so that a query token's rows are contiguous.

They contain nothing that depends on the tools of other blocks (no IDF, no average length). So they
are built once for a block and used by every index that contains it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from router.search.index.arrays import Float32Array, Float64Array, Int32Array, Int64Array
from router.search.index.segments import Segment
from router.search.index.tool_document import IndexedField


@dataclass(frozen=True, slots=True)
class BM25FParameters:
    """Tuples have a value for each `IndexedField`, in their order."""

    field_weights: tuple[float, ...] = (3.0, 1.5, 2.0, 1.0, 1.0)
    b: tuple[float, ...] = (0.3, 0.3, 0.3, 0.6, 0.0)
    """Length normalization, from 0 (none) to 1. A long description says the same in more words;
    more parameters are more that a tool can do, so their number costs nothing."""
    k1: float = 1.2
    name_bonus: float = 0.45
    """The share by which the score of a tool rises if the query has all of its name."""


DEFAULT_PARAMETERS = BM25FParameters()


@dataclass(frozen=True, slots=True)
class RepeatedRows:
    """For tokens that are in several fields of one tool: the fields after the first."""

    rows: Int64Array
    """The rows of such tokens."""
    owners: Int64Array
    """The entry of `rows` that each further field belongs to."""
    fields: Int32Array
    frequencies: Float64Array


@dataclass(frozen=True, slots=True)
class NameRows:
    """The second rows of tokens that are in a tool's name."""

    rows: Int64Array
    tokens: Int32Array
    documents: Int32Array


@dataclass(frozen=True, slots=True)
class Postings:
    """Parallel arrays, sorted by token, with a row for each token of each tool and a second one if
    the token is in the tool's name: so field scores and name bonus are summed in one pass."""

    count: int
    """How many tools there are."""
    starts: Int64Array
    """Where each token's rows begin, and where the last one's end."""
    document_frequencies: Int64Array
    """How many tools have each token."""
    documents: Int32Array
    """The tool of each row; for the second rows `count` is added."""
    fields: Int32Array
    """The field of the tool, as an index into the flattened `lengths`."""
    frequencies: Float64Array
    """How often the field has the token, times the field's weight."""
    repeated: RepeatedRows
    names: NameRows
    lengths: Int32Array
    """How many tokens each field of each tool has."""

    def rows(self, token: int) -> slice:
        if token >= len(self.document_frequencies):
            return slice(0)  # The vocabulary has grown since.
        return slice(self.starts[token], self.starts[token + 1])


def build_postings(
    segments: Sequence[Segment], parameters: BM25FParameters = DEFAULT_PARAMETERS
) -> Postings:
    """The postings of all segments together, their tools numbered consecutively."""
    width = np.int32(len(parameters.field_weights))
    count = sum(len(each.tools) for each in segments)
    tokens = np.concatenate([each.tokens for each in segments])
    fields, frequencies = _weighted_fields(
        segments, [(each.fields, each.frequencies) for each in segments], parameters
    )
    names = np.flatnonzero(fields % width == IndexedField.NAME)
    source = np.concatenate((np.arange(len(tokens)), names))
    # The segments are sorted already: a stable sort only has to merge them.
    order = tokens[source].argsort(kind="stable")
    row_of = np.empty_like(order)
    row_of[order] = np.arange(len(order))
    source, second = source[order], row_of[len(tokens) :]
    documents = fields[source] // width
    documents[second] += count
    return Postings(
        count=count,
        starts=np.concatenate(([0], np.cumsum(np.bincount(tokens[source])))),
        document_frequencies=np.bincount(tokens),
        documents=documents,
        fields=fields[source],
        frequencies=frequencies[source],
        repeated=_repeated_rows(segments, parameters, row_of),
        names=NameRows(second, tokens[names], fields[names] // width),
        lengths=np.concatenate([each.lengths for each in segments]),
    )


def _repeated_rows(
    segments: Sequence[Segment], parameters: BM25FParameters, row_of: Int64Array
) -> RepeatedRows:
    starts = _starts(len(each.tokens) for each in segments)
    postings = [each.repeated.postings + at for each, at in zip(segments, starts, strict=True)]
    rows, owners = np.unique(row_of[np.concatenate(postings)], return_inverse=True)
    repeated = [(each.repeated.fields, each.repeated.frequencies) for each in segments]
    return RepeatedRows(rows, owners, *_weighted_fields(segments, repeated, parameters))


def _weighted_fields(
    segments: Sequence[Segment],
    fields: Iterable[tuple[Int32Array, Float32Array]],
    parameters: BM25FParameters,
) -> tuple[Int32Array, Float64Array]:
    """Fields and frequencies of the segments, renumbered for all tools together and weighted."""
    width = np.int32(len(parameters.field_weights))
    starts = _starts(len(each.tools) for each in segments)
    pairs = list(zip(fields, starts, strict=True))
    renumbered = np.concatenate([each + width * at for (each, _), at in pairs])
    frequencies = np.concatenate([each for (_, each), _ in pairs])
    weights: Float64Array = np.array(parameters.field_weights)
    return renumbered, weights[renumbered % width] * frequencies


def _starts(sizes: Iterable[int]) -> Int32Array:
    """Where each of some consecutive ranges begins."""
    return np.cumsum([0, *sizes], dtype=np.int32)[:-1]
