"""The postings of several servers' tools by token, so that what a query asks for lies together.

They say what stands where, and nothing that depends on the tools of other servers: made once for
servers that are searched together, they are part of every index that has those.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from router.search.documents import Field
from router.search.segments import Floats, Ints, Segment

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each field counts, and how much its length matters (0 not at all, 1 fully)."""

    weight: tuple[float, ...] = (3.0, 1.5, 2.0, 1.0, 1.0)
    b: tuple[float, ...] = (0.3, 0.3, 0.3, 0.6, 0.0)
    """A long description says the same in more words; more parameters are more that a tool can do,
    so that their number takes nothing from any of them."""
    k1: float = 1.2
    name: float = 0.45
    """How much a tool gains whose whole name was asked for."""


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class Further:
    """For tokens that stand in several fields of the same tool, those after the first."""

    rows: Numbers
    """Which rows are about such tokens."""
    each: Numbers
    """Which of `rows` each further field belongs to."""
    places: Ints
    times: Floats


@dataclass(frozen=True, slots=True)
class Postings:
    """Parallel arrays, sorted by token, with a row for each token of each tool, and a second one if
    the token is in the tool's own name: so words and names are summed at one go."""

    count: int
    """How many tools there are."""
    starts: Numbers
    """Where each token's rows begin, and where the last one's end."""
    frequencies: Numbers
    """How many tools have each token."""
    documents: Ints
    """Which tool each row is about; for the second rows, of names, `count` more."""
    places: Ints
    """Which field of which tool, as a place in `lengths` read row by row."""
    times: Floats
    """How often the token stands there, times what the field counts."""
    further: Further
    named: tuple[Numbers, Ints, Ints]
    """Which are the second rows, with their tokens and tools."""
    lengths: Ints
    """How many tokens each field of each tool has."""

    def rows(self, token: int) -> slice:
        if token >= len(self.frequencies):
            return slice(0)  # A word that other tools brought later.
        return slice(self.starts[token], self.starts[token + 1])


def postings_of(segments: Sequence[Segment], weights: Weights = DEFAULT) -> Postings:
    """Of all segments together, their tools numbered one after the other."""
    width = np.int32(len(weights.weight))
    count = sum(len(each.tools) for each in segments)
    tokens = np.concatenate([each.tokens for each in segments])
    places, times = _fields(segments, [(each.places, each.times) for each in segments], weights)
    names = np.flatnonzero(places % width == Field.NAME)
    source = np.concatenate((np.arange(len(tokens)), names))
    # The segments are sorted already: a stable sort only has to merge them.
    order = tokens[source].argsort(kind="stable")
    row_of = np.empty_like(order)
    row_of[order] = np.arange(len(order))
    source, second = source[order], row_of[len(tokens) :]
    documents = places[source] // width
    documents[second] += count
    return Postings(
        count=count,
        starts=np.concatenate(([0], np.cumsum(np.bincount(tokens[source])))),
        frequencies=np.bincount(tokens),
        documents=documents,
        places=places[source],
        times=times[source],
        further=_further(segments, weights, row_of),
        named=(second, tokens[names], places[names] // width),
        lengths=np.concatenate([each.lengths for each in segments]),
    )


def _further(segments: Sequence[Segment], weights: Weights, row_of: Numbers) -> Further:
    starts = _starts(len(each.tokens) for each in segments)
    postings = [each.again[0] + at for each, at in zip(segments, starts, strict=True)]
    rows, each = np.unique(row_of[np.concatenate(postings)], return_inverse=True)
    again = [each.again[1:] for each in segments]
    return Further(rows, each, *_fields(segments, again, weights))


def _fields(
    segments: Sequence[Segment],
    fields: Iterable[tuple[Ints, NDArray[np.float32]]],
    weights: Weights,
) -> tuple[Ints, Floats]:
    """Places and times of the segments' fields, as of all tools together and as each counts."""
    width = np.int32(len(weights.weight))
    starts = _starts(len(each.tools) for each in segments)
    pairs = list(zip(fields, starts, strict=True))
    places = np.concatenate([each + width * at for (each, _), at in pairs])
    times = np.concatenate([each for (_, each), _ in pairs])
    weight: Floats = np.array(weights.weight)
    return places, weight[places % width] * times


def _starts(sizes: Iterable[int]) -> Ints:
    """Where each of some begins that follow each other."""
    return np.cumsum([0, *sizes], dtype=np.int32)[:-1]
